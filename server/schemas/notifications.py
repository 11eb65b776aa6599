"""What I wish to be told, and how."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Mapping, Sequence
from datetime import time, timedelta
from typing import Any

import marshmallow as ma
from marshmallow import fields, validate, validates_schema

from server.kinds import EMAIL, IMMEDIATE, KINDS, MODES, WEBHOOK
from server.said import said
from server.schemas.base import (
    Boolean,
    Closed,
    Duration,
    Open,
    Whole,
    Word,
    growing,
    told,
)

NO_TIME, AN_HOUR, A_DAY = timedelta(0), timedelta(hours=1), timedelta(days=1)
LONGEST_REMINDER = timedelta(days=60)
MOST_REMINDERS = 3

KINDS_TOLD = "How each kind of notice comes. What is left out {left_out}."
MODE = {
    EMAIL: told("`off`, `immediate`, or `digest`: in one mail a day, at `digest_at`.", examples=[IMMEDIATE]),
    WEBHOOK: told("`off` or `immediate`, to webhooks that take its type.", examples=[IMMEDIATE]),
}
ABOUT = {
    "your_turn": "A decision is yours.",
    "reminder": "It has been yours for a while.",
    "attacked": "An animal of yours was attacked, and there is nothing for you to decide about it.",
    "game_started": "A game of yours has begun.",
    "game_over": "A game of yours is over.",
    "game_cancelled": "A game of yours was called off.",
    "player_resigned": "Somebody at your table resigned.",
    "message": "Somebody at your table said something. What is said until the mail is sent comes in one.",
    "invitation": "A seat is offered to you.",
}
DELAY = told(
    "How long a mail about a turn waits, at most a day: who moves meanwhile gets none. Webhooks don't wait.",
    examples=["PT5M"],
)
REMINDERS = told(
    "After how long without an answer you are reminded of a decision: up to three times, an hour at least before the"
    " first and between them. What would come in your quiet hours comes before they begin.",
    examples=[["P1D", "P3D"]],
)
QUIET = told(
    "When no mail is sent but those that you ask for (codes, say); null: there is no such time. What comes up then is sent"
    " at their end, if it is still true. In the time zone of `GET /v1/me`."
)
DIGEST_AT = told(
    "When the digest comes, in the time zone of `GET /v1/me`; not in the quiet hours. Without news there is none.",
    examples=["18:00"],
)


class HourOfDay(fields.String):
    """`HH:MM`, of 24 hours."""

    SHAPE = "^([01][0-9]|2[0-3]):[0-5][0-9]$"

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(validate=Whole(self.SHAPE, error=said("an hour of the day as in 07:30 is expected")), **kwargs)

    def deserialize(self, value: Any, attr: str | None = None, data: Any = None, **kwargs: Any) -> Any:
        """As it is checked first and read then, the pattern stands in the document."""
        given = super().deserialize(value, attr, data, **kwargs)
        return time.fromisoformat(given) if isinstance(given, str) else given

    def _serialize(self, value: time | None, attr: str | None, obj: Any, **kwargs: Any) -> str | None:
        return None if value is None else f"{value:%H:%M}"


BEGINS = told("When quiet begins.", examples=["22:00"])
ENDS = told("When mails are sent again; may be the next morning.", examples=["07:30"])


class QuietHours(Closed):
    """Every day from one hour to another."""

    begins = HourOfDay(data_key="from", attribute="from", required=True, metadata=BEGINS)
    ends = HourOfDay(data_key="until", attribute="until", required=True, metadata=ENDS)

    @validates_schema
    def _last(self, data: Mapping[str, Any], **_: Any) -> None:
        if data["from"] == data["until"]:
            raise ma.ValidationError(said("another hour than that in `from` is expected"), "until")


class QuietHoursTold(Open):
    """Every day from one hour to another."""

    begins = HourOfDay(data_key="from", attribute="from", required=True, metadata=BEGINS)
    ends = HourOfDay(data_key="until", attribute="until", required=True, metadata=ENDS)


class Reminders(fields.List):
    """Sorted by whoever reads them; here they may come in any order."""

    def __init__(self, **kwargs: Any) -> None:
        each = Duration(AN_HOUR, LONGEST_REMINDER, metadata=told("Since the decision was opened."))
        few = validate.Length(
            max=MOST_REMINDERS, error=said("at most {most:item is|items are} expected", most=MOST_REMINDERS)
        )
        super().__init__(each, validate=[few, _apart], metadata=REMINDERS, **kwargs)


def _apart(waits: Sequence[timedelta]) -> None:
    in_order = sorted(waits)
    if any(later - earlier < AN_HOUR for earlier, later in itertools.pairwise(in_order)):
        raise ma.ValidationError(said("an hour at least is expected between two reminders"))


@functools.cache
def _modes(channels: tuple[str, ...], open_: bool) -> type[ma.Schema]:
    """Of the kinds that go over these channels."""
    each: dict[str, Any] = {
        channel: growing(MODE[channel]["description"], *MODES[channel], required=True)
        if open_
        else Word(*MODES[channel], metadata=MODE[channel])
        for channel in channels
    }
    name = ("Modes" if open_ else "Wish") + "".join(channel.capitalize() for channel in channels)
    return _named(Open if open_ else Closed, name, "By which channel, and how.", each)


def _kinds(name: str, about: str, open_: bool) -> type[ma.Schema]:
    each: dict[str, Any] = {
        name: fields.Nested(_modes(tuple(kind.channels()), open_), required=open_, metadata=told(ABOUT[name]))
        for name, kind in KINDS.items()
    }
    return _named(Open if open_ else Closed, name, about, each)


def _named(base: type[ma.Schema], name: str, about: str, content: dict[str, Any]) -> type[ma.Schema]:
    return type(name, (base,), {"__doc__": about, "__module__": __name__, **content})


KindWishes = _kinds("KindWishes", "Kinds of notices, and how each comes.", open_=False)
KindModes = _kinds("KindModes", "Every kind of notice, and how it comes.", open_=True)


class NotificationWishes(Closed):
    """All that I wish. What is left out is as it is by default."""

    kinds = fields.Nested(KindWishes, metadata=told(KINDS_TOLD.format(left_out="is as by default")))
    quiet_hours = fields.Nested(QuietHours, allow_none=True, metadata=QUIET)
    digest_at = HourOfDay(metadata=DIGEST_AT)
    delay = Duration(NO_TIME, A_DAY, metadata=DELAY)
    reminders = Reminders()


class NotificationChanges(NotificationWishes):
    """What is left out stays."""

    kinds = fields.Nested(KindWishes, metadata=told(KINDS_TOLD.format(left_out="stays")))


class Notifications(Open):
    """What I am told, how and when."""

    kinds = fields.Nested(KindModes, required=True)
    quiet_hours = fields.Nested(QuietHoursTold, required=True, allow_none=True, metadata=QUIET)
    digest_at = HourOfDay(required=True, metadata=DIGEST_AT)
    delay = Duration(NO_TIME, A_DAY, required=True, metadata=DELAY)
    reminders = fields.List(Duration(AN_HOUR, LONGEST_REMINDER, metadata={}), required=True, metadata=REMINDERS)


class GameNotificationWishes(Closed):
    """What I wish of one game."""

    muted = Boolean(required=True, metadata=told("Whether I want to hear nothing of it, by mail or webhook."))


class GameNotifications(Open):
    """What I am told of one game."""

    muted = fields.Boolean(required=True, metadata=told("Whether I hear nothing of it, by mail or webhook."))
