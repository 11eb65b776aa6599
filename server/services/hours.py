"""Hours of the day where somebody lives: when they come, quiet ones, and the daily one of the digest.

Clocks are put forward and back. An hour that a day does not have comes with the first moment after the gap; of an hour that
a day has twice, quiet begins with the first and ends with the second, and whatever happens once a day with the first."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

DAY = timedelta(days=1)
SECOND = timedelta(seconds=1)


@dataclass(frozen=True)
class Quiet:
    """Every day from one hour to another, which may be the next morning's."""

    begins: time
    ends: time

    def around(self, at: datetime, zone: ZoneInfo) -> tuple[datetime, datetime] | None:
        """Beginning and end of the quiet hours that this moment lies in; the end is no part of them."""
        today = at.astimezone(zone).date()
        for day in (today - DAY, today):
            begin = when(day, self.begins, zone)
            end = when(day if self.begins < self.ends else day + DAY, self.ends, zone, last=True)
            if begin <= at < end:
                return begin, end
        return None

    def covers(self, hour: time) -> bool:
        """As the clock shows it."""
        if self.begins < self.ends:
            return self.begins <= hour < self.ends
        return hour >= self.begins or hour < self.ends


def when(day: date, hour: time, zone: ZoneInfo, last: bool = False) -> datetime:
    """The moment at which clocks in that zone show the hour; `last`: the second one, where they show it twice."""
    shown = datetime.combine(day, hour, zone)
    first, second = (shown.replace(fold=fold).astimezone(UTC) for fold in (0, 1))
    if second < first:  # they never show it: read by the old offset it comes too late, by the new one too early
        return _change(second, first, zone)
    return second if last else first


def _change(before: datetime, after: datetime, zone: ZoneInfo) -> datetime:
    """The moment between these two at which the clocks are put forward."""
    old = before.astimezone(zone).utcoffset()
    while after - before > SECOND:
        middle = (before + (after - before) / 2).replace(microsecond=0)
        if middle.astimezone(zone).utcoffset() == old:
            before = middle
        else:
            after = middle
    return after


def next_daily(hour: time, zone: ZoneInfo, after: datetime) -> datetime:
    """The next moment, once a day, at which it is that hour."""
    today = after.astimezone(zone).date()
    moments = (when(today + DAY * days, hour, zone) for days in range(-1, 4))  # zones have left out whole days
    return next(moment for moment in moments if moment > after)


def of(text: str) -> time:
    return time.fromisoformat(text)


def text_of(hour: time) -> str:
    return f"{hour:%H:%M}"
