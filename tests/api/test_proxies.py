"""GALAPOST_TRUSTED_PROXIES: whom we believe, and whom we don't."""

from __future__ import annotations

import pytest

from server.config import Settings
from server.proxies import Trusting, client
from tests.playing import Person, on_one_database

KEY = "A" * 43 + "="
NONE, OURS = "", "10.0.0.0/8, 2001:db8::/32"

CASES = [  # trusted, peer, X-Forwarded-For, whom it comes from
    (NONE, "203.0.113.9", "198.51.100.1", "203.0.113.9"),
    (NONE, "127.0.0.1", "198.51.100.1", "127.0.0.1"),
    (OURS, "203.0.113.9", "198.51.100.1", "203.0.113.9"),
    (OURS, "10.0.0.1", "", "10.0.0.1"),
    (OURS, "10.0.0.1", "198.51.100.1", "198.51.100.1"),
    (OURS, "10.0.0.1", " 198.51.100.1 ", "198.51.100.1"),
    # what the client wrote himself stands at the left, and does not count
    (OURS, "10.0.0.1", "192.0.2.66, 198.51.100.1", "198.51.100.1"),
    (OURS, "10.0.0.1", "10.0.0.66, 198.51.100.1", "198.51.100.1"),
    (OURS, "10.0.0.1", "192.0.2.66,198.51.100.1, 10.0.0.2", "198.51.100.1"),
    (OURS, "10.0.0.1", "10.0.0.3, 10.0.0.2", "10.0.0.3"),
    # what can't be read
    (OURS, "10.0.0.1", "nonsense", "10.0.0.1"),
    (OURS, "10.0.0.1", "unknown, 10.0.0.2", "10.0.0.2"),
    (OURS, "10.0.0.1", "nonsense, 198.51.100.1", "198.51.100.1"),
    (OURS, "10.0.0.1", "198.51.100.1, nonsense", "10.0.0.1"),
    (OURS, "10.0.0.1", "198.51.100.1,", "10.0.0.1"),
    (OURS, "10.0.0.1", "198.51.100.256", "10.0.0.1"),
    (OURS, "10.0.0.1", "198.51.100.1:", "10.0.0.1"),
    (OURS, "10.0.0.1", "[]:80", "10.0.0.1"),
    (OURS, "10.0.0.1", "١٩٨.51.100.1", "10.0.0.1"),
    (OURS, "10.0.0.1", ", " * 4000, "10.0.0.1"),
    # ports, IPv6, and IPv4 in its clothes
    (OURS, "10.0.0.1", "198.51.100.1:4711", "198.51.100.1"),
    (OURS, "10.0.0.1", "2001:DB9::0001", "2001:db9::1"),
    (OURS, "10.0.0.1", "[2001:db9::1]:443", "2001:db9::1"),
    (OURS, "10.0.0.1", "[2001:db9::1]", "2001:db9::1"),
    (OURS, "10.0.0.1", "fe80::1%eth0", "fe80::1"),
    (OURS, "2001:db8::1", "198.51.100.1", "198.51.100.1"),
    (OURS, "::ffff:10.0.0.1", "::ffff:198.51.100.1", "198.51.100.1"),
    (OURS, "2001:db8::1%eth0", "198.51.100.1", "198.51.100.1"),
    (NONE, "::ffff:203.0.113.9", "", "203.0.113.9"),
    # a Unix socket
    (OURS, "", "198.51.100.1", ""),
    ("unix", "", "198.51.100.1", "198.51.100.1"),
    ("unix", "", "192.0.2.66, 198.51.100.1", "198.51.100.1"),
    ("unix", "", "198.51.100.1, nonsense", ""),
    ("unix", "127.0.0.1", "198.51.100.1", "127.0.0.1"),
    ("unix, 10.0.0.0/8", "", "198.51.100.1, 10.0.0.2", "198.51.100.1"),
    ("10.0.0.7", "10.0.0.7", "198.51.100.1", "198.51.100.1"),
    ("10.0.0.7", "10.0.0.8", "198.51.100.1", "10.0.0.8"),
    ("0.0.0.0/0, ::/0", "203.0.113.9", "192.0.2.66, 198.51.100.1", "192.0.2.66"),
]


@pytest.mark.parametrize(("trusted", "peer", "forwarded", "found"), CASES)
def test_the_right_most_that_is_no_proxy_of_ours_is_the_one(
    trusted: str, peer: str, forwarded: str, found: str
) -> None:
    settings = Settings.from_env({"GALAPOST_SECRET_KEY": KEY, "GALAPOST_TRUSTED_PROXIES": trusted})
    assert client(peer, forwarded, settings.trusted_proxies) == found


@on_one_database
def test_no_header_of_a_proxy_changes_a_link(ann: Person) -> None:
    settings = Settings.from_env({"GALAPOST_SECRET_KEY": KEY, "GALAPOST_TRUSTED_PROXIES": "127.0.0.1"})
    ann.app.wsgi_app = Trusting(ann.app.wsgi_app, settings.trusted_proxies)  # type: ignore[method-assign]
    told = {
        "X-Forwarded-For": "198.51.100.1",
        "X-Forwarded-Host": "evil.example",
        "X-Forwarded-Proto": "gopher",
        "X-Forwarded-Prefix": "/evil",
        "X-Forwarded-Port": "666",
        "Forwarded": "for=198.51.100.1;host=evil.example;proto=gopher",
        "Host": "evil.example",
    }
    game = ann.post("/games", {"seats": 2}, headers=told)
    assert game.json["links"]["view"] == f"http://127.0.0.1:8000/v1/games/{game.json['id']}/view"
    assert game.headers["Location"] == f"http://127.0.0.1:8000/v1/games/{game.json['id']}"
    for path in ("", "/nothing", "/docs", "/"):
        answer = ann.get(path, headers=told)
        assert b"evil" not in answer.data and "evil" not in str(answer.headers)
