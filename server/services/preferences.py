"""What I am told of, how and when: looked at, changed, switched off by a link in a mail; and games that I hear nothing of."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from server import clock, kicking
from server.database import reading, transaction
from server.errors import InvalidBody
from server.kinds import DIGEST, EMAIL, KINDS, OFF, UNSUBSCRIBED, channels_of
from server.models import Account, Mute, Preference
from server.said import said
from server.services import accounts, games, hours, planning, timers, wishes
from server.services.accounts import Caller
from server.services.looking import Expects, Known, Version, Versioned
from server.services.wishes import Kinds, Wishes

WHOLE: dict[str, Any] = {  # what replaces what is left out of a whole
    "kinds": {},
    "quiet_hours": None,
    "digest_at": wishes.DIGEST_AT,
    "delay": Wishes.delay,
    "reminders": list(wishes.REMINDERS),
}


def show(caller: Caller, known: Known) -> Versioned:
    with reading() as session:
        stored = session.get(Preference, caller.account_id)
        version = _version(caller.account_id, stored)
        if known(version):
            return Versioned(version)
        return Versioned(version, _described(session.get_one(Account, caller.account_id), stored))


def replace(caller: Caller, said_: dict[str, Any], expects: Expects) -> Versioned:
    """What is left out is as it is by default."""
    return _change(caller, WHOLE | said_, expects, whole=True)


def change(caller: Caller, changes: dict[str, Any], expects: Expects) -> Versioned:
    """What is left out stays."""
    return _change(caller, changes, expects, whole=False)


def _change(caller: Caller, changes: dict[str, Any], expects: Expects, whole: bool) -> Versioned:
    with transaction() as session:
        now = clock.now()
        account = accounts.lock(session, caller)
        stored = session.get(Preference, account.id, populate_existing=True)
        expects(_version(account.id, stored))
        stored = stored or _unsaid(session, account)
        if "kinds" in changes:
            stored.kinds = _merged({} if whole else stored.kinds, changes["kinds"], stored.kinds)
        _set_hours(stored, changes)
        _check_digest_at(wishes.of(account, stored))
        stored.version += 1
        session.flush()
        planning.replan(session, account, now)
        timers.replan(session, account, now)
        changed = Versioned(_version(account.id, stored), _described(account, stored))
    kicking.kick()
    return changed


def _unsaid(session: Session, account: Account) -> Preference:
    """A row that says what its absence says."""
    waits = wishes.of(account, None).reminders
    stored = Preference(account_id=account.id, kinds={}, delay=0, reminders=_seconds(waits), version=0)
    session.add(stored)
    return stored


def _merged(kinds: Kinds, changes: Kinds, before: Kinds) -> Kinds:
    """What was switched off by a link and still is stays so, and the log goes on to say it."""
    merged = {kind: kinds.get(kind, {}) | changes.get(kind, {}) for kind in KINDS}
    return {
        kind: {channel: _kept(mode, before.get(kind, {}).get(channel)) for channel, mode in modes.items()}
        for kind, modes in merged.items()
        if modes
    }


def _kept(mode: str, before: str | None) -> str:
    return UNSUBSCRIBED if mode == OFF and before == UNSUBSCRIBED else mode


def _set_hours(stored: Preference, changes: dict[str, Any]) -> None:
    if "quiet_hours" in changes:
        quiet = changes["quiet_hours"]
        stored.quiet = quiet and {end: hours.text_of(hour) for end, hour in quiet.items()}
    if "digest_at" in changes:
        stored.digest_at = hours.text_of(changes["digest_at"])
    if "delay" in changes:
        stored.delay = int(changes["delay"].total_seconds())
    if "reminders" in changes:
        stored.reminders = _seconds(changes["reminders"])


def _seconds(waits: Iterable[timedelta]) -> list[str]:
    return [str(int(wait.total_seconds())) for wait in sorted(waits)]


def _check_digest_at(wish: Wishes) -> None:
    if wish.quiet is not None and wish.quiet.covers(wish.digest_at):
        detail = said("the digest would come in your quiet hours, at {hour}", hour=hours.text_of(wish.digest_at))
        raise InvalidBody(detail, errors=[{"in": "body", "pointer": "/digest_at", "detail": detail}])


def turn_off(session: Session, account: Account, kind: str, channel: str = EMAIL) -> dict[str, str]:
    """As a link in a mail asks for: this kind and no other. How those were that it changed: done twice it is done.

    Of a digest all that comes in it; of what nobody has a say in nothing.
    """
    session.get_one(Account, account.id, with_for_update=True)  # two changes at once shall not undo each other
    stored = session.get(Preference, account.id, populate_existing=True)
    wish = wishes.of(account, stored)
    before = {name: wish.mode(name, channel) for name in KINDS if _is_meant(wish, name, kind, channel)}
    if not before:
        return {}
    stored = stored or _unsaid(session, account)
    off = {name: stored.kinds.get(name, {}) | {channel: UNSUBSCRIBED} for name in before}
    stored.kinds = stored.kinds | off
    stored.version += 1
    return before


def _is_meant(wish: Wishes, name: str, kind: str, channel: str) -> bool:
    if channel not in channels_of(name):
        return False
    mode = wish.mode(name, channel)
    return mode == DIGEST if kind == DIGEST else name == kind and wishes.told(mode) != OFF


def show_of_game(caller: Caller, game_id: str, known: Known) -> Versioned:
    with reading() as session:
        game = games.find(session, game_id, caller)
        games.own_seat(game, caller)
        return _of_game(_mute(session, caller.account_id, game_id), caller, game_id, known)


def change_of_game(caller: Caller, game_id: str, muted: bool, expects: Expects) -> Versioned:
    """For its players: of this game I hear nothing, or what I wish to hear again."""
    with transaction() as session:
        game = games.find(session, game_id, caller)
        games.own_seat(game, caller)
        account = accounts.lock(session, caller)
        before = _mute(session, account.id, game_id)
        expects(_version_of_game(caller, game_id, before is not None))
        set_muted(session, account, game_id, muted, clock.now())
    return Versioned(_version_of_game(caller, game_id, muted), {"muted": muted})


def set_muted(session: Session, account: Account, game_id: str, muted: bool, now: datetime) -> bool:
    """Whether that changed anything. What waits to be sent is looked at when it is to be sent."""
    before = _mute(session, account.id, game_id)
    if muted and before is None:
        session.add(Mute(account_id=account.id, game_id=game_id, created_at=now))
    elif before is not None and not muted:
        session.delete(before)
    return muted != (before is not None)


def _mute(session: Session, account_id: str, game_id: str) -> Mute | None:
    wanted = select(Mute).where(Mute.account_id == account_id, Mute.game_id == game_id)
    return session.scalar(wanted.execution_options(populate_existing=True))


def _of_game(mute: Mute | None, caller: Caller, game_id: str, known: Known) -> Versioned:
    version = _version_of_game(caller, game_id, mute is not None)
    return Versioned(version, None if known(version) else {"muted": mute is not None})


def _version_of_game(caller: Caller, game_id: str, muted: bool) -> Version:
    return ("notifications of a game", caller.account_id, game_id, int(muted))


def _version(account_id: str, stored: Preference | None) -> Version:
    return ("notifications", account_id, stored.version if stored else 0)


def _described(account: Account, stored: Preference | None) -> dict[str, Any]:
    wish = wishes.of(account, stored)
    quiet = wish.quiet and {"from": wish.quiet.begins, "until": wish.quiet.ends}
    return {
        "kinds": {
            name: {channel: wishes.told(wish.mode(name, channel)) for channel in kind.channels()}
            for name, kind in KINDS.items()
        },
        "quiet_hours": quiet,
        "digest_at": wish.digest_at,
        "delay": wish.delay,
        "reminders": list(wish.reminders),
    }
