"""Games in the database as they would stand after many moves, without the time that playing them over HTTP takes.

What is laid out for one viewer can be laid out once more as a twin: another state, another seed, and other cards in
everything in the log that he was not told.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from engine import Event, Move, State, apply, asked, dump, event_json, legal_moves, move_json, question
from engine.cards import KINDS
from engine.vocabulary import SEAT_LETTERS
from server import models, sealing
from server.database import transaction
from server.ids import new_id
from server.services import notifying
from tests.engine.play import game
from tests.hidden.twins import Viewer

NOW = datetime(2027, 3, 1, 18, 30, tzinfo=UTC)
PEOPLE = {"account", "bot", "token", "verification", "webhook_endpoint", "preference"}  # tables that stay as they are
SPEAKER = 1  # the seat that says something at the table
KEY = "invited" * 3 + "today"  # of an invitation; and of a link to unsubscribe, since nobody minds


@dataclass
class Answered:
    """A decision, the move that answered it, and what came of that."""

    seat: int
    kind: str
    move: Move
    events: list[Event]


@dataclass
class Table:
    """A game of the engine at one moment, with all that led there."""

    number: int
    state: State
    past: list[Answered] = field(default_factory=list)
    id: str = field(default_factory=lambda: new_id("g"))
    seed: bytes = b""
    spectators: str = "public"

    @property
    def decision(self) -> int:
        """The number of the open decision."""
        return len(self.past) + 1


def table_after(number: int, moves: int) -> Table:
    """Game `number` after so many random moves, or before its last one."""
    chance = random.Random(-number)
    made = Table(number, game(number), seed=number.to_bytes(32, "big"))
    while len(made.past) < moves:
        seat, open_question, before = asked(made.state), question(made.state), made.state.copy()
        assert seat is not None and open_question is not None
        kind, move = open_question.kind, chance.choice(legal_moves(made.state))
        events = apply(made.state, move)
        if asked(made.state) is None:
            made.state = before
            break
        made.past.append(Answered(seat, kind, move, events))
    return made


def lay_out(table: Table, accounts: list[str], state: State, viewer: Viewer = None, hides: int | None = None) -> None:
    """The rows of that game in that state. With `hides` it is a twin for this viewer: the number chooses the cards."""
    chance = None if hides is None else random.Random(hides)
    with transaction() as session:
        row = _game(table, accounts[0], state)
        if chance is not None:
            row.seed = chance.randbytes(32)  # the commitment is public, and stays
        session.add(row)
        session.flush()
        for letter, account in zip(SEAT_LETTERS, accounts[: len(state.players)], strict=False):
            session.add(models.Seat(game_id=table.id, letter=letter, account_id=account, joined_at=NOW))
        for number, answered in enumerate(table.past, start=1):
            _lay_down(session, table, row, number, answered, viewer, chance)
        _send_out(session, table, accounts, state)
        _open(session, table, row, state)


def _game(table: Table, host: str, state: State) -> models.Game:
    return models.Game(
        id=table.id, host_id=host, status="running", seats=len(state.players), options=dict(state.book.options),
        listed=True, join="open", spectators=table.spectators, start="automatic", seed=table.seed, commitment="c" * 64,
        state=dump(state), version=table.decision + 5, last_event=0, created_at=NOW, started_at=NOW,
    )  # fmt: skip


def _lay_down(
    session: Session,
    table: Table,
    row: models.Game,
    number: int,
    answered: Answered,
    viewer: Viewer,
    chance: random.Random | None,
) -> None:
    letter, said = SEAT_LETTERS[answered.seat], move_json(answered.move)
    if chance is not None and answered.seat != viewer and answered.move.word == "animal":
        card = chance.choice(KINDS)
        said = {"type": "animal", "card": card, "notation": f"animal {card}"}
    session.add(
        models.Decision(
            game_id=table.id, number=number, seat=letter, kind=answered.kind, opened_at=NOW, answered_at=NOW
        )
    )
    session.add(
        models.Move(game_id=table.id, number=number, seat=letter, notation=said["notation"], json=said, made_at=NOW)
    )
    for event in answered.events:
        row.last_event += 1
        data = event_json(event)
        if chance is not None:
            _disguise(data, viewer, chance)
        session.add(
            models.Event(
                game_id=table.id,
                number=row.last_event,
                type=event.type,
                decision=number,
                data=data,
                created_at=NOW,
            )
        )


def _disguise(data: dict[str, Any], viewer: Viewer, chance: random.Random) -> None:
    """Other cards, and as many, in what other seats alone were told."""
    for letter, secret in data.get("secrets", {}).items():
        if viewer is None or letter != SEAT_LETTERS[viewer]:
            for name, cards in secret.items():
                secret[name] = (
                    [chance.choice(KINDS) for _ in cards] if isinstance(cards, list) else chance.choice(KINDS)
                )


def _send_out(session: Session, table: Table, accounts: list[str], state: State) -> None:
    """What was sent before, as far as doors lead to it: an invitation that was taken, and mails that can be answered."""
    invited = {"kind": "account", "account_id": accounts[1], "state": "accepted", "settled_at": NOW, "expires_at": NOW}
    session.add(
        models.Invitation(
            id=f"i_{KEY}", game_id=table.id, inviter_id=accounts[0], token_digest=sealing.digest(KEY), created_at=NOW, **invited
        )
    )  # fmt: skip
    about = {"game_id": table.id, "created_at": NOW}
    session.add(models.Message(account_id=accounts[SPEAKER], number=1, text="Well met!", **about))
    session.add(
        models.MailToken(digest=sealing.digest(KEY), kind="u", account_id=accounts[0], about="your_turn", **about)
    )
    for seat, account in enumerate(accounts[: len(state.players)]):
        printed = [str(move) for move in legal_moves(state)] if seat == asked(state) else None
        digest, decision = sealing.digest(reply_key(seat)), table.decision if printed else None
        session.add(
            models.MailToken(digest=digest, kind="m", account_id=account, decision=decision, printed=printed, **about)
        )


def reply_key(seat: int) -> str:
    """Of the address to which that seat answers."""
    return SEAT_LETTERS[seat].lower() * 26


def _open(session: Session, table: Table, row: models.Game, state: State) -> None:
    """The decision that the game waits for, and the notices of it."""
    open_question = question(state)
    assert open_question is not None
    row.decision, row.asked_seat, row.question_kind = (
        table.decision,
        SEAT_LETTERS[open_question.seat],
        open_question.kind,
    )
    decision = models.Decision(
        game_id=row.id, number=row.decision, seat=row.asked_seat, kind=row.question_kind, opened_at=NOW
    )
    session.add(decision)
    session.flush()
    notifying.decision_opened(session, row, decision, NOW)


def clear_away() -> None:
    """No game is left, nor what was sent about one; the people stay."""
    with transaction() as session:
        for table in reversed(models.Base.metadata.sorted_tables):
            if table.name not in PEOPLE:
                session.execute(delete(table))


def account_ids(names: list[str]) -> list[str]:
    with transaction() as session:
        return [session.scalars(select(models.Account.id).where(models.Account.name == name)).one() for name in names]


def listen(account: str, url: str) -> None:
    """A webhook of that account for everything."""
    with transaction() as session:
        session.add(
            models.WebhookEndpoint(
                id=new_id("wh"), account_id=account, url=url, secret_sealed=sealing.seal("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"),
                types=list(notifying.WEBHOOK_TYPES.values()), active=True, created_at=NOW,
            )
        )  # fmt: skip
