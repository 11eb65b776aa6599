"""An account goes, and with it its bots. What told who it was is deleted; its row stays under a name that tells nothing,
since finished games point at it. It leaves games that have not begun, and the house plays on for it in those that have.

Games are locked first, then accounts, as everywhere. Who is deleted can't sit down any more once his account is locked."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from sqlalchemy import delete, or_, select, tuple_, update
from sqlalchemy.orm import Session

from server import clock, kicking
from server.database import reading, transaction
from server.errors import DatabaseUnavailable, TokenRevoked
from server.models import (
    Account,
    Attempt,
    Bot,
    Delivery,
    Feed,
    FeedItem,
    Game,
    Invitation,
    Letter,
    MailToken,
    Message,
    Mute,
    Preference,
    Repetition,
    Seat,
    StandingOrders,
    Token,
    Verification,
    WebhookEndpoint,
)
from server.said import said
from server.services import accounts, bots, games, houses, lobby, names, seating
from server.services.accounts import Caller
from server.services.looking import Expects

ATTEMPTS = 5
REASON = "account-deleted"  # why what was still to be sent to it is not sent

# What goes whole: rows of the account alone, and rows that may hold its address without pointing at it.
OWN: tuple[Any, ...] = (WebhookEndpoint, Token, Repetition, Preference, Mute, Bot)
WITH_ADDRESS: tuple[tuple[Any, Any], ...] = (
    (Verification, Verification.email),
    (MailToken, MailToken.address),
    (Letter, Letter.envelope_from),
)

Going = dict[str, Account]  # by id


class _SatDownMeanwhile(Exception):
    """At a table that is not locked: it would have to be, before the account."""


def delete_me(caller: Caller, expects: Expects) -> None:
    def check(_session: Session, going: Going) -> None:
        me = going[caller.account_id]
        if me.deleted_at is not None:
            raise TokenRevoked(said("the account of this token was deleted"))
        expects(accounts.version(me))

    _delete(caller.account_id, check)


def delete_bot(caller: Caller, bot_id: str, expects: Expects) -> None:
    def check(session: Session, going: Going) -> None:
        bots.check_owner(session, caller, bot_id)
        expects(bots.version_of(going[bot_id], session.get_one(Account, caller.account_id)))

    with reading() as session:
        bots.check_owner(session, caller, bot_id)  # before anything is locked
    _delete(bot_id, check)


def _delete(account_id: str, check: Callable[[Session, Going], None]) -> None:
    for _ in range(ATTEMPTS):
        try:
            _try(account_id, check)
        except _SatDownMeanwhile:
            continue
        kicking.kick()
        return
    raise DatabaseUnavailable(said("it sits down at tables faster than it can be led away"), retry_after=1)


def _try(account_id: str, check: Callable[[Session, Going], None]) -> None:
    with transaction() as session:
        now = clock.now()
        tables, going = _lock(session, account_id)
        check(session, going)
        for account in going.values():
            _forget(session, account, now)
        session.flush()
        _forget_feeds(session, tables, going)
        for game in tables:
            _leave(session, game, going, now)


def _lock(session: Session, account_id: str) -> tuple[list[Game], Going]:
    """The games that have not ended, and the accounts."""
    ids = _with_bots(session, account_id)
    tables = [games.locked(session, game) for game in _games_of(session, ids)]
    wanted = select(Account).where(Account.id.in_(ids)).order_by(Account.id).with_for_update()
    going = {account.id: account for account in session.scalars(wanted.execution_options(populate_existing=True))}
    known = {game.id for game in tables if game is not None}
    if _with_bots(session, account_id) != ids or not known.issuperset(_games_of(session, ids)):
        raise _SatDownMeanwhile
    return [game for game in tables if game is not None], going


def _with_bots(session: Session, account_id: str) -> list[str]:
    return sorted({account_id, *session.scalars(select(Bot.account_id).where(Bot.owner_id == account_id))})


def _games_of(session: Session, ids: list[str]) -> list[str]:
    """That they host or sit in, in the order in which games are locked."""
    takes_part = or_(Game.host_id.in_(ids), Game.id.in_(select(Seat.game_id).where(Seat.account_id.in_(ids))))
    return list(
        session.scalars(select(Game.id).where(takes_part, Game.status.in_(("open", "running"))).order_by(Game.id))
    )


def _forget(session: Session, account: Account, now: datetime) -> None:
    """From here on nothing is told to it, and nothing tells who it was."""
    _stop_deliveries(session, account, now)
    _settle_invitations(session, account, now)
    session.execute(update(Message).where(Message.account_id == account.id).values(text=""))
    for kind, address in WITH_ADDRESS:
        session.execute(delete(kind).where(_of(account, kind, address)))
    seats = select(Seat.game_id, Seat.letter).where(Seat.account_id == account.id)
    session.execute(delete(StandingOrders).where(tuple_(StandingOrders.game_id, StandingOrders.seat).in_(seats)))
    for kind in OWN:
        session.execute(delete(kind).where(kind.account_id == account.id))
    account.email, account.verified_at = None, None
    account.mail_score, account.mail_dead_at, account.mail_dead_reason = 0, None, None
    account.language, account.time_zone = "en", "UTC"
    account.deleted_at = now
    account.version += 1
    names.give(session, account, names.of_a_deleted_account())


def _forget_feeds(session: Session, tables: list[Game], going: Going) -> None:
    """All counters that this transaction will raise are locked now, in their order: that of the account is among them."""
    concerned = {seat.account_id for game in tables for seat in game.players} | going.keys()
    session.execute(
        select(Feed.account_id).where(Feed.account_id.in_(concerned)).order_by(Feed.account_id).with_for_update()
    )
    for kind in (FeedItem, Feed):
        session.execute(delete(kind).where(kind.account_id.in_(going)))


def _of(account: Account, kind: Any, address: Any) -> Any:
    """Rows that point at the account, or that hold its address."""
    mine = kind.account_id == account.id
    return mine if account.email is None else or_(mine, address == account.email)


def _stop_deliveries(session: Session, account: Account, now: datetime) -> None:
    """A new fence, too: a worker that is sending right now settles nothing any more. Of the log the skeleton stays.

    Endpoints are locked before their deliveries, as workers do."""
    endpoints = select(WebhookEndpoint.id).where(WebhookEndpoint.account_id == account.id)
    session.execute(endpoints.order_by(WebhookEndpoint.id).with_for_update())
    his = _of(account, Delivery, Delivery.address)
    attempts = update(Attempt).where(Attempt.delivery_id.in_(select(Delivery.id).where(his)))
    session.execute(attempts.values(reply=None, detail=None), execution_options={"synchronize_session": False})
    stopped = {"state": "obsolete", "reason": REASON, "fence": Delivery.fence + 1, "settled_at": now}
    pending = update(Delivery).where(his, Delivery.state.in_(("due", "leased"))).values(**stopped)
    session.execute(pending, execution_options={"synchronize_session": False})
    emptied = {"address": None, "payload": None, "rendered": None, "endpoint_id": None, "lease_owner": None}
    session.execute(update(Delivery).where(his).values(**emptied), execution_options={"synchronize_session": False})


def _settle_invitations(session: Session, account: Account, now: datetime) -> None:
    """Nobody can accept what he offered, nor what was offered to him."""
    his = or_(Invitation.inviter_id == account.id, _of(account, Invitation, Invitation.email))
    standing = update(Invitation).where(his, Invitation.state == "open")  # one accepted at this moment stays accepted
    settled = standing.values(state="withdrawn", settled_at=now, email=None)
    session.execute(settled, execution_options={"synchronize_session": False})


def _leave(session: Session, game: Game, going: Going, now: datetime) -> None:
    if game.status == "open" and game.host_id in going:
        lobby.call_off(session, game, "cancellation", now)
        return
    for account_id in going:
        seat = next((seat for seat in game.players if seat.account_id == account_id), None)
        if seat is not None and game.status == "open":
            seating.clear(session, game, seat, now)
        elif seat is not None and game.status == "running":
            houses.hand_over(session, game, seat, now)
