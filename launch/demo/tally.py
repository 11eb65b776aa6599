"""Compares what the database promised with what arrived."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from server.models import Attempt, Decision, Delivery, Move, Seat, WebhookEndpoint

Answered = Mapping[tuple[str, int], datetime]  # when the bot had the server's word that its answer counts


@dataclass
class Tally:
    moves: int
    emails: int
    webhooks: int
    lost: list[str] = field(default_factory=list)
    stale: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)  # what must not be, and is neither lost nor stale

    def line(self) -> str:
        delivered = f"{self.moves} moves, {self.emails} e-mails, {self.webhooks} webhooks"
        return f"demo: {delivered}, {len(self.lost)} lost, {len(self.stale)} stale"

    def complaints(self) -> list[str]:
        return [f"{kind}: {what}" for kind in ("lost", "stale", "wrong") for what in getattr(self, kind)]

    def is_clean(self) -> bool:
        return not (self.lost or self.stale or self.wrong)


def unsettled(session: Session) -> int:
    """How many deliveries are still on their way."""
    return session.scalars(select(func.count()).where(Delivery.state.in_(("due", "leased")))).one()


def count(session: Session, answered: Answered, emails: Sequence[str], webhooks: Sequence[str]) -> Tally:
    """`emails` and `webhooks` are the identities found at the receivers, one for every copy."""
    arrived = Counter([*emails, *webhooks])
    deliveries = list(session.scalars(select(Delivery)))
    tally = Tally(len(answered), len(emails), len(webhooks))
    tally.lost += _promised_nothing(session, deliveries)
    tally.lost += (f"{_name(one)}: {one.state}" for one in deliveries if not (_is_moot(one) or arrived[one.message_id]))
    tally.stale += _stale(session, deliveries, answered, arrived)
    tally.wrong += _extra(session, deliveries, arrived)
    if (committed := session.scalars(select(func.count()).select_from(Move)).one()) != len(answered):
        tally.wrong.append(f"{len(answered)} moves were acknowledged, {committed} are in the database")
    return tally


def _is_moot(one: Delivery) -> bool:
    """No longer true, or of a kind that its recipient has switched off."""
    return one.state == "obsolete" or (one.state, one.reason) == ("suppressed", "off")


def _promised_nothing(session: Session, deliveries: Sequence[Delivery]) -> Iterator[str]:
    """Decisions that were opened without a row for the mail and one for every webhook of the seat."""
    promised = Counter((one.game_id, one.decision, one.channel) for one in deliveries if one.kind == "your_turn")
    endpoints = Counter(session.scalars(select(WebhookEndpoint.account_id)))
    seats = {(seat.game_id, seat.letter): seat.account_id for seat in session.scalars(select(Seat))}
    for decision in session.scalars(select(Decision)):
        expected = {"email": 1, "webhook": endpoints[seats[decision.game_id, decision.seat]]}
        for channel, number in expected.items():
            if promised[decision.game_id, decision.number, channel] < number:
                yield f"decision {decision.number} of {decision.game_id}: no {channel} was promised"


def _stale(
    session: Session, deliveries: Sequence[Delivery], answered: Answered, arrived: Counter[str]
) -> Iterator[str]:
    """Notices of a turn that arrived by an attempt begun after the answer to it had been acknowledged."""
    begun = {
        attempt.delivery_id: attempt.started_at for attempt in session.scalars(select(Attempt).order_by(Attempt.n))
    }
    for one in deliveries:
        if one.kind == "your_turn" and arrived[one.message_id] and one.game_id is not None and one.decision is not None:
            answer = answered.get((one.game_id, one.decision))
            if answer is not None and begun[one.id] > answer:
                yield f"{_name(one)}: attempt at {begun[one.id]:%T.%f}, answered at {answer:%T.%f}"


def _extra(session: Session, deliveries: Sequence[Delivery], arrived: Counter[str]) -> Iterator[str]:
    """Copies beyond those that an ambiguous attempt explains, and things that nobody promised."""
    ambiguous = Counter(session.scalars(select(Attempt.delivery_id).where(Attempt.outcome == "ambiguous")))
    ids = {one.message_id: one for one in deliveries}
    for identity, copies in arrived.items():
        if identity not in ids:
            yield f"{identity} arrived, but nobody promised it"
        elif copies > 1 + ambiguous[ids[identity].id]:
            yield f"{_name(ids[identity])}: {copies} copies"


def _name(one: Delivery) -> str:
    return f"{one.channel} {one.kind} {one.message_id} of decision {one.decision}"
