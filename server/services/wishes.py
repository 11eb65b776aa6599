"""What an account wishes to be told, how and when; what it never said is as it is by default."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

from sqlalchemy.orm import Session

from server.kinds import KINDS, UNSUBSCRIBED
from server.models import Account, Preference
from server.services import hours
from server.services.hours import Quiet

DIGEST_AT = time(18)
REMINDERS = (timedelta(days=2),)
AN_HOUR = timedelta(hours=1)
BEFORE_THE_NIGHT = timedelta(minutes=5)  # so that a reminder is out by then

Kinds = dict[str, dict[str, str]]  # kind → channel → mode


@dataclass(frozen=True)
class Wishes:
    """`delay`: of a mail about a turn; `reminders`: after a decision was opened; `zone`: where the hours of the day count."""

    zone: ZoneInfo
    kinds: Kinds = field(default_factory=dict)
    quiet: Quiet | None = None
    digest_at: time = DIGEST_AT
    delay: timedelta = timedelta(0)
    reminders: tuple[timedelta, ...] = REMINDERS

    def mode(self, kind: str, channel: str) -> str:
        """off, unsubscribed, immediate or digest; of a kind and channel that there is."""
        default = KINDS[kind].by_default(channel)
        assert default is not None, f"nothing of {kind} goes over {channel}"
        return self.kinds.get(kind, {}).get(channel, default)

    def quiet_until(self, at: datetime) -> datetime | None:
        """The end of the quiet hours that this moment lies in."""
        around = self.quiet.around(at, self.zone) if self.quiet else None
        return around[1] if around else None

    def next_digest(self, after: datetime) -> datetime:
        return hours.next_daily(self.digest_at, self.zone, after)

    def reminders_after(self, opened: datetime) -> dict[timedelta, datetime]:
        """When somebody is reminded of a decision that was opened then: never at night, nor twice within an hour."""
        moments: dict[timedelta, datetime] = {}
        for wait in self.reminders:
            due = self._out_of_the_night(opened + wait, opened)
            if all(due - earlier >= AN_HOUR for earlier in moments.values()):
                moments[wait] = due
        return moments

    def _out_of_the_night(self, due: datetime, opened: datetime) -> datetime:
        """Before the night begins; after it, if the decision was opened in that very night or just before."""
        around = self.quiet.around(due, self.zone) if self.quiet else None
        if around is None:
            return due
        begin, end = around
        evening = begin - BEFORE_THE_NIGHT
        return evening if evening - opened >= AN_HOUR else end


def of(account: Account, stored: Preference | None) -> Wishes:
    """`stored` may lack: then nobody said anything. A bot forgets nothing, so it is reminded only if it says so."""
    zone = ZoneInfo(account.time_zone)
    if stored is None:
        return Wishes(zone, reminders=() if account.kind == "bot" else REMINDERS)
    quiet = Quiet(hours.of(stored.quiet["from"]), hours.of(stored.quiet["until"])) if stored.quiet else None
    digest_at = hours.of(stored.digest_at) if stored.digest_at else DIGEST_AT
    delay, reminders = timedelta(seconds=stored.delay), tuple(timedelta(seconds=int(text)) for text in stored.reminders)
    return Wishes(zone, stored.kinds, quiet, digest_at, delay, reminders)


def of_account(session: Session, account_id: str) -> Wishes:
    return of(session.get_one(Account, account_id), session.get(Preference, account_id))


def told(mode: str) -> str:
    """As its owner reads it: by which way he switched it off makes a difference in the log only."""
    return "off" if mode == UNSUBSCRIBED else mode
