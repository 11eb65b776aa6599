"""What became of a notice and why, as a sentence for its recipient."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from server import language
from server.models import Attempt, Delivery
from server.said import Said, said
from server.services import delivery_log

LONGEST_REPLY = 1024  # characters

WAITING = {
    "digest": said("It waits for the next digest."),
    "delay": said("It waits for you to move by yourself, as you wished."),
    "quiet-hours": said("It waits for the end of your quiet hours."),
}
NOT_SENT = {
    # suppressed: as its recipient wished, or since nothing reaches him
    "off": said("It was not sent: you have switched off notices of this kind."),
    "unsubscribed": said("It was not sent: notices of this kind were switched off by the link in a mail."),
    "muted": said("It was not sent: you have muted this game."),
    "address-dead": said("It was not sent: mails to your address come back."),
    # obsolete: not true any more
    "answered": said("It was not sent: the decision was answered by then."),
    "replaced": said("It was not sent: a newer one took its place."),
    "nothing-to-tell": said("It was not sent: nothing of what was to be told in it was still true."),
    "no-address": said("It was not sent: the account had no address."),
    "endpoint-disabled": said("It was not sent: the webhook was switched off."),
    "webhook-deleted": said("It was not sent: the webhook was deleted."),
    "enabled-again": said("It was not sent: the webhook was switched on again by then."),
    "used": said("It was not sent: the code was used, or is void."),
    "expired": said("It was not sent: it had expired by then."),
    "settled": said("It was not sent: the invitation was answered or withdrawn by then."),
    "never-again": said("It was not sent: this address wants no invitations."),
    "limit-of-address": said("It was not sent: this address had its mails of the week."),
    "account-deleted": said("It was not sent: the account was deleted."),
    # dead: it could not be delivered
    "refused": said("It could not be delivered: the server that it went to refused it."),
    "endpoint-gone": said("It could not be delivered: the webhook answered 410, and is switched off."),
    "gave-up": said("It could not be delivered: every try failed, until the last one was made."),
}
DUE = said("It waits to be sent.")
TRIED = said("It was tried, and is tried again.")
SENDING = said("It is being sent.")
SENT = said("It was accepted by the server that it went to.")
BATCHED = {
    "sent": said("It was told in a digest."),
    "dead": said("It was told in a digest, which could not be delivered."),
    "due": said("It is told in a digest that is on its way."),
    "leased": said("It is told in a digest that is on its way."),
}
NOT_BATCHED = {  # the digest was suppressed, or obsolete
    "address-dead": said("It was to be told in a digest, which was not sent: mails to your address come back."),
    "nothing-to-tell": said("It was to be told in a digest, which was not sent: nothing in it was still true by then."),
    "no-address": said("It was to be told in a digest, which was not sent: the account had no address."),
}
DIGEST_NOT_SENT = said("It was to be told in a digest, which was not sent.")
OTHERWISE = said("It was not sent.")


def of(delivery: Delivery, digest: Delivery | None = None) -> Said:
    """`digest`: the one that tells it."""
    if delivery.state == "due":
        tried = TRIED if delivery.attempts > delivery.earlier_attempts else DUE
        return WAITING.get(delivery.reason or "", tried)
    if delivery.state == "batched":
        return _told_in(digest)
    if delivery.state in ("leased", "sent"):
        return SENDING if delivery.state == "leased" else SENT
    return why_not(delivery.reason or "")


def _told_in(digest: Delivery | None) -> Said:
    """One that is known no more was sent in its time."""
    if digest is None:
        return BATCHED["sent"]
    return BATCHED.get(digest.state) or NOT_BATCHED.get(digest.reason or "", DIGEST_NOT_SENT)


def why_not(reason: str) -> Said:
    return NOT_SENT.get(reason, OTHERWISE)


def described(session: Session, deliveries: Sequence[Delivery]) -> list[dict[str, Any]]:
    attempts = delivery_log.attempts_of(session, deliveries)
    digests = _digests_of(session, deliveries)
    return [_described(delivery, attempts, digests.get(delivery.batch_id or "")) for delivery in deliveries]


def _digests_of(session: Session, deliveries: Sequence[Delivery]) -> dict[str, Delivery]:
    ids = {delivery.batch_id for delivery in deliveries if delivery.batch_id is not None}
    found = session.scalars(select(Delivery).where(Delivery.id.in_(ids))) if ids else ()
    return {digest.id: digest for digest in found}


def _described(delivery: Delivery, attempts: Sequence[Attempt], digest: Delivery | None) -> dict[str, Any]:
    return {
        "id": delivery.id,
        "kind": delivery.kind,
        "channel": delivery.channel,
        "webhook": delivery.endpoint_id,
        "game": delivery.game_id,
        "decision": delivery.decision,
        "state": "sending" if delivery.state == "leased" else delivery.state,
        "reason": delivery.reason,
        "text": language.translated(of(delivery, digest)),
        "digest": delivery.batch_id,
        "message_id": delivery.message_id,
        "created_at": delivery.created_at,
        "next_at": delivery.next_at if delivery.state == "due" else None,
        "settled_at": delivery.settled_at,
        "sent_at": delivery.settled_at if delivery.state == "sent" else None,
        "attempts": [_tried(attempt) for attempt in attempts if attempt.delivery_id == delivery.id],
    }


def _tried(attempt: Attempt) -> dict[str, Any]:
    return {
        "number": attempt.n,
        "at": attempt.started_at,
        "outcome": attempt.outcome or "sending",
        "status": attempt.status,
        "reply": None if attempt.reply is None else attempt.reply[:LONGEST_REPLY],
    }
