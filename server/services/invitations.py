"""Seats offered by the host: to an account, to an address, or to whoever holds a link.

Of an address the host learns nothing: whether it has an account, whether it wants no invitations, whether others have
invited it before. So nothing of that is looked up when he invites, but when the mail is to be sent (`notifying.untrue`).
An invitation is settled under the lock of its game."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, func, select, update
from sqlalchemy.orm import Session

from server import clock, kicking, links, sealing
from server.database import transaction
from server.errors import (
    AlreadyInvited,
    AlreadySeated,
    InvitationClosed,
    NotTheHost,
    TooManyInvitations,
    UnknownInvitation,
    UnknownUser,
)
from server.ids import base32, is_id, new_id
from server.models import Account, Game, Invitation
from server.models.names import name_key
from server.said import said
from server.services import accounts, addresses, games, notifying, repeating
from server.services.accounts import Caller
from server.services.repeating import Made

LIFE = timedelta(days=14)
TOKEN_BYTES = 16  # in base32 it fits into the local part of an address
MOST_OPEN = 50  # of an inviter
MOST_UNANSWERED = 10  # by e-mail, of an inviter, in the life of an invitation
MAILS_A_WEEK = 3  # to an address
WEEK = timedelta(days=7)
CLOSED = {
    "accepted": said("the invitation was accepted"),
    "refused": said("the invitation was refused"),
    "withdrawn": said("the invitation was withdrawn"),
    "expired": said("the invitation has expired: it is too old, or the game began or was called off without an answer"),
}


def invite(
    caller: Caller, game_id: str, account: str | None = None, email: str | None = None, language: str | None = None
) -> Made:
    """To an account (by its id or name), to an address (`language`: of the mail), or, with neither, by a link."""
    with transaction() as session:
        again = repeating.earlier(session, caller)
        if again is not None:
            return Made(shown(session, repeating.found(session, Invitation, again)), again=True)
        now = clock.now()
        game = games.hosted(session, game_id, caller)
        inviter = accounts.lock(session, caller)  # two at once shall not both be his last
        invitation = _to(session, account, email)
        _check_new(session, invitation, game)
        _check_number(session, inviter, invitation, now)
        token = offer(session, invitation, game, inviter, now, language)
        repeating.remember(session, caller, invitation.id)
        made = Made(shown(session, invitation, token if invitation.kind == "link" else None))
    kicking.kick()
    return made


def _to(session: Session, account: str | None, email: str | None) -> Invitation:
    if account is not None:
        return Invitation(kind="account", account_id=_account(session, account).id)
    if email is not None:
        return Invitation(kind="email", email=accounts.normalised(email))
    return Invitation(kind="link")


def _account(session: Session, called: str) -> Account:
    key = Account.id == called if is_id("u", called) else Account.name_key == name_key(called)
    account = session.scalar(select(Account).where(key, Account.deleted_at.is_(None)))
    if account is None:
        raise UnknownUser(said("there is no account {account}", account=repr(called[:80])))
    return account


def _check_new(session: Session, invitation: Invitation, game: Game) -> None:
    """Of an account anybody may see whether it sits there; of an address only whether this host has invited it."""
    if any(seat.account_id == invitation.account_id for seat in game.players):
        raise AlreadySeated(said("this account has a seat already"))
    same = {"account": Invitation.account_id == invitation.account_id, "email": Invitation.email == invitation.email}
    if invitation.kind in same:
        standing = select(Invitation.id).where(
            Invitation.game_id == game.id, Invitation.state == "open", same[invitation.kind]
        )
        if session.scalar(standing.limit(1)):
            raise AlreadyInvited(said("an invitation of yours to this game is waiting for an answer"))


def _check_number(session: Session, inviter: Account, invitation: Invitation, now: datetime) -> None:
    if _count(session, inviter, Invitation.state == "open") >= MOST_OPEN:
        raise TooManyInvitations(said("{most} of your invitations wait for an answer, and no more can", most=MOST_OPEN))
    # A mail that was sent is not unsent by withdrawing what it offered.
    unanswered = Invitation.state.not_in(("accepted", "refused")) & (Invitation.created_at > now - LIFE)
    if (
        invitation.kind == "email"
        and _count(session, inviter, (Invitation.kind == "email") & unanswered) >= MOST_UNANSWERED
    ):
        raise TooManyInvitations(
            said("{most} of your invitations by e-mail were not answered in the last 14 days", most=MOST_UNANSWERED)
        )


def _count(session: Session, inviter: Account, which: ColumnElement[bool]) -> int:
    return session.scalar(select(func.count()).where(Invitation.inviter_id == inviter.id, which)) or 0


def offer(
    session: Session,
    invitation: Invitation,
    game: Game,
    inviter: Account,
    now: datetime,
    language: str | None = None,
    limited: bool = True,
) -> str:
    """Puts the invitation down and tells whom it is for; returns its token. `limited`: by the mails an address gets a week."""
    token = base32(TOKEN_BYTES)
    invitation.id, invitation.game_id, invitation.inviter_id = new_id("i"), game.id, inviter.id
    invitation.token_digest, invitation.state = sealing.digest(token), "open"
    invitation.created_at, invitation.expires_at = now, now + LIFE
    invitation.email_digest = _digest(session, invitation)
    beyond_the_limit = limited and not _count_the_mail(session, invitation, now)
    session.add(invitation)
    session.flush()
    notifying.invitation(session, invitation, token, language or inviter.language, beyond_the_limit, now)
    return token


def _digest(session: Session, invitation: Invitation) -> str | None:
    """Of the address that is written to; a link is sent to nobody, and a bot has none."""
    address = invitation.email
    if invitation.account_id is not None:
        address = session.get_one(Account, invitation.account_id).email
    return None if address is None else addresses.digest(address)


def _count_the_mail(session: Session, invitation: Invitation, now: datetime) -> bool:
    """Whether the address has not had all its mails of this week."""
    if invitation.email_digest is None:
        return True
    if addresses.mails_since(session, invitation.email_digest, now - WEEK) >= MAILS_A_WEEK:
        return False
    invitation.mailed_at = now
    return True


def find_hosted(session: Session, game_id: str, caller: Caller) -> Game:
    """The caller's own game, to look at, begun or not."""
    game = games.find(session, game_id, caller)
    if game.host_id != caller.account_id:
        raise NotTheHost(said("only the host of a game sees whom he has invited"))
    return game


def withdraw(caller: Caller, game_id: str, invitation_id: str) -> None:
    with transaction() as session:
        game = games.hosted(session, game_id, caller)
        invitation = session.get(Invitation, invitation_id) if is_id("i", invitation_id) else None
        if invitation is None or invitation.game_id != game.id:
            raise UnknownInvitation(
                said("this game has no invitation {invitation}", invitation=repr(invitation_id[:40]))
            )
        if invitation.state != "withdrawn":  # the same once more changes nothing
            check_stands(invitation, clock.now())
            settle(invitation, "withdrawn", clock.now())


def check_stands(invitation: Invitation, now: datetime) -> None:
    state = state_of(invitation, now)
    if state != "open":
        raise InvitationClosed(CLOSED[state], state=state)


def state_of(invitation: Invitation, now: datetime) -> str:
    return "expired" if invitation.state == "open" and invitation.expires_at <= now else invitation.state


def settle(invitation: Invitation, state: str, now: datetime) -> None:
    """For good. The address goes; its digest stays, for the limits and for who never wants another one."""
    invitation.state, invitation.settled_at, invitation.email = state, now, None


def settle_all(session: Session, game: Game, now: datetime) -> None:
    """The game begins, or will never begin: what was not answered is void."""
    _expire(session, Invitation.game_id == game.id, now)


def expire(now: datetime) -> None:
    with transaction() as session:
        _expire(session, Invitation.expires_at <= now, now)


def _expire(session: Session, which: ColumnElement[bool], now: datetime) -> None:
    standing = update(Invitation).where(Invitation.state == "open", which)
    session.execute(standing.values(state="expired", settled_at=now, email=None))


def offered(session: Session, game: Game, caller: Caller, now: datetime) -> Invitation | None:
    """The invitation to this game that the caller may accept without a token."""
    offers = select(Invitation).where(Invitation.game_id == game.id, games.offered_to(caller, now))
    return session.scalar(offers.order_by(Invitation.created_at, Invitation.id).limit(1))


def shown(session: Session, invitation: Invitation, token: str | None = None) -> dict[str, Any]:
    """As the host sees it."""
    to = invitation.email
    if invitation.account_id is not None:
        to = session.get_one(Account, invitation.account_id).name
    return {
        "id": invitation.id,
        "game": invitation.game_id,
        "kind": invitation.kind,
        "to": to,
        "state": state_of(invitation, clock.now()),
        "created_at": invitation.created_at,
        "expires_at": invitation.expires_at,
        "settled_at": invitation.settled_at,
        "token": token,
        "link": None if token is None else links.to(f"/v1/invitations/{token}"),
    }
