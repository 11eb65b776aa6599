"""What the orders of a seat answer to the open question. Pure: the state and the orders in, a move and the orders that are left out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import engine
from engine.feeding import Feed
from server.said import Said, said
from server.services.orders.grammar import CLOSING_MOVES, DEVELOPMENT_MOVES, FEEDING_MOVES, Orders, is_of_one_animal

MAIN = frozenset(("feed", "attack", "convert"))  # one of these a go
RECEIVING = frozenset(("feed", "attack", "steal", "convert", "hibernate"))  # what can still save an animal from hunger


@dataclass(frozen=True)
class Circumstances:
    """What the state does not tell: since the orders were given, and in this turn."""

    attacked: bool = False
    turn_changed: bool = False
    cards_played: int = 0  # by this seat in this turn's development


@dataclass(frozen=True)
class Answer:
    """`move` None: the player has to be asked. `stopped`: why the queue ended before its end."""

    move: engine.Move | None
    left: Orders
    stopped: Said | None = None
    skipped: tuple[str, ...] = ()


def answer(orders: Orders, state: engine.State, now: Circumstances) -> Answer:
    """To the question that is open; it is the caller's business whose that is."""
    question = engine.question(state)
    assert question is not None, "nothing is asked when the game is over"
    if question.kind in ("develop", "feed"):
        return _of_a_go(orders, state, question.kind, now)
    wishes = {"defend": _defences, "scavenge": _scavengers, "share": _pairs}[question.kind](orders, state)
    return Answer(_first(state, wishes), orders)


def _of_a_go(orders: Orders, state: engine.State, kind: str, now: Circumstances) -> Answer:
    skipped: list[str] = []
    while orders.queue:
        if stopped := _condition(orders, state, kind, now):
            return Answer(None, replace(orders, queue=()), stopped, tuple(skipped))
        head = orders.queue[0]
        if not _fits(head, kind):
            break
        if closing := _between_goes(state, head):
            return Answer(closing, orders, None, tuple(skipped))
        if head == "end" and (kind == "develop" or not _has_acted(state)):
            orders = replace(orders, queue=orders.queue[1:])  # the go before ended by itself
            continue
        move = _legal(state, head)
        if isinstance(move, engine.Move):
            return Answer(move, replace(orders, queue=_after(orders.queue, move, state)), None, tuple(skipped))
        if not orders.skip_illegal:
            why = said("{move} could not be played: {why}", move=head, why=move)
            return Answer(None, replace(orders, queue=()), why, tuple(skipped))
        skipped.append(head)
        orders = replace(orders, queue=orders.queue[1:])
    return Answer(_pass(orders, state, kind, now), orders, None, tuple(skipped))


def _condition(orders: Orders, state: engine.State, kind: str, now: Circumstances) -> Said | None:
    """The first condition to stop the queue that has come about."""
    for condition in orders.stop_when:
        if condition == "attacked" and now.attacked:
            return said("one of your animals was attacked")
        if condition == "turn changed" and now.turn_changed:
            return said("a new turn has begun")
        if condition.startswith("bank below ") and kind == "feed" and state.bank < int(condition.rpartition(" ")[2]):
            return said("the food bank has {bank} left", bank=state.bank)
    return None


def _fits(move: str, kind: str) -> bool:
    """Whether it is a move of this phase at all; one of another phase waits for that."""
    return move.split()[0].lower() in (DEVELOPMENT_MOVES if kind == "develop" else FEEDING_MOVES) | CLOSING_MOVES


def _between_goes(state: engine.State, head: str) -> engine.Move | None:
    """The end of this go, when its main action is made and the queue goes on with another one."""
    question = engine.question(state)
    if not (isinstance(question, Feed) and question.main and head.split()[0].lower() in MAIN):
        return None
    return _closing(state)


def _after(queue: tuple[str, ...], move: engine.Move, state: engine.State) -> tuple[str, ...]:
    """The queue without that move; and without the pass behind it, if nobody will be asked for that: the hand is empty."""
    asked = engine.asked(state)
    last_card = move.word in DEVELOPMENT_MOVES and asked is not None and len(state.players[asked].hand) == 1
    return queue[2:] if last_card and queue[1:2] == ("pass",) else queue[1:]


def _has_acted(state: engine.State) -> bool:
    question = engine.question(state)
    return not isinstance(question, Feed) or question.main or question.extra


def _closing(state: engine.State) -> engine.Move | None:
    return next((move for move in engine.legal_moves(state) if move.word in CLOSING_MOVES), None)


def _legal(state: engine.State, written: str) -> engine.Move | Said:
    """The move, or why there is none."""
    try:
        return engine.read_move(state, written)
    except (engine.IllegalMove, engine.BadNotation) as error:
        return said("{why}", why=error.detail)


def _pass(orders: Orders, state: engine.State, kind: str, now: Circumstances) -> engine.Move | None:
    """By an order to pass by itself, if its time has come."""
    moves, closing = engine.legal_moves(state), _closing(state)
    if kind == "feed":
        nothing = not any(move.word in RECEIVING for move in moves)
        return closing if orders.pass_fed and nothing else None
    enough = orders.pass_after is not None and now.cards_played >= orders.pass_after
    empty = orders.pass_empty and not any(move.word in DEVELOPMENT_MOVES for move in moves)
    return closing if enough or empty else None


def _defences(orders: Orders, state: engine.State) -> Iterator[str]:
    """For the animal that is attacked: what was ordered for it, then what was ordered for all."""
    prey = engine.view(state, None)["question"]["prey"]
    own = [option.removeprefix(prey + " ") for option in orders.defend if option.startswith(prey + " ")]
    general = [option for option in orders.defend if not is_of_one_animal(option)]
    for option in own + general:
        word, _, rest = option.partition(" ")
        yield " ".join(filter(None, (word, prey, rest)))


def _scavengers(orders: Orders, state: engine.State) -> Iterator[str]:
    yield from (f"scavenge {animal}" for animal in orders.scavenge)


def _pairs(orders: Orders, state: engine.State) -> Iterator[str]:
    yield from (f"share {pair}" for pair in orders.share)


def _first(state: engine.State, wishes: Iterator[str]) -> engine.Move | None:
    """The first legal move that a wish names, whole or by its beginning (`mimic B1` for any of its targets)."""
    moves = engine.legal_moves(state)
    for wish in wishes:
        for move in moves:
            if _is_meant(wish, str(move)):
                return move
    return None


def _is_meant(wish: str, move: str) -> bool:
    return move == wish or move.startswith(wish + " ") or move.rstrip("*") == wish
