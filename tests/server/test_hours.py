"""Hours of the day: midnight, and clocks that are put forward and back."""

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest

from server.services import hours
from server.services.hours import Quiet
from server.services.wishes import Wishes

BERLIN, SAO_PAULO, RIGA, APIA = (
    ZoneInfo(f"{name}") for name in ("Europe/Berlin", "America/Sao_Paulo", "Europe/Riga", "Pacific/Apia")
)
NIGHT = Quiet(time(22), time(7, 30))
NAP = Quiet(time(13), time(15))


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def local(text: str, zone: ZoneInfo) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=zone).astimezone(UTC)


@pytest.mark.parametrize(
    ("quiet", "at", "ends"),
    [
        (NIGHT, "2026-01-10 21:59:59", None),
        (NIGHT, "2026-01-10 22:00", "2026-01-11 07:30"),
        (NIGHT, "2026-01-11 00:00", "2026-01-11 07:30"),
        (NIGHT, "2026-01-11 07:29:59", "2026-01-11 07:30"),
        (NIGHT, "2026-01-11 07:30", None),
        (NAP, "2026-01-11 12:59", None),
        (NAP, "2026-01-11 13:00", "2026-01-11 15:00"),
        (NAP, "2026-01-11 15:00", None),
    ],
)
@pytest.mark.parametrize("zone", [BERLIN, SAO_PAULO])
def test_quiet_hours_may_cross_midnight_and_end_where_they_end(
    quiet: Quiet, at: str, ends: str | None, zone: ZoneInfo
) -> None:
    around = quiet.around(local(at, zone), zone)
    assert (around and around[1]) == (ends and local(ends, zone))


@pytest.mark.parametrize(
    ("day", "hour", "last", "comes"),
    [
        ("2026-03-29", time(1, 59), False, "2026-03-29 00:59"),
        ("2026-03-29", time(2, 0), False, "2026-03-29 01:00"),  # there is none from 2 to 3
        ("2026-03-29", time(2, 30), False, "2026-03-29 01:00"),
        ("2026-03-29", time(2, 30), True, "2026-03-29 01:00"),
        ("2026-03-29", time(3, 0), False, "2026-03-29 01:00"),
        ("2026-10-25", time(2, 30), False, "2026-10-25 00:30"),  # there are two
        ("2026-10-25", time(2, 30), True, "2026-10-25 01:30"),
        ("2026-10-25", time(3, 0), True, "2026-10-25 02:00"),
    ],
)
def test_an_hour_that_a_day_lacks_comes_after_the_gap_and_of_two_it_is_said_which(
    day: str, hour: time, last: bool, comes: str
) -> None:
    assert hours.when(datetime.fromisoformat(day).date(), hour, BERLIN, last) == utc(comes)


def test_where_clocks_were_put_forward_at_midnight_quiet_begins_and_ends_with_the_new_day() -> None:
    """In São Paulo there was no 4 November 2018 before one o'clock."""
    first_moment = utc("2018-11-04 03:00")
    assert Quiet(time(0, 30), time(6)).around(first_moment, SAO_PAULO) == (first_moment, utc("2018-11-04 08:00"))
    assert Quiet(time(22), time(0, 15)).around(first_moment - timedelta(seconds=1), SAO_PAULO) == (
        utc("2018-11-04 01:00"),
        first_moment,
    )
    assert Quiet(time(22), time(0, 15)).around(first_moment, SAO_PAULO) is None


def test_a_night_with_an_hour_twice_is_quiet_all_through() -> None:
    night = Quiet(time(2, 30), time(2, 45))
    begin, end = utc("2026-10-25 00:30"), utc("2026-10-25 01:45")
    for minutes in range(0, 75, 5):
        assert night.around(begin + timedelta(minutes=minutes), BERLIN) == (begin, end)
    assert night.around(end, BERLIN) is None


@pytest.mark.parametrize("zone", [BERLIN, SAO_PAULO, RIGA, ZoneInfo("Asia/Kathmandu"), ZoneInfo("America/St_Johns")])
@pytest.mark.parametrize("hour", [time(0), time(2, 30), time(18), time(23, 59)])
def test_the_daily_hour_comes_once_a_day_all_the_year_round(zone: ZoneInfo, hour: time) -> None:
    at = hours.next_daily(hour, zone, utc("2018-01-01 00:00"))
    while at < utc("2019-12-01 00:00"):
        following = hours.next_daily(hour, zone, at)
        assert following.astimezone(zone).date() - at.astimezone(zone).date() == hours.DAY
        at = following


def test_a_day_that_a_zone_left_out_has_no_hour() -> None:
    """There was no 30 December 2011 in Samoa."""
    before = local("2011-12-29 18:00", APIA)
    assert hours.next_daily(time(18), APIA, before) in (
        local("2011-12-31 00:00", APIA),
        local("2011-12-31 18:00", APIA),
    )


def moments(opened: str, *waits: timedelta, quiet: Quiet | None = NIGHT) -> list[datetime]:
    wishes = Wishes(BERLIN, quiet=quiet, reminders=waits)
    return list(wishes.reminders_after(local(opened, BERLIN)).values())


def test_a_reminder_due_in_the_night_comes_before_it_begins() -> None:
    assert moments("2026-01-10 23:00", timedelta(days=1)) == [local("2026-01-11 21:55", BERLIN)]
    assert moments("2026-01-10 03:00", timedelta(days=1)) == [local("2026-01-10 21:55", BERLIN)]
    assert moments("2026-01-10 12:00", timedelta(days=1)) == [local("2026-01-11 12:00", BERLIN)]


def test_of_a_decision_of_this_very_night_it_comes_after_it() -> None:
    assert moments("2026-01-10 23:00", timedelta(hours=2)) == [local("2026-01-11 07:30", BERLIN)]
    assert moments("2026-01-10 21:30", timedelta(hours=1)) == [local("2026-01-11 07:30", BERLIN)]


def test_two_reminders_that_fall_together_are_one() -> None:
    waits = [timedelta(hours=hour) for hour in (11, 13, 15)]  # 22:00, 0:00 and 2:00
    assert moments("2026-01-10 11:00", *waits) == [local("2026-01-10 21:55", BERLIN)]
    assert len(moments("2026-01-10 11:00", *waits, quiet=None)) == 3


def test_on_the_night_of_the_change_a_reminder_still_comes_before_it() -> None:
    assert moments("2026-03-28 02:30", timedelta(days=1)) == [local("2026-03-28 21:55", BERLIN)]
    assert moments("2026-10-24 23:30", timedelta(hours=3)) == [local("2026-10-25 07:30", BERLIN)]
