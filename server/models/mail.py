"""Mail both ways, and what a player left to be done for him: addresses that answer, letters that came, wishes, orders."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, LargeBinary, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from server.models.base import Base, one_of


class Preference(Base):
    """What an account wants to be told, how and when. Without a row everything is as it is by default."""

    __tablename__ = "preference"

    account_id: Mapped[str] = mapped_column(ForeignKey("account.id"), primary_key=True)
    kinds: Mapped[dict[str, Any]]  # kind of notice → channel → off, immediate, digest
    quiet: Mapped[dict[str, Any] | None]  # from, until: hours of the account's time zone
    digest_at: Mapped[str | None]  # the hour of the day's digest, in the account's time zone
    delay: Mapped[int]  # seconds that a mail about a turn waits
    reminders: Mapped[list[str]]  # after how long: ISO 8601 durations
    version: Mapped[int]


class Mute(Base):
    """A game that an account wants to hear nothing of."""

    __tablename__ = "mute"

    account_id: Mapped[str] = mapped_column(ForeignKey("account.id"), primary_key=True)
    game_id: Mapped[str] = mapped_column(ForeignKey("game.id"), primary_key=True)
    created_at: Mapped[datetime]


class Timer(Base):
    """Something to be done at a time: a row, so that no flush of a broker loses it, and none is done twice."""

    __tablename__ = "timer"
    __table_args__ = (
        UniqueConstraint("kind", "game_id", "decision", "seat", "step"),
        Index("ix_timer_fired_at_due_at", "fired_at", "due_at"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    kind: Mapped[str]  # reminder
    game_id: Mapped[str] = mapped_column(ForeignKey("game.id"), index=True)
    decision: Mapped[int]
    seat: Mapped[str]
    step: Mapped[int]
    due_at: Mapped[datetime]
    fired_at: Mapped[datetime | None]


class MailToken(Base):
    """An address of ours that answers: 128 random bits, stored as a digest. Its kind is the letter before the token."""

    __tablename__ = "mail_token"
    __table_args__ = (one_of("kind", "m", "i", "c", "d", "u", "b"),)

    digest: Mapped[str] = mapped_column(primary_key=True)
    kind: Mapped[str]  # m reply to a decision, i invitation, c confirmation, d digest, u unsubscribe, b bounce
    account_id: Mapped[str | None] = mapped_column(ForeignKey("account.id"), index=True)
    address: Mapped[str | None]  # of an invitation: whom it was sent to
    game_id: Mapped[str | None] = mapped_column(ForeignKey("game.id"), index=True)
    decision: Mapped[int | None]
    about: Mapped[str | None]  # kind of notice; id of the invitation; id of the letter that waits to be confirmed
    printed: Mapped[list[str] | None]  # the moves as numbered in that mail, in notation
    delivery_id: Mapped[str | None] = mapped_column(index=True)
    created_at: Mapped[datetime]
    used_at: Mapped[datetime | None]


class Letter(Base):
    """A mail that came in, whole, from the moment it is accepted until it is settled."""

    __tablename__ = "letter"
    __table_args__ = (
        one_of("state", "received", "held", "settled", "quarantined", "dropped"),
        UniqueConstraint("recipient_digest", "message_digest"),
        Index("ix_letter_state_received_at", "state", "received_at"),
    )

    id: Mapped[str] = mapped_column(primary_key=True)
    recipient_digest: Mapped[str]  # of the local part: it holds a token
    token_digest: Mapped[str | None] = mapped_column(index=True)
    kind: Mapped[str | None]  # the letter before the token
    message_digest: Mapped[str]  # of the Message-ID, or of the whole mail
    envelope_from: Mapped[str | None]
    raw: Mapped[bytes | None] = mapped_column(LargeBinary)  # gone when settled: it holds moves and addresses
    state: Mapped[str]
    outcome: Mapped[str | None]  # in a word: played, refused, help, status, held, stale, automatic, bounce …
    detail: Mapped[str | None] = mapped_column(Text)
    account_id: Mapped[str | None] = mapped_column(ForeignKey("account.id"), index=True)
    game_id: Mapped[str | None] = mapped_column(index=True)
    decision: Mapped[int | None]
    tries: Mapped[int] = mapped_column(default=0)
    received_at: Mapped[datetime]
    next_at: Mapped[datetime]  # when it is looked at, or looked at again if whoever did came to no end
    confirmed_at: Mapped[datetime | None]  # when the account said that it is from there, whatever its sender's address
    settled_at: Mapped[datetime | None]


class StandingOrders(Base):
    """What a seat left to be played for it. Private: nobody else learns that there are any."""

    __tablename__ = "standing_orders"

    game_id: Mapped[str] = mapped_column(ForeignKey("game.id"), primary_key=True)
    seat: Mapped[str] = mapped_column(primary_key=True)
    lines: Mapped[list[str]]  # what is left of them, as text
    stopped: Mapped[dict[str, Any] | None]  # why the queue ended before its end: template and values
    skipped: Mapped[list[str]]  # moves that could not be played, since its owner was asked last
    given_at: Mapped[datetime]
    given_turn: Mapped[int]
    given_event: Mapped[int]  # the newest event of the game when they were given
    version: Mapped[int]
