"""Reminders: rows with the decision, swept when they are due, and only while it is open."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, time, timedelta
from typing import Any

import pytest
import time_machine

from server import clock
from server.config import Settings
from server.database import reading, transaction
from server.models import Account, Game, Mute, Timer
from server.services import digests, preferences, profile, timers
from server.services.accounts import Caller
from server.services.settling import Outcome
from tests.workers import rows, wishing

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
NIGHT = {"from": time(22), "until": time(8)}


def a_game(kind: str = "person") -> str:
    with transaction() as session:
        anna, boris = rows.account(session, "anna", None), rows.account(session, "boris")
        boris.kind = kind
        return rows.game(session, anna, boris).id


def turn(game: str, seat: str = "B") -> None:
    """It is somebody's turn, and the mail about it has gone out."""
    with transaction() as session:
        rows.ask(session, session.get_one(Game, game), seat)
        rows.tell_turns(session)


def boris() -> Caller:
    with reading() as session:
        return Caller(session.query(Account).filter_by(name="boris").one().id, frozenset({"account"}))


def wish(*reminders: timedelta, **changes: Any) -> None:
    if reminders or not changes:
        changes["reminders"] = list(reminders)
    preferences.change(boris(), changes, lambda version: None)


def set_timers() -> list[tuple[timedelta, bool]]:
    """After noon, and whether it is over; of Boris."""
    with reading() as session:
        found = session.query(Timer).filter_by(seat="B").order_by(Timer.due_at).all()
        return [(timer.due_at - NOON, timer.fired_at is not None) for timer in found]


def reminded() -> list[tuple[str, int | None]]:
    return [(row.state, row.decision) for row in rows.deliveries() if row.kind == "reminder"]


def test_by_default_one_is_reminded_after_two_days_and_once(settings: Settings) -> None:
    with time_machine.travel(NOON, tick=False) as now:
        turn(a_game())
        now.shift(2 * DAY - timedelta(seconds=1))
        assert timers.sweep() == 0
        now.shift(timedelta(seconds=1))
        assert timers.sweep() == 1
        assert timers.sweep() == 0
        now.shift(DAY)
        assert timers.sweep() == 0
    assert reminded() == [("due", 1)]
    assert set_timers() == [(2 * DAY, True)]


def test_a_bot_is_not_reminded_unless_it_wishes_so(settings: Settings) -> None:
    game = a_game("bot")
    turn(game)
    assert set_timers() == []
    wish(DAY)
    assert len(set_timers()) == 1


def test_whoever_has_moved_is_not_reminded(settings: Settings) -> None:
    with time_machine.travel(NOON, tick=False) as now:
        game = a_game()
        turn(game)
        turn(game, "A")
        now.shift(3 * DAY)
        assert timers.sweep() == 1, "Anna"
    assert reminded() == []
    assert set_timers() == [(2 * DAY, True)]


def test_a_game_that_is_over_reminds_nobody(settings: Settings) -> None:
    with time_machine.travel(NOON, tick=False) as now:
        game = a_game()
        turn(game)
        with transaction() as session:
            found = session.get_one(Game, game)
            found.status, found.decision, found.asked_seat = "over", None, None
        now.shift(3 * DAY)
        assert timers.sweep() == 0
    assert reminded() == [] and set_timers() == [(2 * DAY, True)]


def test_as_often_as_one_wishes(settings: Settings) -> None:
    with time_machine.travel(NOON, tick=False) as now:
        game = a_game()
        wish(HOUR, DAY, 3 * DAY)
        turn(game)
        told = []
        for _ in range(4 * 24):
            now.shift(HOUR)
            if timers.sweep():
                told.append(clock.now() - NOON)
    assert told == [HOUR, DAY, 3 * DAY]
    assert [state for state, _ in reminded()] == ["obsolete", "obsolete", "due"], "the newest of those that wait"


def test_other_wishes_set_other_reminders_of_what_is_open(settings: Settings) -> None:
    with time_machine.travel(NOON, tick=False) as now:
        game = a_game()
        wish(HOUR, DAY)
        turn(game)
        now.shift(HOUR)
        timers.sweep()
        wish(HOUR, 2 * HOUR, 3 * DAY)
        assert set_timers() == [(HOUR, True), (2 * HOUR, False), (3 * DAY, False)]
        wish()
        assert set_timers() == [(HOUR, True)]
        now.shift(HOUR)
        wish(2 * HOUR, 5 * HOUR)
        assert set_timers() == [(HOUR, True), (5 * HOUR, False)], "what would have been due is not made up for"


def test_none_in_the_night(settings: Settings) -> None:
    with time_machine.travel(NOON, tick=False) as now:
        game = a_game()
        wish(12 * HOUR, quiet_hours=NIGHT)
        turn(game)
        now.shift(timedelta(hours=9, minutes=54))
        assert timers.sweep() == 0
        now.shift(timedelta(minutes=1))
        assert timers.sweep() == 1
    (mail,) = [row for row in rows.deliveries() if row.kind == "reminder"]
    assert mail.next_at == NOON + timedelta(hours=9, minutes=55)


def test_what_became_due_while_we_were_away_waits_for_the_morning(settings: Settings) -> None:
    with time_machine.travel(NOON, tick=False) as now:
        game = a_game()
        wish(8 * HOUR, quiet_hours=NIGHT)
        turn(game)
        now.shift(12 * HOUR)
        assert timers.sweep() == 0
        assert set_timers() == [(20 * HOUR, False)]
        now.shift(8 * HOUR)
        assert timers.sweep() == 1


def test_two_that_became_due_while_we_were_away_are_one(settings: Settings) -> None:
    with time_machine.travel(NOON, tick=False) as now:
        game = a_game()
        wish(HOUR, 2 * HOUR)
        turn(game)
        now.shift(5 * HOUR)
        assert timers.sweep() == 1
    assert len(reminded()) == 1
    assert [over for _, over in set_timers()] == [True, True]


def test_who_moves_to_another_time_zone_is_not_reminded_in_his_new_night(settings: Settings) -> None:
    with time_machine.travel(NOON, tick=False):
        game = a_game()
        wish(6 * HOUR, quiet_hours=NIGHT)
        turn(game)
        assert set_timers() == [(6 * HOUR, False)]
        profile.change(boris(), {"time_zone": "Asia/Tokyo"}, lambda version: None)  # there it is nine in the evening
        assert set_timers() == [(11 * HOUR, False)]


def test_of_a_muted_game_the_log_says_that_it_was_left_out(settings: Settings) -> None:
    with time_machine.travel(NOON, tick=False) as now:
        game = a_game()
        turn(game)
        with transaction() as session:
            session.add(Mute(account_id=boris().account_id, game_id=game, created_at=clock.now()))
        now.shift(2 * DAY)
        timers.sweep()
    assert reminded() == [("suppressed", 1)]


def test_eight_sweeps_at_once_remind_once(settings: Settings) -> None:
    with time_machine.travel(NOON, tick=False):
        for _ in range(5):
            turn(_another_game())
    with time_machine.travel(NOON + 2 * DAY, tick=False), ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(lambda _: timers.sweep(), range(8))) == 5
    assert len(reminded()) == 5


def _another_game() -> str:
    with transaction() as session:
        names = {account.name: account for account in session.query(Account)}
        anna = names.get("anna") or rows.account(session, "anna", None)
        return rows.game(session, anna, names.get("boris") or rows.account(session, "boris")).id


AT_ELEVEN = 11 * HOUR  # in the evening, after noon
BUSY, REFUSED = Outcome("transient", 451, "busy"), Outcome("permanent", 550, "no")

# wishes, when the decision is opened after noon, when mails come of it
TOLD_FIRST: dict[str, tuple[dict[str, Any], timedelta, list[tuple[str, timedelta]]]] = {
    "it waits for the end of the night": (
        {"reminders": [HOUR], "quiet_hours": NIGHT},
        AT_ELEVEN,
        [("your_turn 1", 20 * HOUR), ("reminder 1", 21 * HOUR)],
    ),
    "it waits for him to move by himself": (
        {"reminders": [HOUR], "delay": 6 * HOUR},
        timedelta(0),
        [("your_turn 1", 6 * HOUR), ("reminder 1", 7 * HOUR)],
    ),
    "it waits for the digest": (
        {"reminders": [HOUR], "digest_at": time(18), "kinds": {"your_turn": {"email": "digest"}}},
        timedelta(0),
        [("digest None", 6 * HOUR), ("reminder 1", 7 * HOUR)],
    ),
    "both wait for digests": (
        {
            "reminders": [HOUR],
            "digest_at": time(18),
            "kinds": {kind: {"email": "digest"} for kind in ("your_turn", "reminder")},
        },
        timedelta(0),
        [("digest None", 6 * HOUR), ("digest None", 30 * HOUR)],
    ),
    "an hour after it the night has begun": (
        {"reminders": [HOUR], "delay": 9 * HOUR + timedelta(minutes=30), "quiet_hours": NIGHT},
        timedelta(0),
        [("your_turn 1", 9 * HOUR + timedelta(minutes=30)), ("reminder 1", 20 * HOUR)],
    ),
    "it is off": ({"reminders": [HOUR], **wishing.mails("off")}, timedelta(0), [("reminder 1", HOUR)]),
}


@pytest.mark.usefixtures("no_texts")
@pytest.mark.parametrize("case", TOLD_FIRST)
def test_a_turn_is_told_an_hour_before_one_is_reminded_of_it(case: str, settings: Settings) -> None:
    wishes, opened, expected = TOLD_FIRST[case]
    told = []
    with time_machine.travel(NOON, tick=False) as now:
        game = a_game()
        wish(**wishes)
        now.shift(opened)
        wishing.turn(game)
        while clock.now() < NOON + 40 * HOUR:
            timers.sweep()
            digests.begin()
            told += [(mail, clock.now() - NOON) for mail in wishing.sent(settings)]
            now.shift(timedelta(minutes=30))
    assert told == expected


@pytest.mark.usefixtures("no_texts")
def test_after_an_outage_of_ours_too(settings: Settings) -> None:
    with time_machine.travel(NOON, tick=False) as now:
        wishing.turn(a_game())
        now.shift(2 * DAY + timedelta(seconds=5))
        assert timers.sweep() == 0
        assert wishing.sent(settings) == ["your_turn 1"]
        now.shift(HOUR - timedelta(seconds=1))
        assert timers.sweep() == 0
        now.shift(timedelta(seconds=1))
        assert timers.sweep() == 1 and wishing.sent(settings) == ["reminder 1"]


@pytest.mark.usefixtures("no_texts")
@pytest.mark.parametrize(("outcome", "after"), [(BUSY, 2 * HOUR), (REFUSED, HOUR)])
def test_whom_the_turn_did_not_reach_is_reminded_all_the_same(
    outcome: Outcome, after: timedelta, settings: Settings
) -> None:
    with time_machine.travel(NOON, tick=False) as now:
        game = a_game()
        wish(HOUR)
        wishing.turn(game)
        now.move_to(NOON + HOUR - timedelta(minutes=1))
        assert wishing.sent(settings, outcome) == ["your_turn 1"]  # tried again at the hour
        while not timers.sweep():
            now.shift(timedelta(minutes=1))
            wishing.sent(settings)
        assert after <= clock.now() - NOON < after + timedelta(minutes=10)


def test_other_wishes_leave_one_that_is_overdue(settings: Settings) -> None:
    """It waits for the morning, since we were away until the night had begun."""
    with time_machine.travel(NOON, tick=False) as now:
        game = a_game()
        wish(4 * HOUR, quiet_hours=NIGHT)
        turn(game)
        now.shift(AT_ELEVEN)
        assert timers.sweep() == 0
        wish(delay=timedelta(minutes=5))
        assert len(set_timers()) == 1 and timers.sweep() == 0
        now.move_to(NOON + 20 * HOUR)
        assert timers.sweep() == 1
    assert reminded() == [("due", 1)]


def test_an_evening_that_has_passed_already_when_one_wishes_for_it_costs_no_reminder(settings: Settings) -> None:
    with time_machine.travel(NOON, tick=False) as now:
        game = a_game()
        wish(AT_ELEVEN)
        turn(game)
        now.shift(AT_ELEVEN - timedelta(minutes=30))
        wish(quiet_hours=NIGHT)
        assert timers.sweep() == 0
        now.move_to(NOON + 20 * HOUR)
        assert timers.sweep() == 1


class Halted(Exception):
    pass


def test_a_sweep_that_dies_in_between_has_reminded_nobody_and_the_next_one_does(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    with time_machine.travel(NOON, tick=False) as now:
        turn(a_game())
        now.shift(2 * DAY)
        with monkeypatch.context() as patched:
            patched.setattr(timers.notifying, "reminder", lambda *_: (_ for _ in ()).throw(Halted()))
            with pytest.raises(Halted):
                timers.sweep()
        assert set_timers() == [(2 * DAY, False)]
        assert timers.sweep() == 1


def test_timers_are_written_with_the_decision_or_not_at_all(settings: Settings) -> None:
    game = a_game()
    with pytest.raises(Halted), transaction() as session:
        rows.ask(session, session.get_one(Game, game), "B")
        session.flush()
        raise Halted
    assert set_timers() == []
