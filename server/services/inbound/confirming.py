"""Letters that confirm: that another letter was from him, or that he means to resign. Each address is good once."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy.orm import Session

from server.database import reading
from server.errors import PROBLEMS, DomainError
from server.models import Letter, MailToken
from server.said import Said, said
from server.services import games, leaving
from server.services.accounts import Caller
from server.services.inbound import replying
from server.services.inbound.verdicts import Case, Mail, Verdict
from server.services.mail_tokens import RESIGNATION

LIFE = timedelta(days=14)


def act(case: Case) -> Verdict:
    if not any(command.word == "confirm" for command in case.commands):
        return replying.unclear(case, replying.note(case, help="confirmation"))
    if case.token.used_at is not None or case.token.created_at + LIFE < case.now:
        answer = said("this was confirmed before, or is too old to be confirmed")
        return Verdict("settled", "stale", mails=(_answer(case, answer),))
    return _resign(case) if case.token.about == RESIGNATION else _release(case)


def _release(case: Case) -> Verdict:
    """The letter that was held is looked at anew; its own answer will tell what came of it."""
    digest, now = case.token.digest, case.now

    def release(session: Session) -> str | None:
        if not _use_up(session, digest, now):
            return "used"
        held = session.get(Letter, case.token.about, with_for_update=True)
        if held is None or held.state != "held":
            return "gone"
        held.state, held.outcome, held.settled_at = "received", None, None
        held.confirmed_at, held.next_at, held.tries = now, now, 0
        return None

    return Verdict("settled", "confirmed", also=release)


def _resign(case: Case) -> Verdict:
    """To resign again changes nothing, so the token may be used up afterwards."""
    assert case.account is not None and case.token.game_id is not None
    try:
        leaving.resign(Caller(case.account.id, frozenset({"games:play"})), case.token.game_id)
    except DomainError as refusal:
        answer = said("{command}: {why}", command="resign", why=refusal.detail)
        return Verdict("settled", "refused", PROBLEMS[type(refusal)].code, mails=(_answer(case, answer),))
    digest, now = case.token.digest, case.now
    mails = (_answer(case, said("you have resigned")),)
    return Verdict("settled", "resigned", mails=mails, also=lambda session: _used(session, digest, now))


def _used(session: Session, digest: str, now: datetime) -> None:
    _use_up(session, digest, now)


def _use_up(session: Session, digest: str, now: datetime) -> bool:
    token = session.get(MailToken, digest, with_for_update=True)
    if token is None or token.used_at is not None:
        return False
    token.used_at = now
    return True


def _answer(case: Case, answer: Said) -> Mail:
    seat = _seat(case)
    if seat is None or case.token.game_id is None:
        return replying.note(case, [answer])
    return replying.of_table(case, case.token.game_id, seat, [answer])


def _seat(case: Case) -> str | None:
    if case.account is None or case.token.game_id is None:
        return None
    caller = Caller(case.account.id, frozenset({"games:play"}))
    with reading() as session:
        return games.letter_of(games.find(session, case.token.game_id, caller), caller)
