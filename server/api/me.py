"""The caller himself, and what he owes."""

from __future__ import annotations

from typing import Any

from flask import request

from server import queries
from server.api.paging import feed, page, waited
from server.api.smorest import NEVER_STORE, Resource, known
from server.errors import AddressTaken, CodeExpired, NameTaken, RateLimited, WrongCode
from server.schemas import me as schemas
from server.schemas.accounts import Account, Me
from server.schemas.feeds import Feed, FeedQuery
from server.schemas.games import DecisionList, DecisionQuery
from server.services import changing_address, deletion, exporting, feeds, profile
from server.services.accounts import SCOPES, Caller
from server.services.looking import Expects

blueprint = Resource("me", __name__, url_prefix="/v1/me", description="Me, and what I owe.")


@blueprint.operation("GET", "", *SCOPES, answer=Me, versioned=True)
def get_me(caller: Caller) -> Any:
    """My account

    With any token: whose it is, which is all that a bot can ask about itself. With the scope `account` the rest, too: my
    address, my time zone, since when, and whether mail reaches me.
    """
    return profile.about_me(caller, known)


@blueprint.operation(
    "PATCH", "", "account", body=schemas.AccountChanges, answer=Account, conditional=True, can_fail=(NameTaken,)
)
def change_me(caller: Caller, body: dict[str, Any], expects: Expects) -> Any:
    """Change my name, language or time zone

    What is left out stays. With `If-Match` nothing is overwritten that I have not seen. Games show the new name at once,
    finished ones, too.
    """
    return profile.change(caller, body, expects)


@blueprint.operation("DELETE", "", "account", status=204, conditional=True)
def delete_me(caller: Caller, expects: Expects) -> None:
    """Delete my account

    At once, and for good; export it first. Games that I host and that have not begun are cancelled, seats in others left; in
    running games the house plays on for me. Finished games stay, records too, under a name that tells nothing
    (`deleted-…`), and so do my messages, without their text. My name, address, tokens, webhooks, feed and bots are gone; what
    was still to be sent to me is not sent.
    """
    deletion.delete_me(caller, expects)


@blueprint.operation(
    "POST",
    "/email",
    "account",
    body=schemas.NewAddress,
    answer=schemas.AddressChangeStarted,
    status=202,
    can_fail=(RateLimited,),
)
def start_email_change(caller: Caller, body: dict[str, Any]) -> dict[str, Any]:
    """Have a code sent to my new address

    The answer is the same whoever has that address. Until the code is sent to POST /v1/me/email/verification nothing changes.
    The rules of codes are those of signing in: 15 minutes, five tries, one use, only the newest; three mails an hour.
    """
    return {"verification": changing_address.begin(caller, body["email"], request.remote_addr)}


@blueprint.operation(
    "POST",
    "/email/verification",
    "account",
    body=schemas.AddressProof,
    answer=Account,
    can_fail=(WrongCode, CodeExpired, AddressTaken),
)
def finish_email_change(caller: Caller, body: dict[str, Any]) -> dict[str, Any]:
    """Prove my new address by the code

    From now on it is that of my account; a mail to the old one says so, without naming the new one. If the address belongs
    to another account, only now is that told: to who reads its mail.
    """
    return changing_address.prove(caller, **body)


@blueprint.operation("GET", "/export", "account", answer=schemas.Export)
def export_me(caller: Caller) -> Any:
    """Everything that is stored about me

    My account and my bots, tokens and webhooks without their secrets, my games with what I was asked and answered, my messages,
    invitations, feed, and what was sent to me. Of games there is what is public and what I did myself: my hand is in GET
    …/view, other hands nowhere. What I played tells cards that lie face down, so the token needs
    `games:read` or `games:play` beside `account`; and `bots`, if I have some.
    """
    return exporting.export(caller), NEVER_STORE


@blueprint.operation(
    "GET", "/decisions", "games:play", "games:read", query=DecisionQuery, answer=DecisionList, waits=True
)
def list_my_decisions(caller: Caller, query: dict[str, Any]) -> Any:
    """Every decision that I owe, across all games

    What has waited longest comes first. A bot does, for ever: ask with `wait=25`; for each item get the legal moves, choose,
    answer; ask again with `next_after` as `after`, or without it if one stayed unanswered. The request is held until what
    I owe is no longer what it was at `after` (without `after`: until I owe something), else the answer is 204, and `after`
    is still good. It tells the state, not the changes: who slept or crashed misses nothing. Your client's read timeout
    must be longer than `wait`. At most four requests of an account wait at a time. `cursor` turns the pages of a long list;
    with it nothing waits.
    """
    return waited(page, queries.my_decisions(caller, **query))


@blueprint.operation("GET", "/events", "games:play", "games:read", query=FeedQuery, answer=Feed, waits=True)
def list_my_events(caller: Caller, query: dict[str, Any]) -> Any:
    """Everything that happened in my games

    A feed to be resumed: ask again with `next_after` as `after`, now or in a month; nothing is skipped. With `wait` the
    request is held until there is something, else the answer is 204, and `after` is still good. Your client's read timeout
    must be longer than `wait`. An item is a move with all that came of it, as I may know it, or says that something
    else happened in that game: a message, a seat taken, the start, the end.
    """
    return waited(feed, feeds.since(caller, **query))
