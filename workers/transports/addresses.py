"""Which peers a webhook may connect to.

The URL comes from a stranger, so it must not become a way into the operator's own network. The name is resolved once,
every address that it stands for is judged, only a judged address is connected to, and the peer of the connected socket
is judged again before a byte is sent: a name that changes its mind in between gains nothing.

The usual ports are 443, and 8443, on which many run what is not their web site.

The networks are a table of our own because `ipaddress.is_global` alone passes NAT64, 6to4, multicast and others.
"""

import ipaddress
import queue
import socket
import threading
from collections.abc import Callable
from typing import Any

USUAL_PORTS = frozenset({443, 8443})

# IANA's special-purpose registry for IPv4 (whatever it says of reachability), multicast, reserved space,
# and Azure's host address, which looks public and answers with secrets.
_REFUSED_4 = tuple(
    map(
        ipaddress.IPv4Network,
        (
            "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
            "192.0.0.0/24", "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16",
            "192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
            "168.63.129.16/32",
        ),
    )
)  # fmt: skip
_ALLOWED_6 = ipaddress.IPv6Network("2000::/3")
_REFUSED_6 = tuple(map(ipaddress.IPv6Network, ("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")))
_LOOPBACK = (ipaddress.ip_network("127.0.0.0/8"), ipaddress.ip_network("::1/128"))

Resolver = Callable[..., list[tuple[Any, ...]]]  # the shape of socket.getaddrinfo


class Refused(Exception):
    """Not a peer that we talk to. What is told to the outside is only that it was unreachable."""


class Policy:
    """`loopback` is the development switch: it adds this machine, over plain http too, and takes nothing away."""

    def __init__(self, loopback: bool = False, resolver: Resolver = socket.getaddrinfo) -> None:
        self._loopback = loopback
        self._resolve = resolver

    def accepts(self, address: str) -> bool:
        """Whether an address, as a number, may be connected to at all."""
        try:
            ip = ipaddress.ip_address(address)
        except ValueError:  # "fe80::1%eth0" among others
            return False
        return _public(ip) or (self._loopback and _on_this_machine(ip))

    def connect(self, scheme: str, host: str, port: int, left: Callable[[], float]) -> socket.socket:
        """A connected socket to an accepted peer, nothing sent yet; `left` tells the seconds that remain for it.
        Raises Refused, or OSError when nobody answers."""
        failure: OSError | None = None
        for family, kind, protocol, _, address in self._judged(scheme, host, port, left):
            try:
                return self._open(socket.socket(family, kind, protocol), scheme, address, left())
            except OSError as error:
                failure = error
        raise failure or Refused(f"{host} has no address")

    def _open(self, connection: socket.socket, scheme: str, address: Any, timeout: float) -> socket.socket:
        try:
            connection.settimeout(timeout)
            connection.connect(address)
            self._check(scheme, connection.getpeername())
        except BaseException:
            connection.close()
            raise
        return connection

    def _judged(self, scheme: str, host: str, port: int, left: Callable[[], float]) -> list[tuple[Any, ...]]:
        """One bad address condemns the name: whoever mixes them is trying something."""
        found = self._looked_up(host, port, left())
        for *_, address in found:
            self._check(scheme, address)
        return found

    def _looked_up(self, host: str, port: int, seconds: float) -> list[tuple[Any, ...]]:
        """The one look-up. The system's resolver knows no deadline, so it is left behind in a thread of its own when it
        takes too long; it gives up by itself."""
        answers: queue.SimpleQueue[list[tuple[Any, ...]] | Exception] = queue.SimpleQueue()

        def look_up() -> None:
            try:
                answers.put(self._resolve(host, port, type=socket.SOCK_STREAM))
            except Exception as error:  # a label too long for a name is no OSError
                answers.put(error)

        threading.Thread(target=look_up, name="look-up", daemon=True).start()
        try:
            answer = answers.get(timeout=seconds)
        except queue.Empty:
            raise Refused(f"{host} was not found in time") from None
        if isinstance(answer, Exception):
            raise Refused(f"{host} was not found: {type(answer).__name__}") from answer
        return answer

    def _check(self, scheme: str, peer: tuple[Any, ...]) -> None:
        """A peer as sockets have it; of IPv6 with the zone, which no public address needs."""
        address, port = peer[:2]
        if not self.accepts(address) or any(peer[3:]):
            raise Refused(f"{address} is not public")
        if self._loopback and _on_this_machine(ipaddress.ip_address(address)):
            return
        if scheme != "https" or port not in USUAL_PORTS:
            raise Refused(f"{scheme} on port {port}")


def _public(ip: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    if isinstance(ip, ipaddress.IPv4Address):
        return not any(ip in network for network in _REFUSED_4)
    return ip.scope_id is None and ip in _ALLOWED_6 and not any(ip in network for network in _REFUSED_6)


def _on_this_machine(ip: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    return any(ip in network for network in _LOOPBACK if network.version == ip.version)
