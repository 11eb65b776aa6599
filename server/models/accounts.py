"""Who plays: accounts, their tokens, and the codes that prove an address."""

from __future__ import annotations

from datetime import datetime

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
    kind: Mapped[str]
    created_at: Mapped[datetime]
    verified_at: Mapped[datetime | None]


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
    code_digest: Mapped[str]
    expires_at: Mapped[datetime]
    tries: Mapped[int] = mapped_column(default=0)
    used_at: Mapped[datetime | None]
    created_at: Mapped[datetime]
