"""Where a webhook may go, on real sockets: whatever is connected to leads to a listener here, which counts.

So a refusal is proven by what did not arrive, and the same detour lets the public addresses through."""

from __future__ import annotations

import socket
import ssl
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from server.services.dispatching import Parcel
from tests.workers.certificates import Authority
from tests.workers.receivers import Hook, hook_server
from tests.workers.rows import SECRET
from workers.transports import addresses
from workers.transports.addresses import Policy
from workers.transports.base import TransportError
from workers.transports.webhook import Webhook

TABLE = tomllib.loads((Path(__file__).parent / "ssrf.toml").read_text("utf-8"))
NAMES = ("hooks.example.org", "xn--e1afmkfd.example.org", "93.184.215.14", "2606:4700::1111", "2003::1")
SOON = 0.05  # seconds until a refusal is told


class Detour:
    """What stands in for the network: `peers` are those that were connected to."""

    def __init__(self, hook: Hook, trust: ssl.SSLContext) -> None:
        self.hook = hook
        self.trust = trust
        self.peers: list[tuple[Any, ...]] = []

    def socket(self, *_: Any) -> socket.socket:
        return Diverted(self)

    def send(self, url: str, resolver: Any, connecting: float = 10, **policy: Any) -> int | None:
        webhook = Webhook(Policy(resolver=resolver, **policy), connecting=connecting, tls=self.trust)
        return webhook.send(Parcel("webhook", "msg_1", url, "{}", (SECRET,))).status


class Diverted(socket.socket):
    def __init__(self, detour: Detour) -> None:
        super().__init__(socket.AF_INET, socket.SOCK_STREAM)
        self._detour = detour
        self._peer: tuple[Any, ...] = ()

    def connect(self, address: Any) -> None:
        self._detour.peers.append(address)
        self._peer = address
        super().connect(("127.0.0.1", int(self._detour.hook.url.split(":")[2].split("/")[0])))

    def getpeername(self) -> tuple[Any, ...]:
        return self._peer


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("certificates"))


@pytest.fixture
def detour(authority: Authority, monkeypatch: pytest.MonkeyPatch) -> Iterator[Detour]:
    with hook_server(Hook(), authority.server(*NAMES)) as hook:
        made = Detour(hook, authority.trust)
        monkeypatch.setattr(addresses, "socket", SimpleNamespace(socket=made.socket, SOCK_STREAM=socket.SOCK_STREAM))
        yield made


def says(addresses: list[str] | None) -> Any:
    """A resolver with this answer; without one the system's."""

    def resolve(host: str, port: int, **_: Any) -> list[tuple[Any, ...]]:
        return [_found(address, port) for address in addresses or ()]

    return socket.getaddrinfo if addresses is None else resolve


def _found(address: str, port: int) -> tuple[Any, ...]:
    if ":" in address:
        return (socket.AF_INET6, socket.SOCK_STREAM, 6, "", (address, port, 0, 0))
    return (socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))


def test_the_table_is_long_enough() -> None:
    assert len(TABLE["refused"]) + len(TABLE["redirect"]) >= 60
    assert len({(row["url"], *row.get("resolves", ())) for row in TABLE["refused"]}) == len(TABLE["refused"])


@pytest.mark.parametrize("row", TABLE["refused"], ids=lambda row: row["url"])
def test_nothing_is_connected_to_and_no_byte_is_sent(row: dict[str, Any], detour: Detour) -> None:
    with pytest.raises(TransportError, match=r"^unreachable$") as caught:
        detour.send(row["url"], says(row.get("resolves")), SOON)
    assert (detour.peers, detour.hook.calls) == ([], [])
    assert caught.value.unreachable and not caught.value.ambiguous


@pytest.mark.parametrize("row", TABLE["public"], ids=lambda row: row["url"] + " ".join(row.get("resolves", ())))
def test_public_addresses_are_connected_to(row: dict[str, Any], detour: Detour) -> None:
    assert detour.send(row["url"], says(row.get("resolves"))) == 204
    assert len(detour.peers) == len(detour.hook.calls) == 1


@pytest.mark.parametrize("row", TABLE["redirect"], ids=lambda row: row["location"])
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_an_answer_and_no_way(row: dict[str, Any], status: int, detour: Detour) -> None:
    detour.hook.status, detour.hook.headers = status, {"Location": row["location"]}
    with pytest.raises(TransportError) as caught:
        detour.send("https://hooks.example.org/", says(["93.184.215.14"]))
    assert caught.value.status == status
    assert len(detour.peers) == len(detour.hook.calls) == 1


@pytest.mark.parametrize("row", TABLE["rebinding"], ids=lambda row: row["then"][0])
def test_a_name_is_looked_up_once(row: dict[str, Any], detour: Detour) -> None:
    answers = [row["first"], row["then"], row["then"]]

    def resolve(host: str, port: int, **_: Any) -> list[tuple[Any, ...]]:
        return [_found(address, port) for address in answers.pop(0)]

    assert detour.send("https://hooks.example.org/", resolve) == 204
    assert len(answers) == 2 and [peer[0] for peer in detour.peers] == row["first"]


def test_a_peer_that_is_another_one_than_was_asked_for_gets_no_byte(
    detour: Detour, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Say, because this host translates addresses by rules of its own."""
    monkeypatch.setattr(Diverted, "getpeername", lambda self: ("127.0.0.1", 443))
    with pytest.raises(TransportError, match=r"^unreachable$"):
        detour.send("https://hooks.example.org/", says(["93.184.215.14"]), SOON)
    assert len(detour.peers) == 1 and detour.hook.calls == []


def test_the_development_switch_lets_loopback_in_and_nothing_else(detour: Detour) -> None:
    refused = [row for row in TABLE["refused"] if row["url"].startswith("https://10.")]
    assert refused
    for row in refused:
        with pytest.raises(TransportError, match=r"^unreachable$"):
            detour.send(row["url"], says(None), SOON, loopback=True)
    assert detour.peers == []
