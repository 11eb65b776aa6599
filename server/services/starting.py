"""From a table with players to the first question: entropy is revealed, the cards are dealt.

Entropy: a player may commit to a text of his own, by its SHA-256. He reveals it when all seats are taken, and not before:
whoever chooses the last commitment must know none of the texts, or together with somebody who knows the seed he could
choose among deals. So the reveals close with the deal, open with the last seat, and are void when a seat becomes free
again: a text that was shown is worth nothing any more, and its player may commit to another one."""

from __future__ import annotations

import hashlib
from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session

import engine
from server import clock, kicking
from server.database import transaction
from server.errors import (
    EntropyCommitted,
    EntropyRevealed,
    NoEntropyCommitted,
    SeatsStillFree,
    TooFewPlayers,
    WrongEntropy,
)
from server.models import Game, Seat
from server.said import said
from server.services import archive, bots, cascade, feeds, games, invitations, looking, notifying
from server.services.accounts import Caller
from server.services.looking import Expects

FEWEST_PLAYERS = 2


def commit(caller: Caller, game_id: str, entropy_commitment: str, expects: Expects) -> dict[str, Any]:
    """For who took his seat without a commitment, or whose text was shown in vain; as long as nobody else's is known."""
    with transaction() as session:
        game = games.lock(session, game_id, caller)
        seat = games.own_seat(game, caller)
        expects(looking.summary_version(game))
        if seat.entropy_commitment != entropy_commitment:  # the same once more changes nothing
            _may_commit(game, seat)
            seat.entropy_commitment = entropy_commitment
            game.version += 1
        return games.about(session, game)


def _may_commit(game: Game, seat: Seat) -> None:
    games.check_not_started(game)
    if seat.entropy_commitment is not None:
        raise EntropyCommitted(said("you have committed to {commitment}", commitment=seat.entropy_commitment))
    if any(other.entropy is not None for other in game.players):
        raise EntropyRevealed(said("somebody has shown his text already: yours would no longer be chosen blindly"))


def reveal(caller: Caller, game_id: str, entropy: str) -> dict[str, Any]:
    """Shows the text that the caller committed to. The last one starts a game that starts by itself."""
    with transaction() as session:
        now = clock.now()
        game = games.lock(session, game_id, caller)
        seat = games.own_seat(game, caller)
        if seat.entropy != entropy:  # the same once more changes nothing
            _may_reveal(game, seat, entropy)
            seat.entropy = entropy
            game.version += 1
            begin_by_itself(session, game, now)
        answer = games.about(session, game)
    kicking.kick()
    return answer


def _may_reveal(game: Game, seat: Seat, entropy: str) -> None:
    if seat.entropy_commitment is None:
        raise NoEntropyCommitted(said("you have committed to no text: there is nothing to show"))
    games.check_not_started(game)
    if len(game.players) < game.seats:
        raise SeatsStillFree(
            said(
                "{taken} of {count:seat is|seats are} taken; reveal when all are",
                taken=len(game.players),
                count=game.seats,
            )
        )
    digest = hashlib.sha256(entropy.encode()).hexdigest()
    if digest != seat.entropy_commitment:
        raise WrongEntropy(
            said(
                "you committed to {commitment}, and this hashes to {digest}",
                commitment=seat.entropy_commitment,
                digest=digest,
            )
        )


def forget_what_was_revealed(game: Game) -> None:
    """A seat has become free: who takes it must not commit knowing what the others have shown."""
    for seat in game.players:
        if seat.entropy is not None:
            seat.entropy_commitment = seat.entropy = None


def _to_be_revealed(game: Game) -> bool:
    return any(addition["revealed"] is None for addition in archive.entropy_of(game))


def begin_by_itself(session: Session, game: Game, now: datetime) -> None:
    """When all seats are taken and everything that was committed to is revealed."""
    if game.start == "automatic" and len(game.players) == game.seats and not _to_be_revealed(game):
        begin(session, game, now)


def start(caller: Caller, game_id: str) -> dict[str, Any]:
    """The host begins with the players who are there; seats that are still free go away.

    If with them a reveal has become possible only now, the game waits for it, and begins by itself or at a second call.
    """
    with transaction() as session:
        now = clock.now()
        game = games.hosted(session, game_id, caller)
        if len(game.players) < FEWEST_PLAYERS:
            raise TooFewPlayers(
                said("{needed} players are needed, {count} is there", needed=FEWEST_PLAYERS, count=len(game.players))
            )
        waits = len(game.players) < game.seats and _to_be_revealed(game)
        resize(session, game, len(game.players))
        if waits:
            _close(game)
        else:
            begin(session, game, now)
        answer = games.about(session, game)
    kicking.kick()
    return answer


def resize(session: Session, game: Game, seats: int) -> None:
    """Another number of seats: the rules have to allow for it, and the bots that sit there."""
    games.check_options(game.options, seats)
    if seats != game.seats:
        game.seats = seats
        for account in sorted((seat.account for seat in game.players), key=lambda account: account.id):
            bots.check_accepts(session, account, game)


def _close(game: Game) -> None:
    """Nobody else can join; what was committed to is to be revealed."""
    game.start = "automatic"
    game.version += 1


def begin(session: Session, game: Game, now: datetime) -> None:
    """Deals, and asks the first question. The caller holds the lock of the game."""
    state = archive.dealt(game)
    game.status, game.started_at = "running", now
    game.version += 1
    invitations.settle_all(session, game, now)
    cascade.append(session, game, engine.opening(state), 0, now)
    cascade.go_on(session, game, state, now)
    notifying.game_started(session, game, now)
    feeds.note(session, game, "started", now)
