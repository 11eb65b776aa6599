"""Orders and a position: what is answered, what is left, and why a queue stops."""

from __future__ import annotations

import pytest

import engine
from engine.positions import read_playable
from server.services.orders.acting import Answer, Circumstances, answer
from server.services.orders.grammar import read

HEAD = "turn 3 feeding; bank {bank}; deck 50; first A; go A\n"


def state(position: str) -> engine.State:
    return read_playable(position, bytes(32))


def answered(position: str, *lines: str, **now: object) -> Answer:
    return answer(read(lines), state(position), Circumstances(**now))  # type: ignore[arg-type]


DEVELOP = (
    "turn 3 development; bank 0; deck 50; first A; go A\nA: hand swimming, carnivorous/large\nA1:\nB: hand 2\nB1:\n"
)
LAST_CARD = DEVELOP.replace(", carnivorous/large", "")
FEED = HEAD.format(bank=2) + "A1:\nA2: carnivorous\nB1:\n"
GRAZING = HEAD.format(bank=3).replace("go A", "go A; acted") + "A1: grazing; food 1\nA2:\nB1:\n"
ATTACKED = (
    HEAD.format(bank=2).replace("go A", "go A; acted")
    + "A1: carnivorous; hunted\nB1: running, tail-loss\nB2: mimicry\nB3:\nawaiting B: defend A1 B1\n"
)

CASES = {
    "the first of the queue is played": (DEVELOP, ["play swimming A1", "pass"], {}, "play swimming A1", ["pass"]),
    "a move of another phase waits": (DEVELOP, ["feed A1"], {}, None, ["feed A1"]),
    "no orders, no answer": (DEVELOP, [], {}, None, []),
    "passing after enough cards": (DEVELOP, ["pass development after 1"], {"cards_played": 1}, "pass", None),
    "not before": (DEVELOP, ["pass development after 2"], {"cards_played": 1}, None, None),
    "the queue comes before passing": (DEVELOP, ["play swimming A1", "pass development after 0"], {}, "play swimming A1", None),
    "a hand that is not empty": (DEVELOP, ["pass development when hand empty"], {}, None, None),
    "feeding in a row": (FEED, ["feed A1", "feed A2"], {}, "feed A1", ["feed A2"]),
    "food can be received still": (FEED, ["pass feeding when nothing to receive"], {}, None, None),
    "an attack does not stop a queue by itself": (FEED, ["feed A1"], {"attacked": True}, "feed A1", []),
    "the next main action ends this go": (GRAZING, ["feed A2"], {}, "end", ["feed A2"]),
    "an extra action does not": (GRAZING, ["graze A1"], {}, "graze A1", []),
    "an end when the go ended by itself": (FEED, ["end", "feed A2"], {}, "feed A2", []),
    "an end of a go that was in feeding": (DEVELOP, ["end", "play swimming A1"], {}, "play swimming A1", []),
    "a pass after the last card, which nobody will be asked for": (LAST_CARD, ["play swimming A1, pass", "feed A1"], {}, "play swimming A1", ["feed A1"]),
    "a pass after a card that is not the last": (DEVELOP, ["play swimming A1, pass"], {}, "play swimming A1", ["pass"]),
    "an end of a go": (GRAZING, ["end", "feed A2"], {}, "end", ["feed A2"]),
    "the first defence that is possible": (ATTACKED, ["defend drop camouflage, run"], {}, "run B1", None),
    "in the order given": (ATTACKED, ["defend drop tail-loss, run"], {}, "drop B1 tail-loss", None),
    "one animal's before all": (ATTACKED, ["defend run", "defend B1 drop tail-loss"], {}, "drop B1 tail-loss", None),
    "another animal's not at all": (ATTACKED, ["defend B2 run"], {}, None, None),
    "a queue is kept when there is no defence": (ATTACKED, ["feed B2"], {}, None, ["feed B2"]),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_orders_answer(name: str) -> None:
    position, lines, now, move, left = CASES[name]
    given = answered(position, *lines, **now)
    assert (None if given.move is None else str(given.move)) == move
    assert given.stopped is None
    if left is not None:
        assert list(given.left.queue) == left


STOPS = {
    "an illegal move": (FEED, ["attack A1 B1", "end"], {}, "attack A1 B1 could not be played"),
    "an attack": (FEED, ["feed A1", "stop when attacked"], {"attacked": True}, "was attacked"),
    "another turn": (FEED, ["feed A1", "stop when turn changed"], {"turn_changed": True}, "new turn"),
    "a bank that is low": (FEED, ["feed A1", "stop when bank below 3"], {}, "2 left"),
}


@pytest.mark.parametrize("name", STOPS)
def test_a_queue_stops_at(name: str) -> None:
    position, lines, now, why = STOPS[name]
    given = answered(position, *lines, **now)
    assert given.move is None
    assert given.left.queue == ()
    assert given.stopped is not None and why in given.stopped


def test_conditions_that_have_not_come_about_stop_nothing() -> None:
    lines = ["feed A1", "stop when attacked", "stop when turn changed", "stop when bank below 2"]
    assert str(answered(FEED, *lines).move) == "feed A1"


def test_illegal_moves_are_skipped_if_he_says_so() -> None:
    given = answered(FEED, "attack A1 B1", "graze A1", "feed A1", "if illegal skip")
    assert str(given.move) == "feed A1"
    assert given.skipped == ("attack A1 B1", "graze A1")
    assert given.left.queue == ()


def test_standing_answers_stay_when_a_queue_stops() -> None:
    given = answered(FEED, "attack A1 B1", "defend run")
    assert given.left.defend == ("run",)


def test_passing_when_nothing_can_be_received() -> None:
    position = HEAD.format(bank=1) + "A1: grazing; food 1\nB1:\n"
    assert str(answered(position, "pass feeding when nothing to receive").move) in ("pass", "end")


def test_who_scavenges_and_which_pair_fires() -> None:
    shares = (
        HEAD.format(bank=1).replace("go A", "go A; acted")
        + "A1: food 1\nA2:\nA3:\nA1+A2: communication\nA1+A3: communication\nB1:\n"
        + "awaiting A: share communication A1>A2, communication A1>A3\n"
    )
    assert str(answered(shares, "share cooperation, communication A1>A3").move) == "share communication A1>A3"
    assert str(answered(shares, "share communication").move) == "share communication A1>A2"
    assert answered(shares, "share cooperation").move is None


def test_nothing_is_changed_by_looking() -> None:
    before = state(ATTACKED)
    text = engine.dump(before)
    answer(read(["defend run"]), before, Circumstances())
    assert engine.dump(before) == text
