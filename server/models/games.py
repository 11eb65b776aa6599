"""A game: its seats, the decisions that were asked, the moves that answered them, the events that followed."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import CheckConstraint, ForeignKey, Index, Text, UniqueConstraint, false
from sqlalchemy.orm import Mapped, mapped_column, relationship

from server.models.accounts import Account
from server.models.base import Base, one_of


class Game(Base):
    __tablename__ = "game"
    __table_args__ = (
        one_of("status", "open", "running", "over", "cancelled"),
        one_of("join", "open", "invited"),
        one_of("spectators", "none", "public"),
        one_of("start", "automatic", "host"),
        CheckConstraint("seats BETWEEN 2 AND 8", name="seats"),
        Index("ix_game_created_at_id", "created_at", "id"),
        Index("ix_game_status_created_at", "status", "created_at"),
    )

    id: Mapped[str] = mapped_column(primary_key=True)
    host_id: Mapped[str] = mapped_column(ForeignKey("account.id"))
    status: Mapped[str]
    seats: Mapped[int]  # how many the table has
    options: Mapped[dict[str, Any]]
    listed: Mapped[bool]
    join: Mapped[str]
    spectators: Mapped[str]
    start: Mapped[str]
    own_bots: Mapped[bool] = mapped_column(default=False, server_default=false())  # an owner may sit with his bots
    seed: Mapped[bytes] = mapped_column(deferred=True)  # never leaves before the game is over
    commitment: Mapped[str]  # SHA-256 of the seed, in hex
    state: Mapped[str | None] = mapped_column(Text, deferred=True)  # the engine's dump, opaque here
    version: Mapped[int]  # grows with every change of the game
    decision: Mapped[int | None]  # number of the open decision
    asked_seat: Mapped[str | None]
    question_kind: Mapped[str | None]
    last_event: Mapped[int]  # number of the newest event; given under the lock of this row
    created_at: Mapped[datetime]
    started_at: Mapped[datetime | None]
    ended_at: Mapped[datetime | None]
    result: Mapped[dict[str, Any] | None]
    ended_by: Mapped[str | None]  # rules, resignation, cancellation, expiry; null before the end
    rematch_id: Mapped[str | None]  # the game that follows this one at the same table

    players: Mapped[list[Seat]] = relationship(order_by="Seat.letter", back_populates="game")


class Seat(Base):
    __tablename__ = "seat"
    __table_args__ = (UniqueConstraint("game_id", "account_id"),)

    game_id: Mapped[str] = mapped_column(ForeignKey("game.id"), primary_key=True)
    letter: Mapped[str] = mapped_column(primary_key=True)
    account_id: Mapped[str] = mapped_column(ForeignKey("account.id"), index=True)
    joined_at: Mapped[datetime]
    entropy_commitment: Mapped[str | None]  # SHA-256, in hex, of what the player will add to the chance of the game
    entropy: Mapped[str | None]  # that text, once it is revealed
    played_by: Mapped[str] = mapped_column(default="player", server_default="player")  # player, house: nobody is asked
    resigned_at: Mapped[datetime | None]
    cancels_at: Mapped[datetime | None]  # when its player agreed to cancel the game

    game: Mapped[Game] = relationship(back_populates="players")
    account: Mapped[Account] = relationship(lazy="joined", innerjoin=True)


class Decision(Base):
    """A question that a player was asked. Forced answers are events, not decisions."""

    __tablename__ = "decision"

    game_id: Mapped[str] = mapped_column(ForeignKey("game.id"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    seat: Mapped[str]
    kind: Mapped[str]
    opened_at: Mapped[datetime]
    answered_at: Mapped[datetime | None]


class Move(Base):
    """The answer to a decision, as its player knows it."""

    __tablename__ = "move"

    game_id: Mapped[str] = mapped_column(ForeignKey("game.id"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)  # of the decision
    seat: Mapped[str]
    notation: Mapped[str]
    json: Mapped[dict[str, Any]]
    made_at: Mapped[datetime]
    by: Mapped[str] = mapped_column(
        default="hand", server_default="hand"
    )  # hand, orders, house; told to its owner only
    follows: Mapped[int | None]  # the answer in whose transaction this one was given, when nobody need be asked


class Event(Base):
    """What happened, as the engine knows it; every reader gets a projection."""

    __tablename__ = "event"
    __table_args__ = (Index("ix_event_game_id_decision", "game_id", "decision"),)

    game_id: Mapped[str] = mapped_column(ForeignKey("game.id"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    type: Mapped[str]
    decision: Mapped[int]  # the one whose answer caused it
    data: Mapped[dict[str, Any]]
    created_at: Mapped[datetime]


class Message(Base):
    """Talk at the table."""

    __tablename__ = "message"

    game_id: Mapped[str] = mapped_column(ForeignKey("game.id"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)  # given under the lock of the game
    account_id: Mapped[str] = mapped_column(ForeignKey("account.id"), index=True)
    text: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime]

    account: Mapped[Account] = relationship(lazy="joined", innerjoin=True)


class Invitation(Base):
    """A seat offered: to an account, to an address, or to whoever holds the link."""

    __tablename__ = "invitation"
    __table_args__ = (
        one_of("kind", "account", "email", "link"),
        one_of("state", "open", "accepted", "refused", "withdrawn", "expired"),
        Index("ix_invitation_email_digest_mailed_at", "email_digest", "mailed_at"),
        Index("ix_invitation_inviter_id_state", "inviter_id", "state"),
    )

    id: Mapped[str] = mapped_column(primary_key=True)
    game_id: Mapped[str] = mapped_column(ForeignKey("game.id"), index=True)
    inviter_id: Mapped[str] = mapped_column(ForeignKey("account.id"))
    kind: Mapped[str]
    account_id: Mapped[str | None] = mapped_column(ForeignKey("account.id"), index=True)  # who may accept, if known
    email: Mapped[str | None] = mapped_column(index=True)  # normalised; gone when settled
    email_digest: Mapped[str | None]  # of the address that a mail went to; stays, for the limits and for "never again"
    mailed_at: Mapped[datetime | None]  # null too when the address has had its mails for this week
    token_digest: Mapped[str] = mapped_column(unique=True)
    state: Mapped[str]
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime]
    settled_at: Mapped[datetime | None]


class NeverInvite(Base):
    """Addresses that want no invitations; only a digest, since most of them are of nobody whom we know."""

    __tablename__ = "never_invite"

    email_digest: Mapped[str] = mapped_column(primary_key=True)
    created_at: Mapped[datetime]
