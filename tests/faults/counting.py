"""What was promised beside what arrived, and what is wrong with it.

The promises are taken from the games, not from the outbox: every decision that somebody was asked has to have its notices.
Each of those has arrived, or is rightly obsolete, or is dead and visible where the case is about that."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from server.database import reading
from server.models import Account, Attempt, Decision, Delivery, Game, Move, Seat, WebhookEndpoint
from tests.faults.journal import Receipt
from tests.faults.stage import Stage
from tests.faults.tables import Answered, Ledger

TURN = "your_turn"
OFF_BY_DEFAULT = ("attacked",)  # as mails; nobody on a stage has asked for them
SHOWN = 5  # faults of a kind that are told


@dataclass
class Count:
    committed: int = 0
    received: int = 0
    distinct: int = 0
    lost: int = 0
    extra: int = 0
    ambiguous: int = 0
    stale: int = 0
    obsolete: int = 0
    dead: int = 0
    wrong: list[str] = field(default_factory=list)
    attempts: Counter[str] = field(default_factory=Counter)  # what came of them, in words

    def line(self) -> str:
        names = ("committed", "received", "distinct", "lost", "extra", "ambiguous", "stale", "obsolete", "dead")
        return " ".join(f"{name}={getattr(self, name)}" for name in names)

    def lose(self, what: str, how_many: int) -> None:
        self.lost += how_many
        if how_many:
            self.wrong.append(f"{how_many} lost: {what}")


@dataclass
class Found:
    """The database at the end of a case, less what was there before it."""

    rows: list[Delivery]
    attempts: dict[str, list[Attempt]]
    games: list[Game]
    decisions: dict[str, list[Decision]]
    answered_by: dict[tuple[str, int], str]
    channels: dict[tuple[str, str], list[str]]  # game and seat → email and ids of webhooks

    @classmethod
    def read(cls, before: set[str]) -> Found:
        """`before`: ids of games and deliveries that are none of this case's."""
        with reading() as session:
            rows = [row for row in session.scalars(select(Delivery)) if row.id not in before]
            games = [game for game in session.scalars(select(Game)) if game.id not in before]
            found = cls(
                rows,
                _by(session, Attempt, "delivery_id"),
                games,
                _by(session, Decision, "game_id"),
                {(move.game_id, move.number): move.by for move in session.scalars(select(Move))},
                _channels(session, games),
            )
            session.expunge_all()
            return found


def ids() -> set[str]:
    with reading() as session:
        return set(session.scalars(select(Delivery.id))) | set(session.scalars(select(Game.id)))


def _by(session: Session, model: Any, column: str) -> dict[str, list[Any]]:
    grouped: dict[str, list[Any]] = defaultdict(list)
    for row in session.scalars(select(model)):
        grouped[getattr(row, column)].append(row)
    return grouped


def _channels(session: Session, games: list[Game]) -> dict[tuple[str, str], list[str]]:
    endpoints = defaultdict(list)
    for endpoint in session.scalars(select(WebhookEndpoint)):
        endpoints[endpoint.account_id].append(endpoint.id)
    emails = {id for id, email in session.execute(select(Account.id, Account.email)) if email is not None}
    return {
        (seat.game_id, seat.letter): [*(["email"] if seat.account_id in emails else []), *endpoints[seat.account_id]]
        for game in games
        for seat in session.scalars(select(Seat).where(Seat.game_id == game.id))
    }


def count(stage: Stage, ledger: Ledger, before: set[str], deaths: frozenset[str] | set[str] = frozenset()) -> Count:
    """`deaths`: reasons for which a notice may be dead here."""
    found = Found.read(before)
    receipts = _receipts(stage, before)
    told = Count(committed=len(found.rows))
    _count_promises(told, found, ledger)
    _count_copies(told, found, receipts)
    _count_fates(told, found, receipts, deaths)
    _count_stale(told, found, receipts, {(one.game, one.decision): one.at for one in ledger.answered})
    return told


def _receipts(stage: Stage, before: set[str]) -> dict[str, list[Receipt]]:
    with reading() as session:
        old = set(session.scalars(select(Delivery.message_id).where(Delivery.id.in_(before))))
    grouped: dict[str, list[Receipt]] = defaultdict(list)
    for receipt in stage.journal.receipts():
        if receipt.id not in old:
            grouped[receipt.id].append(receipt)
    return grouped


def _count_promises(told: Count, found: Found, ledger: Ledger) -> None:
    """Every answer that was acknowledged is there, and for every question the rows that tell of it."""
    decisions = {(one.game_id, one.number): one for many in found.decisions.values() for one in many}
    gone = [one for one in ledger.answered if not _is_answered(decisions, one)]
    told.lose(f"acknowledged moves {gone[:SHOWN]}", len(gone))
    keys = Counter((row.kind, row.game_id, row.decision, row.seat, row.endpoint_id or "email") for row in found.rows)
    missing = []
    for game in found.games:
        asked = [(TURN, one.number, one.seat) for one in found.decisions[game.id] if _by_hand(found, one)]
        over = (
            [("game_over", None, seat) for of, seat in found.channels if of == game.id] if game.status == "over" else []
        )
        for kind, number, letter in (*asked, *over):
            missing += [
                (kind, game.id, number, letter, channel)
                for channel in found.channels[game.id, letter]
                if not keys[kind, game.id, number, letter, channel]
            ]
    told.lose(f"never promised {missing[:SHOWN]}", len(missing))
    twice = [key for key, times in keys.items() if times > 1 and key[0] == TURN]
    if twice:
        told.wrong.append(f"promised twice: {twice[:SHOWN]}")


def _is_answered(decisions: dict[tuple[str, int], Decision], one: Answered) -> bool:
    decision = decisions.get((one.game, one.decision))
    return decision is not None and decision.answered_at is not None


def _by_hand(found: Found, decision: Decision) -> bool:
    """Somebody was asked: it waits, or a person has answered."""
    return found.answered_by.get((decision.game_id, decision.number), "hand") == "hand"


def _count_copies(told: Count, found: Found, receipts: dict[str, list[Receipt]]) -> None:
    promised = {row.message_id for row in found.rows}
    told.received = sum(map(len, receipts.values()))
    told.distinct = len(promised & receipts.keys())
    told.extra = told.received - told.distinct
    told.ambiguous = sum(
        attempt.outcome in (None, "ambiguous") for row in found.rows for attempt in found.attempts[row.id]
    )
    told.attempts.update(
        f"{attempt.outcome} {attempt.status or ''} {(attempt.reply or '')[:60]!r}"
        for row in found.rows
        for attempt in found.attempts[row.id]
    )
    invented = receipts.keys() - promised
    if invented:
        told.wrong.append(f"nobody promised {sorted(invented)[:SHOWN]}")
    different = [id for id, copies in receipts.items() if len({copy.digest for copy in copies}) > 1]
    if different:
        told.wrong.append(f"copies that differ: {different[:SHOWN]}")


def _count_fates(told: Count, found: Found, receipts: dict[str, list[Receipt]], deaths: Any) -> None:
    lost = []
    newest: dict[tuple[Any, ...], int] = defaultdict(int)
    for row in found.rows:
        key = (row.kind, row.game_id, row.account_id, row.endpoint_id)
        newest[key] = max(newest[key], row.decision or 0)
    games = {game.id: game for game in found.games}
    for row in found.rows:
        arrived = row.message_id in receipts
        rightly = row.state == "obsolete" and (
            (row.reason == "replaced" and newest[row.kind, row.game_id, row.account_id, row.endpoint_id] > (row.decision or 0))
            or (row.reason == "answered" and games[str(row.game_id)].decision != row.decision)
        )  # fmt: skip
        dead = row.state in ("dead", "suppressed") and row.reason in deaths
        off = row.state == "suppressed" and row.reason == "off" and row.kind in OFF_BY_DEFAULT and not row.attempts
        told.obsolete += row.state == "obsolete"
        told.dead += row.state == "dead"
        if not (rightly or dead or off or (row.state == "sent" and arrived)):
            lost.append((row.id, row.kind, row.channel, row.state, row.reason, f"attempts {row.attempts}", arrived))
    told.lose(f"{lost[:SHOWN]}", len(lost))


def _count_stale(
    told: Count, found: Found, receipts: dict[str, list[Receipt]], answered: dict[tuple[str, int], float]
) -> None:
    """A turn notice that was begun when its decision had been answered for good: what was begun before may arrive."""
    for row in found.rows:
        done = answered.get((str(row.game_id), row.decision or 0))
        if row.kind != TURN or done is None:
            continue
        late = [one for one in receipts.get(row.message_id, ()) if one.began > done]
        late = [one for one in late if not any(_explains(attempt, one, done) for attempt in found.attempts[row.id])]
        told.stale += len(late)
        if late:
            told.wrong.append(f"stale: {row.id}, answered at {done:.3f}, begun at {late[0].began:.3f}")


def _explains(attempt: Attempt, receipt: Receipt, done: float) -> bool:
    """Begun before the answer, and not over when the copy was begun."""
    over = attempt.finished_at is not None and attempt.outcome in ("transient", "permanent")
    return _time(attempt.started_at) <= done and not (over and _time(attempt.finished_at) < receipt.began)


def _time(at: datetime | None) -> float:
    return at.timestamp() if at is not None else 0.0
