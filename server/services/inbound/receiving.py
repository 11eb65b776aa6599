"""Mail at the door: stored whole before anybody is told that it was taken, and once, however often it comes."""

from __future__ import annotations

import structlog
from sqlalchemy import select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from server import clock, kicking, sealing
from server.database import reading, transaction
from server.ids import new_id
from server.models import Letter, MailToken
from server.services import mail_tokens
from server.services.inbound import reading as letters

log = structlog.get_logger(__name__)

LARGEST = 1024 * 1024  # bytes of a mail
OPERATORS = ("postmaster", "abuse")  # for whoever runs this server: kept for him to read
LONGEST_ADDRESS = 320


def known(recipient: str) -> bool:
    """Whether there is such an address here. To be asked before a mail is taken, and only in a process with a database."""
    if is_for_operators(recipient):
        return True
    with reading() as session:
        return mail_tokens.find(session, _local(recipient)) is not None


def is_for_operators(recipient: str) -> bool:
    return _local(recipient) in OPERATORS


def receive(recipient: str | None, envelope_from: str | None, raw: bytes) -> str:
    """Takes a mail in; returns the id of its row. What came before is not taken again, what is for nobody is kept apart.

    `recipient`: of the envelope; None where the door has none, and the headers have to say. `envelope_from`: empty for the
    null sender, None where the door does not tell.
    """
    addressed = [_local(recipient)] if recipient is not None else letters.addressed(raw, mail_tokens.domain())
    letter = _letter(addressed, envelope_from, raw)
    try:
        with transaction() as session:
            taken = _taken(session, letter)
            if taken is None:
                _deliver(session, letter, addressed)
                session.add(letter)
    except IntegrityError:  # the same mail at another door, at this moment
        with reading() as session:
            taken = _taken(session, letter)
        if taken is None:
            raise
    kicking.kick(kicking.LETTERS)
    log.info("mail came in", letter=taken or letter.id, again=taken is not None, bytes=len(raw))
    return taken or letter.id


def handed_in(recipient: str | None, raw: bytes) -> dict[str, str]:
    """By a door that tells nothing of the sender's address."""
    return {"letter": receive(recipient, None, raw)}


def _local(recipient: str) -> str:
    """What stands before the @, in small letters."""
    address = recipient.strip().strip("<>")[:LONGEST_ADDRESS]
    return (address.rpartition("@")[0] or address).lower()


def _letter(addressed: list[str], envelope_from: str | None, raw: bytes) -> Letter:
    now = clock.now()
    sender = None if envelope_from is None else envelope_from.strip("<> ").replace("\0", "")[:LONGEST_ADDRESS].lower()
    return Letter(
        id=new_id("l"), recipient_digest=sealing.digest(" ".join(addressed)), message_digest=letters.identified(raw),
        envelope_from=sender, raw=raw, state="received", tries=0, received_at=now, next_at=now,
    )  # fmt: skip


def _taken(session: Session, letter: Letter) -> str | None:
    same = (
        Letter.recipient_digest == letter.recipient_digest,
        Letter.message_digest == letter.message_digest,
    )
    return session.scalar(select(Letter.id).where(*same))


def _deliver(session: Session, letter: Letter, addressed: list[str]) -> None:
    """Whom it is for; or why nobody will look at it but whoever runs this server."""
    token = mail_tokens.find(session, addressed[0]) if len(addressed) == 1 else None
    if token is not None:
        _for(token, letter)
        return
    letter.state, letter.settled_at = "quarantined", letter.received_at
    if len(addressed) > 1:
        letter.outcome = "several-addresses"
    else:
        letter.outcome = "operator" if addressed and addressed[0] in OPERATORS else "unknown"


def _for(token: MailToken, letter: Letter) -> None:
    letter.token_digest, letter.kind = token.digest, token.kind
    letter.account_id, letter.game_id = token.account_id, token.game_id
