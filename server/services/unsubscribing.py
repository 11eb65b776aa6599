"""No more mails of a kind, by the token in one of them: without an account, again and again, and nothing else is touched."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session

from server import clock, kicking, language
from server.database import reading, transaction
from server.errors import UnknownSubscription
from server.kinds import DIGEST, EMAIL, KINDS, OFF, channels_of
from server.models import Account, MailToken
from server.said import said
from server.services import addresses, mail_tokens, outbox, preferences, wishes


def look(token: str) -> dict[str, Any]:
    """What unsubscribing would do. Programs that look for viruses follow links, so this changes nothing."""
    with reading() as session:
        return _told(session, _found(session, token))


def unsubscribe(token: str) -> dict[str, Any]:
    with transaction() as session:
        found = _found(session, token)
        by_token(session, found, clock.now())
        session.flush()
        told = _told(session, found)
    kicking.kick()
    return told


def by_token(session: Session, token: MailToken, now: datetime) -> None:
    """Switches off the kind of mail that the token was in; a mail confirms what was changed, if anything was.

    An address without an account gets nothing but invitations: it gets none any more, and no mail that says so.
    """
    if token.account_id is None:
        addresses.never_again(session, addresses.digest(token.address or ""), now)
        return
    account = session.get_one(Account, token.account_id, with_for_update=True, populate_existing=True)
    if before := preferences.turn_off(session, account, token.about or ""):
        _confirm(session, account, token, before, now)
    token.used_at = now


def _confirm(session: Session, account: Account, token: MailToken, before: dict[str, str], now: datetime) -> None:
    """Which kind of mail was switched off, and how to get back just that: `before` says how it came."""
    outbox.post(
        session, kind="unsubscribed", channel="email", dedupe_key=f"unsubscribed:{token.digest}:{now.isoformat()}", now=now,
        account_id=account.id, payload={"about": token.about, "kinds": before},
    )  # fmt: skip


def _found(session: Session, token: str) -> MailToken:
    found = mail_tokens.find(session, f"u-{token}")
    if found is None:
        raise UnknownSubscription(said("there is no mail with this token, or it is too old"))
    return found


def _told(session: Session, token: MailToken) -> dict[str, Any]:
    subscribed = _is_subscribed(session, token)
    return {
        "kind": token.about,
        "channel": EMAIL,
        "subscribed": subscribed,
        "text": language.translated(_sentence(token, subscribed)),
    }


def _is_subscribed(session: Session, token: MailToken) -> bool:
    if token.account_id is None:
        return not addresses.wants_none(session, addresses.digest(token.address or ""))
    wish = wishes.of_account(session, token.account_id)
    modes = {kind: wishes.told(wish.mode(kind, EMAIL)) for kind in KINDS if EMAIL in channels_of(kind)}
    return DIGEST in modes.values() if token.about == DIGEST else modes.get(token.about or "", OFF) != OFF


def _sentence(token: MailToken, subscribed: bool) -> str:
    if subscribed:
        return said("a POST to this address switches off mails of the kind {kind}, and nothing else", kind=token.about)
    return said("mails of the kind {kind} are switched off", kind=token.about)
