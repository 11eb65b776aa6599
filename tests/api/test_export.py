"""Everything that is stored about me, and nothing else."""

from __future__ import annotations

import json
from typing import Any

from flask import Flask
from sqlalchemy import inspect

from server.models import Base, NeverInvite
from server.services import addresses, exporting
from tests.api import lives
from tests.playing import Person, problem, running_game, whose_turn

# Of the rows that are exported, what is not, and why.
SECRET = "whoever reads it can do more than the token that asks"
KNOWN = "it is the account itself, or the game that the row stands under"
OURS = "how the server gets its work done; it says nothing of anybody"
OTHERS = "it would tell of others: whether an address is known, what it got"
WITHHELD = {
    "account": {"name_key": OURS, "deleted_at": OURS},
    "attempt": {"id": OURS, "delivery_id": KNOWN, "fence": OURS},
    "bot": {"account_id": KNOWN, "owner_id": KNOWN},
    "decision": {"game_id": KNOWN, "seat": KNOWN},
    "delivery": {
        "account_id": KNOWN,
        "payload": SECRET,
        "rendered": SECRET,
        "dedupe_key": OURS,
        "fence": OURS,
        "lease_owner": OURS,
        "lease_until": OURS,
    },
    "feed": {"account_id": KNOWN},
    "feed_item": {"account_id": KNOWN},
    "invitation": {
        "inviter_id": OTHERS,
        "account_id": OTHERS,
        "email_digest": OTHERS,
        "mailed_at": OTHERS,
        "token_digest": SECRET,
    },
    "letter": {
        "account_id": KNOWN,
        "recipient_digest": SECRET,
        "token_digest": SECRET,
        "message_digest": OURS,
        "raw": SECRET,
    },
    "mail_token": {"account_id": KNOWN, "digest": SECRET, "delivery_id": OURS},
    "message": {"account_id": KNOWN},
    "move": {"game_id": KNOWN, "seat": KNOWN},
    "mute": {"account_id": KNOWN},
    "preference": {"account_id": KNOWN},
    "repetition": {"account_id": KNOWN, "fingerprint": OURS},
    "seat": {"game_id": KNOWN, "account_id": KNOWN},
    "standing_orders": {"game_id": KNOWN, "seat": KNOWN},
    "token": {"account_id": KNOWN, "digest": SECRET},
    "verification": {"account_id": KNOWN, "code_digest": SECRET},
    "webhook_endpoint": {"account_id": KNOWN, "secret_sealed": SECRET, "retired": SECRET},
}
# Tables that hold a hint of an account, and are told otherwise.
OTHERWISE = {"game": "its public summary, with whether it is hosted", NeverInvite.__tablename__: "whether one is there"}


def columns(kind: type[Base]) -> set[str]:
    return {attribute.key for attribute in inspect(kind).column_attrs}


def test_no_table_that_knows_an_account_or_an_address_is_forgotten() -> None:
    exported = {kind.__tablename__ for kind in exporting.COLUMNS}
    assert {column.table.name for column in lives.personal()} <= exported | OTHERWISE.keys()


def test_no_column_is_forgotten() -> None:
    for kind, told in exporting.COLUMNS.items():
        names = told.split()
        assert len(names) == len(set(names)) and not set(names) & WITHHELD[kind.__tablename__].keys()
        assert columns(kind) == set(names) | WITHHELD[kind.__tablename__].keys(), kind.__tablename__


def test_a_whole_life_is_in_it(app: Flask) -> None:
    life = lives.lived(app)
    assert {str(column) for column in lives.personal()} == lives.holding(
        life.accounts | {lives.NEW, addresses.digest(lives.NEW)}
    )
    export = life.person.seen("/me/export")
    empty = {key for key, value in export.items() if value in ([], {}, None, False)}
    assert not empty, f"{empty} of this life is empty"
    games = {entry["game"]["id"]: entry for entry in export["games"]}
    assert set(games) >= {life.running, life.offered, life.joined}
    assert games[life.offered]["hosted"] and not games[life.joined]["hosted"]
    seat = games[life.running]["seat"]
    assert seat["letter"] == "B" and seat["orders"]["lines"] == ["pass"]
    assert [decision["move"] is not None for decision in seat["decisions"]].count(True) >= 2
    assert [message["text"] for message in export["messages"]] == [lives.SAID]
    (bot,) = export["bots"]
    assert bot["account"]["name"] == "Fitzroy" and bot["games"][0]["game"]["id"] == life.over
    assert [token["name"] for token in bot["tokens"]] == ["t"]
    assert {mail["address"] for mail in export["deliveries"]} >= {lives.OLD, lives.NEW}
    assert any(f"550 {lives.NEW} unknown" == entry["reply"] for mail in export["deliveries"] for entry in mail["log"])


def test_no_secret_is_in_it(app: Flask) -> None:
    life = lives.lived(app)
    text = life.person.get("/me/export").text
    assert lives.NEW in text
    for secret in (str(life.person.token), str(life.bot.token), "whsec_", "code_digest", "payload"):
        assert secret not in text
    assert life.person.get("/me/export").headers["Cache-Control"] == "no-store"


def test_a_stranger_is_not_in_it(app: Flask, eve: Person) -> None:
    life = lives.lived(app)
    eves = eve.seen("/me/export")
    assert [key for key, value in eves.items() if value not in ([], None, False)] == [
        "made_at",
        "account",
        "tokens",
        "verifications",
        "deliveries",
    ]
    for of_darwin in (*life.accounts, "Darwin", lives.OLD, lives.NEW, life.running):
        assert of_darwin not in json.dumps(eves)


def test_no_hand_but_what_he_played_is_in_it(ann: Person, bob: Person) -> None:
    """Bob's first card lies face down: Ann's export is the same whatever it is."""
    game = running_game(ann, bob, spectators="public")
    for _ in range(4):
        player, number = whose_turn(game, ann, bob)
        player.made(f"/games/{game}/moves", {"decision": number, "move": player.legal(game)[0]})
    exports: dict[str, Any] = {who.name: who.seen("/me/export")["games"][0] for who in (ann, bob)}
    moves = {name: [entry["move"] for entry in told["seat"]["decisions"]] for name, told in exports.items()}
    assert moves["Bob"][0]["notation"].startswith("animal ")
    assert set(exports["Ann"]["game"]) == set(ann.seen(f"/games/{game}"))
    assert exports["Ann"]["game"] == ann.seen(f"/games/{game}") == exports["Bob"]["game"]
    assert {move["number"] for move in moves["Ann"] if move}.isdisjoint(move["number"] for move in moves["Bob"] if move)


def with_scopes(person: Person, *scopes: str) -> Person:
    made = person.made("/me/tokens", {"name": "narrow", "scopes": list(scopes)})
    return Person(person.app, made["token"], person.name)


def test_a_token_that_may_see_no_hand_gets_no_export_either(ann: Person, bob: Person) -> None:
    """The moves in it name cards that lie face down, and so do those that were printed in mails."""
    running_game(ann, bob)
    refusal = problem(with_scopes(ann, "account").get("/me/export"), 403, "insufficient-scope")
    assert refusal["needed"] == ["games:play", "games:read"]
    for scope in ("games:play", "games:read"):
        assert with_scopes(ann, "account", scope).seen("/me/export")["games"]


def test_a_token_that_makes_none_for_the_bots_tells_nothing_that_they_played(ann: Person) -> None:
    ann.made("/bots", {"name": "Fitzroy", "accepts": {"seats": [2]}})
    refusal = problem(with_scopes(ann, "account", "games:read").get("/me/export"), 403, "insufficient-scope")
    assert refusal["needed"] == ["bots"]
    assert with_scopes(ann, "account", "games:read", "bots").seen("/me/export")["bots"]
