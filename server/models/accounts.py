"""Who plays: accounts, their tokens, and the codes that prove an address."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index
from sqlalchemy.engine.default import DefaultExecutionContext
from sqlalchemy.orm import Mapped, mapped_column

from server.models.base import Base, one_of
from server.models.names import name_key


def _key_of_the_name(context: DefaultExecutionContext) -> str:
    return name_key(context.get_current_parameters()["name"])


class Account(Base):
    __tablename__ = "account"
    __table_args__ = (one_of("language", "en", "ru"), one_of("kind", "person", "bot"))

    id: Mapped[str] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(unique=True)
    # Null only because SQLite adds no other column to a table that others point at.
    name_key: Mapped[str | None] = mapped_column(index=True, unique=True, default=_key_of_the_name)
    email: Mapped[str | None] = mapped_column(unique=True)  # normalised
    language: Mapped[str]
    time_zone: Mapped[str] = mapped_column(default="UTC", server_default="UTC")  # an IANA name
    kind: Mapped[str]
    version: Mapped[int] = mapped_column(
        default=1, server_default="1"
    )  # grows with every change of what is shown of it
    created_at: Mapped[datetime]
    verified_at: Mapped[datetime | None]
    mail_score: Mapped[int] = mapped_column(
        default=0, server_default="0"
    )  # bounces, weighed; an accepted mail takes one off
    mail_dead_at: Mapped[datetime | None]  # since when no mail goes there any more
    mail_dead_reason: Mapped[str | None]
    deleted_at: Mapped[datetime | None]  # the row stays, since finished games point at it; what told who it was is gone


class Bot(Base):
    """What a bot's account has beside that of a person: an owner, and what it lets itself in for."""

    __tablename__ = "bot"

    account_id: Mapped[str] = mapped_column(ForeignKey("account.id"), primary_key=True)
    owner_id: Mapped[str] = mapped_column(ForeignKey("account.id"), index=True)
    engine: Mapped[str | None]  # how it chooses, in its owner's words
    description: Mapped[str | None]
    accepts: Mapped[dict[str, Any]]  # its limits: seats, games at once


class Token(Base):
    """Stored as a digest: the token itself is shown once, when it is made."""

    __tablename__ = "token"

    id: Mapped[str] = mapped_column(primary_key=True)
    account_id: Mapped[str] = mapped_column(ForeignKey("account.id"), index=True)
    prefix: Mapped[str]  # the first characters, to tell one's tokens apart
    digest: Mapped[str] = mapped_column(unique=True)
    name: Mapped[str]
    scopes: Mapped[list[str]]
    expires_at: Mapped[datetime]
    last_used_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]
    created_at: Mapped[datetime]


class Verification(Base):
    __tablename__ = "verification"
    __table_args__ = (
        Index("ix_verification_email_created_at", "email", "created_at"),
        Index("ix_verification_network_created_at", "network", "created_at"),
    )

    id: Mapped[str] = mapped_column(primary_key=True)
    email: Mapped[str]
    network: Mapped[str | None]  # of the caller, for the limit of mails a network
    language: Mapped[str]
    account_id: Mapped[str | None]  # whose address is to be changed to this one; null: somebody signs in
    code_digest: Mapped[str]
    expires_at: Mapped[datetime]
    tries: Mapped[int] = mapped_column(default=0)
    used_at: Mapped[datetime | None]
    created_at: Mapped[datetime]


class Repetition(Base):
    """What a request with an Idempotency-Key made, so that the same request once more gets the same thing again."""

    __tablename__ = "repetition"
    __table_args__ = (Index("ix_repetition_created_at", "created_at"),)

    account_id: Mapped[str] = mapped_column(ForeignKey("account.id"), primary_key=True)
    operation: Mapped[str] = mapped_column(primary_key=True)  # method and path
    key: Mapped[str] = mapped_column(primary_key=True)
    fingerprint: Mapped[str]  # of the body
    made: Mapped[str]  # id of the thing; the answer is built from it anew
    created_at: Mapped[datetime]


class Feed(Base):
    """The counter of an account's feed, incremented in the transaction that adds to it: numbers follow commits.

    No foreign keys here: they would lock the account after its counter, and whoever changes an account locks it first."""

    __tablename__ = "feed"

    account_id: Mapped[str] = mapped_column(primary_key=True)
    last: Mapped[int] = mapped_column(default=0)


class FeedItem(Base):
    """That something happened in a game of this account: which events of that game, or which message."""

    __tablename__ = "feed_item"

    account_id: Mapped[str] = mapped_column(primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    game_id: Mapped[str] = mapped_column(index=True)
    type: Mapped[str]  # events, message, or what happened to the game as such: started, over, cancelled …
    first: Mapped[int | None]  # numbers within the game
    last: Mapped[int | None]
    created_at: Mapped[datetime]
