"""How a notice goes to its recipient: at once, later, in a digest or not at all, as he wishes it.

Asked when the notice is promised, when his wishes change, and once more before it is sent."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ColumnElement, and_, exists, or_, select
from sqlalchemy.orm import Session

from server.kinds import DIGEST, EMAIL, IMMEDIATE, KINDS, OFF, UNSUBSCRIBED, channels_of
from server.models import Account, Delivery, Mute, Preference
from server.services import outbox, wishes
from server.services.wishes import Wishes


def plan(session: Session, delivery: Delivery, now: datetime) -> None:
    """Of a row that waits and has never been tried: when it goes out and how, or that it does not."""
    reason = unwanted(session, delivery)
    if reason is not None:
        outbox.give_up(delivery, reason, now)
        return
    delivery.mode, delivery.next_at, delivery.reason = IMMEDIATE, max(delivery.created_at, now), None
    wish = _wish_about_mail(session, delivery)
    if wish is None:
        return
    if wish.mode(delivery.kind, EMAIL) == DIGEST:
        delivery.mode, delivery.next_at, delivery.reason = DIGEST, wish.next_digest(now), DIGEST
    else:
        _hold_back(delivery, wish, now)


def _hold_back(delivery: Delivery, wish: Wishes, now: datetime) -> None:
    if delivery.kind == "your_turn" and wish.delay:
        delivery.next_at, delivery.reason = max(delivery.created_at + wish.delay, now), "delay"
    night_ends = wish.quiet_until(delivery.next_at)
    if night_ends is not None:
        delivery.next_at, delivery.reason = night_ends, "quiet-hours"


def _wish_about_mail(session: Session, delivery: Delivery) -> Wishes | None:
    """None of what somebody has no say in, or whose recipient we don't know."""
    if delivery.account_id is None or delivery.channel != EMAIL or EMAIL not in channels_of(delivery.kind):
        return None
    return wishes.of_account(session, delivery.account_id)


def unwanted(session: Session, delivery: Delivery) -> str | None:
    """Why its recipient is not to get it, though it is true: in a word; None when he is.

    What he asked for again he wants, whatever he wished before; but to a dead address nothing is sent.
    """
    found = session.execute(
        select(Account, Preference, Mute)
        .outerjoin(Preference, Preference.account_id == Account.id)
        .outerjoin(Mute, and_(Mute.account_id == Account.id, Mute.game_id == delivery.game_id))
        .where(_recipient(delivery))
    ).one_or_none()
    if found is None:
        return None
    account, stored, mute = found
    if delivery.channel == EMAIL and delivery.address in (None, account.email) and account.mail_dead_at is not None:
        return "address-dead"
    if delivery.again or delivery.channel not in channels_of(delivery.kind):
        return None
    mode = wishes.of(account, stored).mode(delivery.kind, delivery.channel)
    if mode in (OFF, UNSUBSCRIBED):
        return mode
    return "muted" if mute is not None else None


def wanted(session: Session, account_id: str, channel: str) -> ColumnElement[bool]:
    """The same of all that an account has over a channel, as a condition; whether its address is dead is left out."""
    wish = wishes.of_account(session, account_id)
    has_a_say = [name for name in KINDS if channel in channels_of(name)]
    off = [name for name in has_a_say if wish.mode(name, channel) in (OFF, UNSUBSCRIBED)]
    muted = exists().where(Mute.account_id == Delivery.account_id, Mute.game_id == Delivery.game_id)
    return and_(Delivery.kind.not_in(off), or_(Delivery.kind.not_in(has_a_say), ~muted))


def _recipient(delivery: Delivery) -> ColumnElement[bool]:
    """An invitation may go to the address of somebody whom we know; a code is sent to whatever address was typed in."""
    if delivery.account_id is None and delivery.kind == "invitation":
        return Account.email == delivery.address
    return Account.id == delivery.account_id


def not_before(session: Session, delivery: Delivery, now: datetime) -> datetime | None:
    """The end of the quiet hours that it has come into: we were away, or a try before has failed."""
    if delivery.again or delivery.account_id is None or delivery.channel != EMAIL:
        return None
    if delivery.kind != DIGEST and EMAIL not in channels_of(delivery.kind):
        return None
    return wishes.of_account(session, delivery.account_id).quiet_until(now)


def replan(session: Session, account: Account, now: datetime) -> None:
    """His wishes have changed: so does what becomes of that which waits and was never tried.

    What somebody else holds is being sent or replaced: it is looked at once more before it is sent.
    """
    waiting = select(Delivery).where(
        Delivery.account_id == account.id, Delivery.state == "due", Delivery.attempts == 0, Delivery.again.is_(False)
    )
    for delivery in session.scalars(waiting.with_for_update(skip_locked=True)):
        if delivery.channel in channels_of(delivery.kind):
            plan(session, delivery, now)
