"""The same table again: whoever of its players asks first lays it, the others are invited, and get the same one."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.orm import Session

from server import clock, kicking
from server.database import transaction
from server.errors import GameNotOver
from server.models import Account, Game, Invitation
from server.said import said
from server.services import games, invitations, lobby, repeating, seating
from server.services.accounts import Caller
from server.services.repeating import Made

THE_SAME = ("listed", "spectators", "start", "own_bots")


@dataclass(frozen=True)
class Rematch:
    game: Made
    new: bool  # laid by the caller


def rematch(caller: Caller, game_id: str, entropy_commitment: str | None = None) -> Rematch:
    """The first call makes the game and invites the others to it; each of them sits down there by the same call."""
    with transaction() as session:
        again = repeating.earlier(session, caller)
        if again is not None:
            game = repeating.found(session, Game, again)
            return Rematch(Made(games.about(session, game), again=True), new=game.host_id == caller.account_id)
        now = clock.now()
        old = games.lock(session, game_id, caller)
        games.own_seat(old, caller)
        _check_over(old)
        following = _following(session, old)
        if following is None:
            made = Rematch(Made(games.about(session, _lay(session, caller, old, entropy_commitment, now))), new=True)
        else:
            _sit_down(session, caller, following, entropy_commitment, now)
            made = Rematch(Made(games.about(session, following)), new=False)
        repeating.remember(session, caller, str(old.rematch_id))
    kicking.kick()
    return made


def _check_over(game: Game) -> None:
    if game.started_at is None or game.ended_at is None:
        raise GameNotOver(said("it is {status}; the same table again is for games that are over", status=game.status))


def _following(session: Session, old: Game) -> Game | None:
    """The game that was laid before, locked; one that was called off is none."""
    following = games.locked(session, old.rematch_id) if old.rematch_id is not None else None
    called_off = following is not None and following.status == "cancelled" and following.started_at is None
    return None if called_off else following


def _sit_down(session: Session, caller: Caller, game: Game, entropy_commitment: str | None, now: datetime) -> None:
    """With the invitation that he got; who sits there already does."""
    if games.letter_of(game, caller) is None:
        offer = invitations.offered(session, game, caller, now)
        seating.sit_down(session, game, caller, offer, entropy_commitment, now)


def _lay(session: Session, caller: Caller, old: Game, entropy_commitment: str | None, now: datetime) -> Game:
    switches = {name: getattr(old, name) for name in THE_SAME}
    game = lobby.lay(session, caller, old.seats, old.options, entropy_commitment, now, join="invited", **switches)
    again = old.rematch_id is not None  # it was called off
    old.rematch_id = game.id
    _invite_the_others(session, caller, old, game, now, limited=again)
    return game


def _invite_the_others(session: Session, caller: Caller, old: Game, game: Game, now: datetime, limited: bool) -> None:
    """Whoever played is told once; then it counts as any other invitation."""
    inviter = session.get_one(Account, caller.account_id)
    for seat in old.players:
        if seat.account_id != caller.account_id and seat.account.deleted_at is None:
            invitation = Invitation(kind="account", account_id=seat.account_id)
            invitations.offer(session, invitation, game, inviter, now, limited=limited)
