"""Answers to letters: what became of them, and the table as it is now. They go to the account, never to who wrote."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session

from server.database import reading
from server.models import Letter
from server.said import Said
from server.services import outbox, planning
from server.services.inbound import judging
from server.services.inbound.verdicts import Case, Mail, Verdict
from server.services.orders import reasons


def note(case: Case, answers: Iterable[Said] = (), help: str | None = None) -> Mail:
    """Where there is no table to show. `help`: what can be written there: general, digest, invitation, confirmation."""
    payload = {"answers": _stored(answers), "help": help, "plain": case.read.only_tnef, "language": case.language}
    payload["invitation"] = case.token.about if help == "invitation" else None
    payload["confirms"] = case.token.about if help == "confirmation" else None
    game_id = case.letter.game_id if help == "confirmation" else None
    return Mail("note", payload, case.account.id if case.account else None, case.address, game_id)


def of_table(case: Case, game_id: str, seat: str, answers: Iterable[Said], help: bool = False, **more: Any) -> Mail:
    """With the table as that seat sees it when the mail is written, and its moves if it is asked."""
    asked = any(command.word == "help" for command in case.commands)
    payload = {"answers": _stored(answers), "help": help, "asked": asked, "plain": case.read.only_tnef, **more}
    return Mail("reply", payload, case.account.id if case.account else None, None, game_id, seat)


def _stored(answers: Iterable[Said]) -> list[dict[str, Any]]:
    return [reasons.stored(answer) for answer in answers]


def unclear(case: Case, mail: Mail) -> Verdict:
    """Nothing in the letter is a command, and nothing is guessed."""
    with reading() as session:
        helps = judging.may_help(session, case)
    return Verdict("settled", "unclear", None if helps else "silent", mails=(mail,) if helps else ())


def post(session: Session, letter: Letter, mail: Mail, now: datetime) -> None:
    """One of each kind for a letter, however often it is said."""
    delivery = outbox.post(
        session, kind=mail.kind, channel="email", dedupe_key=f"{mail.kind}:{letter.id}", now=now, game_id=mail.game_id,
        seat=mail.seat, account_id=mail.account_id, address=None if mail.account_id else mail.address,
        payload=mail.payload | {"letter": letter.id},
    )  # fmt: skip
    if delivery is not None:
        planning.plan(session, delivery, now)
