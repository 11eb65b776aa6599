"""Which addresses may be registered. Whether one may be connected to is judged when it is (`workers/transports`)."""

from __future__ import annotations

from ipaddress import ip_address
from urllib.parse import SplitResult, urlsplit

from server.errors import BadWebhookUrl
from server.said import said

PORTS = (443, 8443)  # the same as in `workers/transports/addresses.py`


def check_url(url: str, to_loopback: bool) -> None:
    """`to_loopback`: this machine, too, by http and on any port."""
    parts = _split(url)
    if parts.username is not None or parts.password is not None:
        raise BadWebhookUrl(said("an address without user info is expected"))
    if to_loopback and parts.scheme in ("http", "https") and _is_loopback(parts.hostname):
        return
    if parts.scheme != "https":
        raise BadWebhookUrl(said("an https address is expected, not {scheme}", scheme=parts.scheme[:20] or "none"))
    if (parts.port or 443) not in PORTS:
        raise BadWebhookUrl(said("one of the ports {ports} is expected", ports=PORTS))


def _split(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        port = parts.port  # raises when it is no number
    except ValueError as error:
        raise BadWebhookUrl(said("this is no address")) from error
    if not parts.hostname or port == 0 or not url.isascii() or any(sign <= " " or sign in '\\"<>\x7f' for sign in url):
        raise BadWebhookUrl(said("an address with a host is expected, in ASCII and without spaces"))
    return parts


def _is_loopback(host: str | None) -> bool:
    try:
        return host == "localhost" or ip_address(host or "").is_loopback
    except ValueError:
        return False
