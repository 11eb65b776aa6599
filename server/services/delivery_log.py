"""What became of everything that was sent to a webhook: for its owner, attempt by attempt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from server.models import Attempt, Delivery
from server.services import payloads


def attempts_of(session: Session, deliveries: Sequence[Delivery]) -> list[Attempt]:
    ids = [delivery.id for delivery in deliveries]
    return list(session.scalars(select(Attempt).where(Attempt.delivery_id.in_(ids)).order_by(Attempt.n)))


def told(delivery: Delivery, attempts: Sequence[Attempt]) -> dict[str, Any]:
    return {
        "id": delivery.id,
        "webhook_id": delivery.message_id,
        "type": payloads.TYPES.get(delivery.kind, delivery.kind),
        "game": delivery.game_id,
        "seat": delivery.seat,
        "decision": delivery.decision,
        "state": "sending" if delivery.state == "leased" else delivery.state,
        "reason": delivery.reason,
        "created_at": delivery.created_at,
        "next_at": delivery.next_at if delivery.state == "due" else None,
        "settled_at": delivery.settled_at,
        "attempts": [_attempt(attempt) for attempt in attempts if attempt.delivery_id == delivery.id],
    }


def _attempt(attempt: Attempt) -> dict[str, Any]:
    return {
        "number": attempt.n,
        "at": attempt.started_at,
        "outcome": attempt.outcome or "sending",
        "status": attempt.status,
        "ms": attempt.ms,
        "reply": attempt.reply,
        "answer": attempt.answer,
        "problem": attempt.problem,
        "detail": attempt.detail,
    }
