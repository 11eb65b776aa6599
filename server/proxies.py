"""Who is at the other end of the line. Behind a proxy that is what the proxy says, if it is one of those we trust
(GALAPOST_TRUSTED_PROXIES); anybody else could write what he likes into `X-Forwarded-For`.

It tells networks apart, for limits. Links have nothing to do with it: those are made from GALAPOST_URL alone."""

from __future__ import annotations

import re
from collections.abc import Iterable
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import TYPE_CHECKING

from server.config import UNIX, Network

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

WITH_PORT = re.compile(r"(?P<v4>[0-9.]+):[0-9]+|\[(?P<v6>[^\]]+)\](:[0-9]+)?")


class Trusting:
    """Sets REMOTE_ADDR for everything behind it."""

    def __init__(self, app: WSGIApplication, proxies: tuple[Network, ...]) -> None:
        self._app = app
        self._proxies = proxies

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        forwarded = environ.get("HTTP_X_FORWARDED_FOR", "")
        environ["REMOTE_ADDR"] = client(environ.get("REMOTE_ADDR", ""), forwarded, self._proxies)
        return self._app(environ, start_response)


def client(peer: str, forwarded: str, proxies: tuple[Network, ...]) -> str:
    """Each proxy adds at the right whom it spoke with; so the right-most that is no proxy of ours is the one.

    What can't be read was not written by a proxy of ours: whoever sent it stands to its right.
    """
    found = _read(peer)
    for hop in reversed(forwarded.split(",")):
        address = _read(hop)
        if address is None or not _trusted(found, proxies):
            break
        found = address
    return "" if found is None else str(found)


def _trusted(address: IPv4Address | IPv6Address | None, proxies: tuple[Network, ...]) -> bool:
    if address is None:  # nothing is told of who is behind a Unix socket
        return UNIX in proxies
    return any(address in proxy for proxy in proxies if not isinstance(proxy, str))


def _read(text: str) -> IPv4Address | IPv6Address | None:
    """With or without a port; an IPv4 address in the clothes of IPv6 is IPv4."""
    shape = WITH_PORT.fullmatch(text.strip())
    try:
        address = ip_address((shape["v4"] or shape["v6"]) if shape else text.strip())
    except ValueError:
        return None
    if isinstance(address, IPv6Address):
        return address.ipv4_mapped or IPv6Address(int(address))  # without its zone
    return address
