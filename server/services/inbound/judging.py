"""Which letters are not acted on: those that no person wrote, and too many of one person; and which wait for his word."""

from __future__ import annotations

import functools
from datetime import datetime, timedelta
from email.utils import parseaddr

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import Session

from server.config import Settings
from server.models import Delivery, Letter
from server.services import bounces, mail_tokens, unsubscribing
from server.services.inbound import text, verdicts
from server.services.inbound.commands import Command, of_body, of_subject
from server.services.inbound.reading import Letter as Read
from server.services.inbound.verdicts import Case, Mail, Verdict
from server.services.orders import grammar

AN_HOUR, A_DAY = timedelta(hours=1), timedelta(days=1)
AN_HOUR_AT_MOST = 60  # letters of an account
A_DAY_AT_MOST = 40  # letters of an account that play no move
CONFIRMATIONS_A_DAY = 3
HELP_A_DAY = 5  # that nobody asked for


def commands_of(read: Read) -> list[Command]:
    """Of the body; of the subject where there is no text at all."""
    if read.only_tnef:
        return []
    return of_body(read.text, grammar.is_order) if read.has_text else of_subject(read.subject)


def at_first_sight(session: Session, case: Case) -> Verdict | None:
    """What is clear without a look at what it orders; None: it is to be read."""
    if case.letter.kind == "b" or case.read.is_report:
        return _bounced(case)
    if case.letter.kind == "u":
        return _unsubscribes(case)
    if reason := _automatic(case):
        return verdicts.dropped("automatic", reason)
    if _too_many(session, case):
        return verdicts.dropped("too-many")
    if not case.commands:
        return None
    return _held(session, case) if _is_foreign(case) else None


def _bounced(case: Case) -> Verdict:
    """A report of a mail server, wherever it was sent to. What else comes to an address of bounces says nothing."""
    token, raw, now = case.token, case.letter.raw or b"", case.now
    if case.letter.kind != "b":  # some servers send reports to whom answers are for
        account_id = case.account.id if case.account else None
        _, token = mail_tokens.mint("b", account_id=account_id, address=case.address, now=now)
    return Verdict("dropped", "bounce", also=lambda session: bounces.take(session, token, raw, now))


def _unsubscribes(case: Case) -> Verdict:
    """Mail readers write such a letter by themselves, so nothing in it matters; what no person sent is no wish."""
    if case.letter.envelope_from == "":
        return verdicts.dropped("automatic", "null-sender")
    digest, now = case.token.digest, case.now

    def switch_off(session: Session) -> None:
        unsubscribing.by_token(session, session.get_one(type(case.token), digest), now)

    return Verdict("settled", "unsubscribed", also=switch_off)


def _automatic(case: Case) -> str | None:
    if case.letter.envelope_from == "":
        return "null-sender"
    if case.read.automatic is not None:
        return case.read.automatic
    return "ourselves" if any(_is_ours(sender, case.address) for sender in case.read.senders) else None


def _is_ours(sender: str, address: str | None) -> bool:
    """From this server or another one like it behind the same name; a player may have his address at our domain."""
    domain, own = _ourselves()
    return sender == own or (sender.rpartition("@")[2] == domain and not _are_one(sender, address))


@functools.cache
def _ourselves() -> tuple[str, str]:
    return mail_tokens.domain(), parseaddr(Settings.from_env().mail_from)[1].lower()


def _of_the_same(letter: Letter) -> ColumnElement[bool]:
    if letter.account_id is not None:
        return Letter.account_id == letter.account_id
    return Letter.token_digest == letter.token_digest


def _too_many(session: Session, case: Case) -> bool:
    """So that two programs that answer each other come to an end."""
    counted = select(func.count()).where(
        _of_the_same(case.letter), Letter.state.in_(("settled", "held")), Letter.id != case.letter.id
    )
    if (session.scalar(counted.where(Letter.received_at > case.now - AN_HOUR)) or 0) >= AN_HOUR_AT_MOST:
        return True
    if any(command.word == "moves" for command in case.commands):
        return False
    idle = counted.where(Letter.received_at > case.now - A_DAY, Letter.outcome != "played")
    return (session.scalar(idle) or 0) >= A_DAY_AT_MOST


def _is_foreign(case: Case) -> bool:
    """Whether it comes from another address than all answers go to. A confirmation has an address of its own that only he
    was told, so it may come from anywhere."""
    if case.letter.kind in ("c", "d") or case.letter.confirmed_at is not None:
        return False
    return not (len(case.read.senders) == 1 and _are_one(case.read.senders[0], case.address))


def _are_one(sender: str, address: str | None) -> bool:
    """Beyond ASCII an address may be written in several ways."""
    return address is not None and text.address(sender) == text.address(address)


def _held(session: Session, case: Case) -> Verdict:
    """Kept until whoever reads the mail of that account says that it is from him."""
    if _confirmations(session, case) >= CONFIRMATIONS_A_DAY:
        return Verdict("held", "held", "no-more-confirmations-today")
    payload = {"letter": case.letter.id, "language": case.language, "from": ", ".join(case.read.senders)[:200]}
    mail = Mail("confirm_letter", payload, case.account.id if case.account else None, case.address, case.letter.game_id)
    return Verdict("held", "held", mails=(mail,))


def _confirmations(session: Session, case: Case) -> int:
    whose = Delivery.account_id == case.account.id if case.account else Delivery.address == case.address
    since: datetime = case.now - A_DAY
    wanted = select(func.count()).where(whose, Delivery.kind == "confirm_letter", Delivery.created_at > since)
    return session.scalar(wanted) or 0


def may_help(session: Session, case: Case) -> bool:
    """Help that nobody asked for comes once, until a letter was understood again; and not often."""
    before = select(Letter.outcome, Letter.detail).where(
        _of_the_same(case.letter), Letter.id != case.letter.id, Letter.state == "settled",
        Letter.received_at > case.now - A_DAY,
    )  # fmt: skip
    newest = session.execute(before.order_by(Letter.received_at.desc(), Letter.id).limit(1)).first()
    if newest is not None and newest.outcome == "unclear":
        return False
    helped = select(func.count()).select_from(before.where(Letter.outcome == "unclear").subquery())
    return (session.scalar(helped) or 0) < HELP_A_DAY
