"""Letters of every kind, to the players of a game and of its twin: text, page and picture are the same, byte by byte."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy.orm import Session

from engine import State, asked
from engine.vocabulary import SEAT_LETTERS
from server.config import Settings
from server.database import transaction
from server.models import Delivery, Game
from server.services import letters, outbox
from server.services.letters import templates
from tests.hidden.doors import without_lots
from tests.hidden.houses import House, moment
from tests.hidden.tables import NOW, SPEAKER, Table, clear_away, lay_out
from tests.hidden.twins import hands_differ, twin
from tests.playing import on_one_database

# Those with a table in them, or with what happened there, and what each needs to know beside it.
PAYLOADS: dict[str, dict[str, Any] | None] = {
    "your_turn": None, "reminder": None, "attacked": None, "game_started": None, "game_cancelled": None,
    "message": {"message": 1},
    "reply": {"answers": [], "help": True, "asked": True, "plain": False, "orders": ["defend run"]},
}  # fmt: skip
TO_WHO_IS_ASKED = ("your_turn", "reminder")
AT_THE_END = {"game_over"}  # in `test_twins_over_http`: one of its moves ends a game
WITHOUT_A_TABLE = {
    *("verification", "email_change", "email_changed", "webhook_disabled", "unsubscribed", "test"),
    *("invitation", "note", "confirm_letter", "confirm_resignation"),
}
PARTS = {"layout", "footer", "commands", "by_orders"}  # of other letters


@on_one_database
@pytest.mark.parametrize("number", [59, 30])
def test_letters_of_every_kind_are_the_same_in_twins(house: House, number: int) -> None:
    table, _, chance = moment(number)
    mover = asked(table.state)
    others = [seat for seat in range(len(table.state.players)) if seat != mover]
    for seat in (mover, chance.choice(others)):
        assert seat is not None
        other = twin(table.state, seat, chance)
        assert hands_differ(table.state, other)
        written, its = _written(house, table, table.state, seat), _written(house, table, other, seat, chance.random())
        assert written.keys() == set(_kinds(table, seat)) | {"digest"}
        for kind, letter in written.items():
            assert letter == its[kind], f"table {number}, seat {seat}, {kind}"
            assert kind == "digest" or "\x89PNG" in letter


def _written(house: House, table: Table, state: State, seat: int, hides: float | None = None) -> dict[str, str]:
    lay_out(table, house.accounts, state, seat, hides)
    with transaction() as session:
        session.get_one(Game, table.id).ended_by = "cancellation"  # as what was cancelled says
        rows = list(_rows(session, table, seat, house.accounts[seat]))
        found = {row.kind: _as_read(session, row, house.app.config["GALAPOST"]) for row in rows}
    clear_away()
    return found


def _kinds(table: Table, seat: int) -> list[str]:
    """What that seat could be told; nobody is told what he said himself."""
    others = () if seat == asked(table.state) else TO_WHO_IS_ASKED
    return [kind for kind in PAYLOADS if kind not in others and (kind != "message" or seat != SPEAKER)]


def _rows(session: Session, table: Table, seat: int, account: str) -> Iterator[Delivery]:
    """A notice of each kind; the last is a digest of the others."""
    about = {"channel": "email", "account_id": account}
    digest = outbox.post(session, kind="digest", dedupe_key="digest", now=NOW, **about)
    assert digest is not None
    for place, kind in enumerate(_kinds(table, seat)):
        of_game = {"game_id": table.id, "seat": SEAT_LETTERS[seat], "decision": table.decision}
        then = NOW + timedelta(seconds=place)  # a digest tells them in this order
        row = outbox.post(session, kind=kind, dedupe_key=kind, payload=PAYLOADS[kind], now=then, **of_game, **about)
        assert row is not None
        row.batch_id = digest.id
        yield row
    session.flush()
    yield digest


def _as_read(session: Session, row: Delivery, settings: Settings) -> str:
    return without_lots(letters.write(session, row, settings, NOW).mail, row)


def test_no_kind_of_letter_is_forgotten() -> None:
    """A new one is written to twins here, or has nothing of a table in it."""
    found = {file.stem for file in (templates.FOLDER / "mail" / "en").glob("*.txt")}
    assert found == set(PAYLOADS) | {"digest"} | AT_THE_END | WITHOUT_A_TABLE | PARTS
