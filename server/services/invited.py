"""What the invited does: he looks, accepts, refuses.

An invitation is found by its token, which is the authority: whoever holds that of a mail or a link may accept, once, but
has to be signed in, since a seat is an account's. An account finds what is for it or for its address by the id, too."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, or_, select
from sqlalchemy.orm import Session

from server import clock, kicking, links, sealing
from server.database import reading, transaction
from server.errors import InvitationForAnother, NotInvitedByMail, UnknownInvitation
from server.ids import is_id
from server.models import Account, Game, Invitation
from server.said import said
from server.services import addresses, games, invitations, repeating, seating
from server.services.accounts import Caller
from server.services.repeating import Made


def look(caller: Caller | None, key: str) -> dict[str, Any]:
    with reading() as session:
        return shown(session, _find(session, key, caller, "games:play", "games:read"), key)


def accept(caller: Caller, key: str, entropy_commitment: str | None = None) -> Made:
    """Takes the seat that was offered, and tells of the game."""
    with transaction() as session:
        again = repeating.earlier(session, caller)
        if again is not None:
            return Made(games.about(session, games.find(session, again, caller)), again=True)
        now = clock.now()
        invitation, game = _locked(session, key, caller)
        invitations.check_stands(invitation, now)
        if invitation.account_id not in (None, caller.account_id):
            raise InvitationForAnother(said("this seat was offered to another account"))
        seating.sit_down(session, game, caller, invitation, entropy_commitment, now)
        repeating.remember(session, caller, game.id)
        made = Made(games.about(session, game))
    kicking.kick()
    return made


def refuse(caller: Caller | None, key: str) -> dict[str, Any]:
    """The same once more changes nothing."""
    with transaction() as session:
        now = clock.now()
        invitation, _ = _locked(session, key, caller)
        if invitation.state != "refused":
            invitations.check_stands(invitation, now)
            invitations.settle(invitation, "refused", now)
        return shown(session, invitation, key)


def never_again(caller: Caller | None, key: str) -> dict[str, Any]:
    """Refuses if there is something to refuse still; the wish counts however old the invitation is."""
    with transaction() as session:
        now = clock.now()
        invitation, _ = _locked(session, key, caller)
        if invitation.email_digest is None:
            raise NotInvitedByMail(said("no mail went out for this invitation: there is no address to be left alone"))
        addresses.never_again(session, invitation.email_digest, now)
        if invitations.state_of(invitation, now) == "open":
            invitations.settle(invitation, "refused", now)
        return shown(session, invitation, key)


def _find(session: Session, key: str, caller: Caller | None, *scopes: str) -> Invitation:
    """By its token; or by its id, for which the caller needs one of the scopes."""
    invitation = session.scalar(select(Invitation).where(Invitation.token_digest == sealing.digest(key)))
    if invitation is None and caller is not None and is_id("i", key):
        caller.needs_one_of(*scopes)
        invitation = session.scalar(select(Invitation).where(Invitation.id == key, _is_for(session, caller)))
    if invitation is None:
        raise UnknownInvitation(said("there is no such invitation, or it is not for you"))
    return invitation


def _is_for(session: Session, caller: Caller) -> ColumnElement[bool]:
    """For his account, or for its address, which is known by its digest when the invitation is settled."""
    his = Invitation.account_id == caller.account_id
    address = session.get_one(Account, caller.account_id).email
    if address is None:
        return his
    return or_(his, (Invitation.kind == "email") & (Invitation.email_digest == addresses.digest(address)))


def _locked(session: Session, key: str, caller: Caller | None) -> tuple[Invitation, Game]:
    """With its game, as both are under the lock of the game."""
    invitation = _find(session, key, caller, "games:play")
    game = games.locked(session, invitation.game_id)
    assert game is not None  # a row that others point at is not deleted
    session.refresh(invitation)
    return invitation, game


def shown(session: Session, invitation: Invitation, key: str) -> dict[str, Any]:
    """As the invited sees it: who asks him, and to what. When it is settled the game is no longer shown through it."""
    state = invitations.state_of(invitation, clock.now())
    return {
        "id": invitation.id,
        "kind": invitation.kind,
        "state": state,
        "inviter": session.get_one(Account, invitation.inviter_id).name,
        "game": games.about(session, session.get_one(Game, invitation.game_id)) if state == "open" else None,
        "created_at": invitation.created_at,
        "expires_at": invitation.expires_at,
        "links": links.of_invitation(key),
    }
