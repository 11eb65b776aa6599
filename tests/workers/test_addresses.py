"""Which peers a webhook may reach. A resolver that lies stands for DNS; sockets are real."""

import socket
from collections.abc import Iterable
from typing import Any

import pytest

from workers.transports.addresses import Policy, Refused

REFUSED = [
    "0.0.0.0",
    "0.1.2.3",
    "10.0.0.1",
    "10.255.255.255",
    "100.64.0.1",
    "100.100.100.200",
    "127.0.0.1",
    "127.1.2.3",
    "169.254.169.254",
    "169.254.0.1",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.1",
    "192.0.0.170",
    "192.0.2.1",
    "192.31.196.1",
    "192.52.193.1",
    "192.88.99.1",
    "192.168.0.1",
    "192.175.48.1",
    "198.18.0.1",
    "198.19.255.255",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "239.255.255.250",
    "240.0.0.1",
    "255.255.255.255",
    "168.63.129.16",
    "::",
    "::1",
    "::127.0.0.1",
    "::ffff:127.0.0.1",
    "::ffff:8.8.8.8",
    "64:ff9b::7f00:1",
    "64:ff9b::808:808",
    "64:ff9b:1::1",
    "100::1",
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1",
    "fe80::1%lo",
    "fec0::1",
    "ff02::1",
    "2001::1",
    "2001:0:7f00:1::",
    "2001:10::1",
    "2001:20::1",
    "2001:1ff::1",
    "2001:db8::1",
    "2002:7f00:1::",
    "2002:808:808::",
    "3fff::1",
    "4000::1",
    "2606:4700::1%lo",
    "2130706433",
    "0x7f000001",
    "0177.0.0.1",
    "127.1",
    "1.2.3",
    "１２７.０.０.１",
    "8.8.8.8/32",
    "example.org",
]

ACCEPTED = [
    "1.1.1.1",
    "8.8.8.8",
    "9.255.255.255",
    "11.0.0.1",
    "100.63.255.255",
    "100.128.0.1",
    "172.15.0.1",
    "172.32.0.1",
    "193.0.0.1",
    "223.255.255.254",
    "2606:4700::1",
    "2001:4860:4860::8888",
    "2a00:1450::1",
    "2003::1",
]


def says(*addresses: str) -> Any:
    """A resolver with this answer."""

    def resolve(host: str, port: int, **_: Any) -> Iterable[tuple[Any, ...]]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in addresses]

    return resolve


def connect(policy: Policy, scheme: str, host: str, port: int) -> None:
    policy.connect(scheme, host, port, lambda: 1.0).close()


@pytest.mark.parametrize("address", REFUSED)
def test_refused(address: str) -> None:
    assert not Policy().accepts(address)


@pytest.mark.parametrize("address", ACCEPTED)
def test_accepted(address: str) -> None:
    assert Policy().accepts(address)
    assert Policy(loopback=True).accepts(address)


@pytest.mark.parametrize(
    "address", [address for address in REFUSED if address not in ("127.0.0.1", "127.1.2.3", "::1")]
)
def test_the_development_switch_adds_this_machine_and_nothing_else(address: str) -> None:
    assert not Policy(loopback=True).accepts(address)


def test_one_bad_address_condemns_the_name() -> None:
    with pytest.raises(Refused, match=r"10\.0\.0\.1"):
        connect(Policy(resolver=says("8.8.8.8", "10.0.0.1")), "https", "both.example.org", 443)


@pytest.mark.parametrize(
    "host", ["2130706433", "0x7f000001", "0177.0.0.1", "127.1", "１２７.0.0.1", "localhost", "[::1]".strip("[]")]
)
def test_other_spellings_of_this_machine_are_judged_by_what_they_resolve_to(host: str) -> None:
    with pytest.raises((Refused, OSError)) as caught:
        connect(Policy(), "https", host, 443)
    assert not isinstance(caught.value, ConnectionRefusedError), "it was tried"


@pytest.mark.parametrize(
    ("scheme", "port"), [("http", 80), ("http", 443), ("https", 22), ("https", 25), ("https", 6379), ("https", 80)]
)
def test_to_public_addresses_only_https_on_the_usual_ports(scheme: str, port: int) -> None:
    with pytest.raises(Refused, match=f"{scheme} on port {port}"):
        connect(Policy(loopback=True, resolver=says("8.8.8.8")), scheme, "example.org", port)


def test_the_connected_peer_is_judged_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever happens between the two looks, say an address translated by the host's own rules."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        policy = Policy(resolver=says("8.8.8.8"))
        monkeypatch.setattr(socket.socket, "connect", lambda self, _: None)
        monkeypatch.setattr(socket.socket, "getpeername", lambda self: listener.getsockname())
        with pytest.raises(Refused, match=r"127\.0\.0\.1"):
            connect(policy, "https", "example.org", 443)


def test_the_next_address_is_tried_when_the_first_does_not_answer() -> None:
    with socket.create_server(("127.0.0.2", 0)) as listener:
        connect(
            Policy(loopback=True, resolver=says("127.0.0.1", "127.0.0.2")),
            "http",
            "here.example.org",
            listener.getsockname()[1],
        )
