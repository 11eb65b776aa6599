"""Seats offered, and what the invited makes of it."""

from __future__ import annotations

from typing import Any

from server import queries
from server.api.paging import page
from server.api.smorest import ANYBODY, NEVER_STORE, Resource
from server.errors import (
    AlreadyInvited,
    AlreadySeated,
    BotDeclines,
    GameOver,
    GameStarted,
    InsufficientScope,
    InvitationClosed,
    InvitationForAnother,
    NoFreeSeat,
    NotInvitedByMail,
    NotTheHost,
    SamePerson,
    TooManyInvitations,
    UnknownGame,
    UnknownInvitation,
    UnknownUser,
)
from server.schemas import invitations as schemas
from server.schemas.base import PageQuery
from server.schemas.games import Game, NewSeat
from server.services import invitations, invited
from server.services.accounts import Caller

blueprint = Resource(
    "invitations",
    __name__,
    url_prefix="/v1",
    description="Seats offered to an account, to an address, or to whoever has a link.",
)

# The log has the rule of a path and not the path itself: the token in it is a seat.
OFFER = "/invitations/<string:token>"
CANT_INVITE = (UnknownGame, NotTheHost, GameStarted, GameOver)


@blueprint.operation(
    "POST",
    "/games/<string:game_id>/invitations",
    "games:play",
    body=schemas.NewInvitation,
    answer=schemas.Invitation,
    status=201,
    repeatable=True,
    can_fail=(*CANT_INVITE, UnknownUser, AlreadySeated, AlreadyInvited, TooManyInvitations),
)
def create_invitation(caller: Caller, game_id: str, body: dict[str, Any]) -> Any:
    """Offer a seat

    For the host, before the start: to an account, to an address, or by a link that I pass on myself. It is good for one seat,
    for 14 days or until the start. The mail has my name and the options of the game, no text of mine. Of an address I learn
    nothing, not even whether a mail was sent: at most three a week go to an address, and none to who wants none. At most ten
    of my invitations by e-mail may be unanswered.
    """
    return invitations.invite(caller, game_id, **body), NEVER_STORE


@blueprint.operation(
    "GET",
    "/games/<string:game_id>/invitations",
    "games:play",
    "games:read",
    query=PageQuery,
    answer=schemas.InvitationList,
    can_fail=(UnknownGame, NotTheHost),
)
def list_invitations(caller: Caller, game_id: str, query: dict[str, Any]) -> Any:
    """Whom I have invited to a game of mine, and what became of it"""
    return page(queries.invitations_to(caller, game_id, **query))


@blueprint.operation(
    "DELETE",
    "/games/<string:game_id>/invitations/<string:invitation_id>",
    "games:play",
    status=204,
    can_fail=(*CANT_INVITE, UnknownInvitation, InvitationClosed),
)
def withdraw_invitation(caller: Caller, game_id: str, invitation_id: str) -> None:
    """Withdraw an invitation that was not answered

    Its link and its mail are good for nothing any more. Whoever has accepted keeps the seat until I take it away.
    """
    invitations.withdraw(caller, game_id, invitation_id)


@blueprint.operation("GET", "/me/invitations", "games:play", "games:read", query=PageQuery, answer=schemas.OfferList)
def list_my_invitations(caller: Caller, query: dict[str, Any]) -> Any:
    """Seats that are offered to me

    To my account or to its address, as long as I may accept. `POST /v1/games/{game_id}/seats` accepts, too.
    """
    return page(queries.my_invitations(caller, **query))


@blueprint.operation("GET", OFFER, ANYBODY, answer=schemas.Offer, can_fail=(UnknownInvitation, InsufficientScope))
def get_invitation(caller: Caller | None, token: str) -> Any:
    """Look at an invitation

    By its token, which needs no other; the account that it is for, or whose address, may put its id there instead. Looking
    changes nothing.
    """
    return invited.look(caller, token)


@blueprint.operation(
    "POST",
    f"{OFFER}/acceptance",
    "games:play",
    body=NewSeat,
    answer=Game,
    status=201,
    repeatable=True,
    can_fail=(
        UnknownInvitation,
        InvitationForAnother,
        InvitationClosed,
        AlreadySeated,
        NoFreeSeat,
        GameStarted,
        GameOver,
        BotDeclines,
        SamePerson,
    ),
)
def accept_invitation(caller: Caller, token: str, body: dict[str, Any]) -> Any:
    """Take the seat that was offered

    Whoever holds the token of a mail or a link may, once; what was offered to an account only that account. The last seat
    starts the game, as with joining.
    """
    made = invited.accept(caller, token, **body)
    return made, {"Location": made.body["links"]["game"]}


@blueprint.operation(
    "POST",
    f"{OFFER}/refusal",
    ANYBODY,
    answer=schemas.Offer,
    can_fail=(UnknownInvitation, InvitationClosed, InsufficientScope),
)
def refuse_invitation(caller: Caller | None, token: str) -> Any:
    """Refuse the seat

    Needs no account: the token is enough. The same once more changes nothing.
    """
    return invited.refuse(caller, token)


@blueprint.operation(
    "POST",
    f"{OFFER}/never-again",
    ANYBODY,
    answer=schemas.Offer,
    can_fail=(UnknownInvitation, NotInvitedByMail, InsufficientScope),
)
def never_invite_again(caller: Caller | None, token: str) -> Any:
    """Refuse, and never get a mail with an invitation again

    For the address that this one was sent to; no inviter learns of it. Needs no account, and may be said again and again,
    however old the invitation is.
    """
    return invited.never_again(caller, token)
