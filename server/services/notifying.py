"""Who is told what: the rows that an occasion puts into the outbox, and whether a notice is still true.

What a webhook says is made here, at commit; what a mail says is made when it is sent (`letters.py`)."""

import json
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from server import links
from server.models import Account, Decision, Delivery, Game, Seat, Verification, WebhookEndpoint
from server.services import outbox

WEBHOOK_TYPES = {"your_turn": "turn.opened", "game_started": "game.started", "game_over": "game.over"}


def decision_opened(session: Session, game: Game, decision: Decision, now: datetime) -> None:
    """It is somebody's turn: tell the seat that owes the decision."""
    seats = [seat for seat in _seats(session, game) if seat.letter == decision.seat]
    _tell(session, "your_turn", game, seats, now, decision)


def game_started(session: Session, game: Game, now: datetime) -> None:
    _tell(session, "game_started", game, _seats(session, game), now)


def game_over(session: Session, game: Game, now: datetime) -> None:
    _tell(session, "game_over", game, _seats(session, game), now)


def verification(
    session: Session, verification: Verification, email: str, code: str, language: str, now: datetime
) -> None:
    """A mail with the code. The code leaves the database with the mail."""
    outbox.post(
        session, kind="verification", channel="email", dedupe_key=f"verification:{verification.id}", now=now, address=email,
        payload={"verification": verification.id, "code": code, "language": language},
    )  # fmt: skip


def untrue(session: Session, delivery: Delivery, now: datetime) -> str | None:
    """Why a notice must not be sent any more, looked up just before sending; None while it holds."""
    if recipient(session, delivery) is None:
        return "no-address" if delivery.channel == "email" else "endpoint-disabled"
    if delivery.kind == "your_turn":
        return _answered(session, delivery)
    if delivery.kind == "verification":
        return _useless(session, delivery, now)
    return None


def recipient(session: Session, delivery: Delivery) -> Any:
    """The address of a mail, the endpoint of a webhook; None when there is none (any more)."""
    if delivery.channel == "webhook":
        endpoint = session.get(WebhookEndpoint, delivery.endpoint_id)
        return endpoint if endpoint is not None and endpoint.active else None
    if delivery.address is not None:
        return delivery.address
    account = session.get(Account, delivery.account_id)
    return account.email if account is not None else None


def _answered(session: Session, delivery: Delivery) -> str | None:
    query = select(Game.decision, Game.asked_seat, Game.status).where(Game.id == delivery.game_id)
    owed = session.execute(query).one_or_none()
    return None if owed is not None and tuple(owed) == (delivery.decision, delivery.seat, "running") else "answered"


def _useless(session: Session, delivery: Delivery, now: datetime) -> str | None:
    asked = session.get(Verification, (delivery.payload or {}).get("verification"))
    if asked is None or asked.used_at is not None:
        return "used"
    if asked.expires_at <= now:
        return "expired"
    newer = select(Verification.id).where(Verification.email == asked.email, Verification.created_at > asked.created_at)
    return "replaced" if session.scalar(newer.limit(1)) else None  # only the newest code is good


def _tell(
    session: Session, kind: str, game: Game, seats: Iterable[Seat], now: datetime, decision: Decision | None = None
) -> None:
    """A row for each recipient and channel."""
    number = decision.number if decision is not None else None
    for seat in seats:
        about: dict[str, Any] = {"kind": kind, "game_id": game.id, "seat": seat.letter, "decision": number}
        about |= {"account_id": seat.account_id, "now": now}
        key = ":".join((kind, game.id, str(number or ""), seat.letter))
        if seat.account.email is not None:
            outbox.post(session, channel="email", dedupe_key=f"{key}:email", **about)
        for endpoint in _endpoints(session, seat.account_id, WEBHOOK_TYPES[kind]):
            about |= {"endpoint_id": endpoint.id, "payload": {"body": _body(kind, game, seat, decision, now)}}
            outbox.post(session, channel="webhook", dedupe_key=f"{key}:{endpoint.id}", **about)


def _seats(session: Session, game: Game) -> list[Seat]:
    return list(session.scalars(select(Seat).where(Seat.game_id == game.id).order_by(Seat.letter)))


def _endpoints(session: Session, account_id: str, kind: str) -> list[WebhookEndpoint]:
    query = (
        select(WebhookEndpoint)
        .where(WebhookEndpoint.account_id == account_id, WebhookEndpoint.active)
        .order_by(WebhookEndpoint.id)
    )
    return [endpoint for endpoint in session.scalars(query) if kind in endpoint.types]


def _body(kind: str, game: Game, seat: Seat, decision: Decision | None, now: datetime) -> str:
    """The exact text that will be signed. Thin, and never a card: its reader asks the API with his own token."""
    data: dict[str, Any] = {"game": game.id, "seat": seat.letter}
    if decision is not None:
        data |= {"decision": decision.number, "kind": decision.kind}
    data["links"] = links.of_game(game.id)
    at = now.isoformat(timespec="seconds").replace("+00:00", "Z")
    return json.dumps({"type": WEBHOOK_TYPES[kind], "timestamp": at, "data": data}, separators=(",", ":"))
