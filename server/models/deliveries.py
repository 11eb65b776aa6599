"""The outbox: what is promised to whom, every attempt to keep it, and where webhooks go."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, Text, UniqueConstraint, false
from sqlalchemy.orm import Mapped, mapped_column

from server.models.base import Base, one_of


class WebhookEndpoint(Base):
    __tablename__ = "webhook_endpoint"

    id: Mapped[str] = mapped_column(primary_key=True)
    account_id: Mapped[str] = mapped_column(ForeignKey("account.id"), index=True)
    url: Mapped[str]
    secret_sealed: Mapped[str]
    types: Mapped[list[str]]
    format: Mapped[str] = mapped_column(default="standard", server_default="standard")
    answers: Mapped[bool] = mapped_column(default=False, server_default=false())  # may play in what it answers
    retired: Mapped[dict[str, Any] | None]  # secrets that sign, too, for a while: sealed → until when
    active: Mapped[bool]
    prompt: Mapped[bool] = mapped_column(default=False, server_default=false())  # took its last attempt, and quickly
    failing_since: Mapped[datetime | None]  # the first of the failures that nothing interrupted so far
    failed_at: Mapped[datetime | None]  # the last of them
    version: Mapped[int] = mapped_column(default=1, server_default="1")
    created_at: Mapped[datetime]
    disabled_at: Mapped[datetime | None]
    disabled_reason: Mapped[str | None]  # owner, gone, failing


class Delivery(Base):
    """One promise: this notice, to this recipient, over this channel."""

    __tablename__ = "delivery"
    __table_args__ = (
        one_of("channel", "email", "webhook"),
        Index("ix_delivery_account_id_created_at", "account_id", "created_at", "id"),
        Index("ix_delivery_endpoint_id_created_at", "endpoint_id", "created_at", "id"),
        one_of("state", "due", "leased", "sent", "batched", "suppressed", "obsolete", "dead"),
        Index("ix_delivery_state_next_at", "state", "next_at"),
    )

    id: Mapped[str] = mapped_column(primary_key=True)
    kind: Mapped[str]
    channel: Mapped[str]
    account_id: Mapped[str | None] = mapped_column(ForeignKey("account.id"))
    address: Mapped[str | None]
    endpoint_id: Mapped[str | None] = mapped_column(ForeignKey("webhook_endpoint.id"))
    game_id: Mapped[str | None] = mapped_column(ForeignKey("game.id"), index=True)
    seat: Mapped[str | None]
    decision: Mapped[int | None]
    payload: Mapped[dict[str, Any] | None]
    dedupe_key: Mapped[str] = mapped_column(unique=True)
    state: Mapped[str]
    reason: Mapped[str | None]  # why obsolete, dead or suppressed
    mode: Mapped[str] = mapped_column(default="immediate", server_default="immediate")  # or digest: waits for a batch
    batch_id: Mapped[str | None] = mapped_column(index=True)  # the digest that told it
    attempts: Mapped[int] = mapped_column(default=0)
    earlier_attempts: Mapped[int] = mapped_column(default=0, server_default="0")  # before it was asked for again
    again: Mapped[bool] = mapped_column(default=False, server_default=false())  # its recipient wants it, true or not
    fence: Mapped[int] = mapped_column(default=0)
    next_at: Mapped[datetime]
    lease_owner: Mapped[str | None]
    lease_until: Mapped[datetime | None]
    message_id: Mapped[str]  # the same on every retry
    rendered: Mapped[str | None] = mapped_column(Text)  # the finished message, from the first attempt until settled
    created_at: Mapped[datetime]
    settled_at: Mapped[datetime | None]


class Attempt(Base):
    """Written before the send, settled after it."""

    __tablename__ = "attempt"
    __table_args__ = (
        one_of("outcome", "sent", "transient", "permanent", "ambiguous"),
        UniqueConstraint("delivery_id", "n"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    delivery_id: Mapped[str] = mapped_column(ForeignKey("delivery.id"), index=True)
    n: Mapped[int]
    fence: Mapped[int]
    started_at: Mapped[datetime]
    finished_at: Mapped[datetime | None]
    outcome: Mapped[str | None]
    status: Mapped[int | None]
    reply: Mapped[str | None] = mapped_column(Text)
    answer: Mapped[
        str | None
    ]  # what became of the move in the reply: played, closed, later, refused, unreadable, failed
    problem: Mapped[str | None]  # the code of the refusal
    detail: Mapped[str | None] = mapped_column(Text)
    ms: Mapped[int | None]
