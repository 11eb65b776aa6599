"""Who sits at a table before the game starts: seats are taken, left, and taken away.

Letters are those of table order, so when a seat becomes free the ones after it move up; the host always has A."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session

from server import clock, kicking
from server.database import transaction
from server.errors import AlreadySeated, HostKeepsSeat, InvitationNeeded, NoFreeSeat, UnknownSeat
from server.models import Game, Invitation, Seat
from server.said import said
from server.services import accounts, bots, feeds, games, invitations, looking, repeating, starting
from server.services.accounts import Caller
from server.services.looking import Expects
from server.services.repeating import Made


def join(caller: Caller, game_id: str, entropy_commitment: str | None = None) -> Made:
    """Takes the next free seat; the last one starts the game, unless its host wants to, or entropy is to be revealed."""
    with transaction() as session:
        if repeating.earlier(session, caller) is not None:
            return Made(games.about(session, games.find(session, game_id, caller)), again=True)
        now = clock.now()
        game = games.lock(session, game_id, caller)
        sit_down(session, game, caller, invitations.offered(session, game, caller, now), entropy_commitment, now)
        repeating.remember(session, caller, game.id)
        made = Made(games.about(session, game))
    kicking.kick()
    return made


def sit_down(
    session: Session,
    game: Game,
    caller: Caller,
    offer: Invitation | None,
    entropy_commitment: str | None,
    now: datetime,
) -> None:
    """On the next free seat; an invitation is used up by it. The caller of this holds the lock of the game."""
    _may_sit_down(game, caller, offer)
    take_seat(session, game, caller, entropy_commitment, now)
    if offer is not None:
        invitations.settle(offer, "accepted", now)
    game.version += 1
    feeds.note(session, game, "seated", now)
    starting.begin_by_itself(session, game, now)


def _may_sit_down(game: Game, caller: Caller, offer: Invitation | None) -> None:
    letter = games.letter_of(game, caller)
    if letter is not None:
        raise AlreadySeated(said("you have seat {letter}", letter=letter))
    if len(game.players) == game.seats:
        raise NoFreeSeat(said("all {count:seat is|seats are} taken", count=game.seats))
    games.check_not_started(game)
    if game.join != "open" and offer is None:
        raise InvitationNeeded(said("this table is for invited players"))


def take_seat(session: Session, game: Game, caller: Caller, entropy_commitment: str | None, now: datetime) -> None:
    account = accounts.lock(session, caller)
    bots.check_accepts(session, account, game)
    bots.check_persons(session, account, game)
    letter = games.LETTERS[len(game.players)]
    seat = Seat(game_id=game.id, letter=letter, account_id=account.id, account=account, joined_at=now)
    seat.entropy_commitment = entropy_commitment
    game.players.append(seat)
    session.flush()


def leave(caller: Caller, game_id: str, expects: Expects) -> None:
    with transaction() as session:
        game = games.lock(session, game_id, caller)
        seat = games.own_seat(game, caller)
        games.check_not_started(game)
        expects(looking.summary_version(game))
        if game.host_id == caller.account_id:
            raise HostKeepsSeat(said("you are its host: delete the game instead"))
        clear(session, game, seat, clock.now())
    kicking.kick()


def unseat(caller: Caller, game_id: str, letter: str, expects: Expects) -> dict[str, Any]:
    """The host takes a seat away. Letters move up, so he had better say (`expects`) which table he means."""
    with transaction() as session:
        game = games.hosted(session, game_id, caller)
        expects(looking.summary_version(game))
        seat = next((seat for seat in game.players if seat.letter == letter), None)
        if seat is None:
            raise UnknownSeat(said("nobody has seat {letter}", letter=repr(letter[:10])))
        if seat.account_id == game.host_id:
            raise HostKeepsSeat(said("this is your own seat: delete the game instead"))
        clear(session, game, seat, clock.now())
        answer = games.about(session, game)
    kicking.kick()
    return answer


def clear(session: Session, game: Game, seat: Seat, now: datetime) -> None:
    """The seat is free again; everybody learns it, he who sat there, too. The caller of this holds the lock of the game."""
    feeds.note(session, game, "left", now)
    session.delete(seat)
    session.flush()
    session.refresh(game, ["players"])
    for letter, moved in zip(games.LETTERS, game.players, strict=False):
        if moved.letter != letter:
            moved.letter = letter
            session.flush()  # one by one: no two seats have a letter, not even for a moment
    starting.forget_what_was_revealed(game)
    game.version += 1
