"""Games that are really played: each move through the service that the API calls, and written down once it was answered."""

from __future__ import annotations

import itertools
import random
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TypeVar

from sqlalchemy import select
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

import engine
from server.database import reading, transaction
from server.models import Delivery, Game
from server.services import lobby, play, seating
from server.services.accounts import Caller
from tests.faults.stage import PATIENCE, Stage
from tests.workers import rows

EMAIL, WEBHOOK, BOTH = "email", "webhook", "both"
SWITCHES = {"listed": True, "join": "open", "spectators": "public", "start": "automatic"}
T = TypeVar("T")
AT_A_TIME = 4  # games that are moved in

numbers = itertools.count(1)


@dataclass(frozen=True)
class Answered:
    """A move that was acknowledged: `at` is after its commit."""

    game: str
    decision: int
    at: float


@dataclass
class Ledger:
    """What the players were told; the other side of what is in the database."""

    answered: list[Answered] = field(default_factory=list)
    troubles: set[str] = field(default_factory=set)  # what the database said to players who then asked again
    lock: threading.Lock = field(default_factory=threading.Lock)

    def note(self, game: str, decision: int) -> None:
        with self.lock:
            self.answered.append(Answered(game, decision, time.time()))


@dataclass
class Table:
    """`rough`: the database may be away, and then the same answer is given until it is acknowledged."""

    stage: Stage
    ledger: Ledger
    game: str
    callers: dict[str, Caller]
    dice: random.Random
    rough: bool = False

    def question(self) -> tuple[int, str, Sequence[engine.Move]] | None:
        """The open decision, whose it is, and what may be answered; None when the game is over."""
        with reading() as session:
            game = session.get_one(Game, self.game)
            if game.decision is None or game.asked_seat is None or game.status != "running":
                return None
            return game.decision, game.asked_seat, engine.legal_moves(engine.load(game.state or ""))

    def move(self) -> bool:
        """Answers the open decision; False when the game is over."""
        asked = self._patiently(self.question)
        if asked is None:
            return False
        number, seat, moves = asked
        move = str(self.dice.choice(moves))
        self._patiently(lambda: play.answer(self.callers[seat], self.game, number, move))
        self.ledger.note(self.game, number)
        return True

    def told(self) -> bool:
        """Whether the notices of the open decision have arrived, and it is for one of our players to answer."""
        asked = self._patiently(self.question)
        if asked is None:
            return True
        if asked[1] not in self.callers:
            return False
        ids = self._patiently(lambda: _message_ids(self.game, asked[0]))
        return bool(ids) and all(map(self.stage.journal.has, ids))

    def _patiently(self, act: Callable[[], T]) -> T:
        ends = time.monotonic() + PATIENCE
        while True:
            try:
                return act()
            except SQLAlchemyError as error:
                if not self.rough or not isinstance(error, DBAPIError) or time.monotonic() > ends:
                    raise
                self.ledger.troubles.add(str(error.orig))
                time.sleep(0.1)


def _message_ids(game: str, decision: int) -> list[str]:
    wanted = select(Delivery.message_id).where(
        Delivery.game_id == game, Delivery.decision == decision, Delivery.kind == "your_turn"
    )
    with reading() as session:
        return list(session.scalars(wanted))


def opened(
    stage: Stage, ledger: Ledger, count: int, seats: str = "EW", hook: str = "good", rough: bool = False
) -> list[Table]:
    """So many games. `seats`: how each player is told, E by mail, W by webhook, B by both."""
    tables = []
    for _ in range(count):
        number = next(numbers)
        with transaction() as session:
            accounts = [
                rows.account(session, f"player{number}{letter}", "" if how in "EB" else None)
                for letter, how in zip("abcdefgh", seats, strict=False)
            ]
            for account, how in zip(accounts, seats, strict=True):
                if how in "WB":
                    url = f"{stage.hooks.url}/{hook}"
                    rows.endpoint(session, account, url, "turn.opened", "game.started", "game.over")
        callers = [Caller(account.id, frozenset({"games:play"})) for account in accounts]
        game = str(lobby.create(callers[0], len(seats), {}, **SWITCHES).body["id"])
        for caller in callers[1:]:
            seating.join(caller, game)
        by_seat = dict(zip("ABCDEFGH", callers, strict=False))
        tables.append(Table(stage, ledger, game, by_seat, random.Random(stage.dice.random()), rough))
    return tables


def play_on(tables: Sequence[Table], moves: int, told: bool = True, patience: float = PATIENCE) -> None:
    """So many moves in each game. `told`: whoever is asked answers when his notice has come, else at once."""
    with ThreadPoolExecutor(AT_A_TIME, thread_name_prefix="player") as pool:
        shares = [tables[number::AT_A_TIME] for number in range(AT_A_TIME)]
        for future in [pool.submit(_play, share, moves, told, patience) for share in shares if share]:
            future.result()


def _play(tables: Sequence[Table], moves: int, told: bool, patience: float) -> None:
    left = dict.fromkeys(range(len(tables)), moves)
    ends = time.monotonic() + patience
    while left:
        moved = False
        for number in list(left):
            if told and not tables[number].told():
                continue
            moved = True
            left[number] -= 1
            if not tables[number].move() or not left[number]:
                del left[number]
        if moved:
            ends = time.monotonic() + patience
        elif time.monotonic() > ends:
            return  # what never came is counted as lost
        else:
            time.sleep(0.03)
