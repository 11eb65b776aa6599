"""Who is told what: the rows that an occasion puts into the outbox, and whether a notice is still true.

What a webhook says is made here, at commit; what a mail says is made when it is sent (`letters/`). How and when each goes
out, or that its recipient does not want it, is planned with the row (`planning.py`)."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from sqlalchemy import select
from sqlalchemy.orm import Session

from server.ids import base32
from server.models import (
    Account,
    Bot,
    Decision,
    Delivery,
    Event,
    Game,
    Invitation,
    Message,
    Seat,
    Verification,
    WebhookEndpoint,
)
from server.services import addresses, outbox, payloads, planning, turns

WEBHOOK_TYPES = payloads.TYPES
TURNS = ("your_turn", "reminder")  # true as long as the decision is open
COLLAPSING = ("attacked", "message")  # a mail that was not tried yet tells of what came after, too


def decision_opened(session: Session, game: Game, decision: Decision, now: datetime) -> None:
    """It is somebody's turn: tell the seat that owes the decision."""
    _tell(session, "your_turn", game, _asked(session, game, decision), now, decision)


def reminder(session: Session, game: Game, decision: Decision, step: int, now: datetime) -> None:
    """It still is. `step` tells the reminders of one decision apart."""
    _tell(session, "reminder", game, _asked(session, game, decision), now, decision, key=f"{decision.number}:{step}")


def turn_told_at(session: Session, decision: Decision, now: datetime) -> datetime | None:
    """When the mail that opened it went out, or is to go; of one in a digest, when that did. None if none comes."""
    opened = (
        Delivery.game_id == decision.game_id,
        Delivery.decision == decision.number,
        Delivery.seat == decision.seat,
    )
    notice = select(Delivery).where(Delivery.kind == "your_turn", Delivery.channel == "email", *opened)
    mail = session.scalar(notice.order_by(Delivery.created_at.desc()).limit(1))
    if mail is not None and mail.state == "batched":
        mail = session.get(Delivery, mail.batch_id)
    if mail is None or mail.state not in ("due", "leased", "sent"):
        return None
    return mail.settled_at if mail.state == "sent" else max(mail.next_at, now)


def attacks(session: Session, game: Game, events: Iterable[Event], now: datetime) -> None:
    """Of what happened just now: whoever was attacked and is not asked about it, since it is over or his answer was known.

    Who is asked learns it with the question; and when the game is over that is told instead.
    """
    numbers = {event.data["facts"]["target"][0]: event.number for event in events if event.type == "attacked"}
    if game.status != "running":
        return
    for seat in _present(session, game) if numbers else []:
        if seat.letter in numbers and seat.letter != game.asked_seat and seat.played_by == "player":
            _tell(session, "attacked", game, [seat], now, key=str(numbers[seat.letter]))


def game_started(session: Session, game: Game, now: datetime) -> None:
    _tell(session, "game_started", game, _seats(session, game), now)


def game_over(session: Session, game: Game, now: datetime) -> None:
    _tell(session, "game_over", game, _seats(session, game), now)


def game_cancelled(session: Session, game: Game, now: datetime) -> None:
    """Those who sat there; a host who called it off by himself knows."""
    alone = game.ended_by == "cancellation" and game.started_at is None
    told = [seat for seat in _seats(session, game) if not (alone and seat.account_id == game.host_id)]
    _tell(session, "game_cancelled", game, told, now)


def message(session: Session, game: Game, message: Message, now: datetime) -> None:
    """To the others at the table. A webhook says where it says what, so that its text stays among them; a mail says what,
    and all that is said until it is sent."""
    others = [seat for seat in _present(session, game) if seat.account_id != message.account_id]
    _tell(session, "message", game, others, now, key=str(message.number), message=message.number)


def player_resigned(session: Session, game: Game, who: Seat, now: datetime) -> None:
    """To the webhooks of those who play on."""
    others = [seat for seat in _present(session, game) if seat.letter != who.letter]
    _to_webhooks(session, "player_resigned", game, others, now, key=who.letter, player=who.letter)


def invitation(
    session: Session, invitation: Invitation, token: str, language: str, beyond_the_limit: bool, now: datetime
) -> None:
    """The token leaves the database with the mail; a webhook has none, since the account needs none.

    Whether the mail may go is asked when it is sent: the host must not be able to tell, not even by the time it takes.
    """
    about: dict[str, Any] = {"kind": "invitation", "game_id": invitation.game_id, "account_id": invitation.account_id}
    if invitation.email_digest is not None:
        letter = {"invitation": invitation.id, "token": token, "language": language, "beyond_limit": beyond_the_limit}
        _post(
            session, channel="email", address=invitation.email, payload=letter, now=now,
            dedupe_key=f"invitation:{invitation.id}:email", **about,
        )  # fmt: skip
    if invitation.account_id is not None:
        for endpoint in _endpoints(session, invitation.account_id, WEBHOOK_TYPES["invitation"]):
            _post(
                session, channel="webhook", endpoint_id=endpoint.id, now=now,
                payload={"invitation": invitation.id, "body": _body_of_invitation(session, endpoint, invitation, now)},
                dedupe_key=f"invitation:{invitation.id}:{endpoint.id}", **about,
            )  # fmt: skip


def verification(
    session: Session, verification: Verification, email: str, code: str, language: str, now: datetime
) -> None:
    """A mail with the code. The code leaves the database with the mail."""
    kind = "verification" if verification.account_id is None else "email_change"
    outbox.post(
        session, kind=kind, channel="email", dedupe_key=f"{kind}:{verification.id}", now=now, address=email,
        account_id=verification.account_id, payload={"verification": verification.id, "code": code, "language": language},
    )  # fmt: skip


def email_changed(session: Session, account: Account, old: str, proven: Verification, now: datetime) -> None:
    """To the old address: whoever reads it shall know, be it that somebody got hold of a token."""
    outbox.post(
        session, kind="email_changed", channel="email", dedupe_key=f"email_changed:{proven.id}", now=now, address=old,
        account_id=account.id, payload={"at": now.isoformat()},
    )  # fmt: skip


def ping(session: Session, endpoint: WebhookEndpoint, now: datetime, after: timedelta = timedelta(0)) -> Delivery:
    """A webhook that says nothing but that it arrives."""
    delivery = outbox.post(
        session, kind=payloads.PING, channel="webhook", dedupe_key=f"ping:{endpoint.id}:{base32(16)}", now=now,
        account_id=endpoint.account_id, endpoint_id=endpoint.id,
        payload={"body": payloads.about_webhook(endpoint, session.get_one(Account, endpoint.account_id), now)},
    )  # fmt: skip
    assert delivery is not None  # its key is new
    delivery.next_at = now + after
    return delivery


def test(session: Session, account: Account, now: datetime) -> Delivery:
    """A mail that says nothing but that it arrives."""
    delivery = outbox.post(
        session, kind="test", channel="email", dedupe_key=f"test:{account.id}:{base32(16)}", now=now, account_id=account.id
    )  # fmt: skip
    assert delivery is not None  # its key is new
    planning.plan(session, delivery, now)
    return delivery


def webhook_disabled(session: Session, endpoint: WebhookEndpoint, now: datetime) -> None:
    """To whoever can do something about it: of a bot its owner. Its address stays out of it, for it may hold a secret."""
    owner = session.scalar(select(Bot.owner_id).where(Bot.account_id == endpoint.account_id))
    person = session.get_one(Account, owner or endpoint.account_id)
    if person.email is None:
        return
    outbox.post(
        session, kind="webhook_disabled", channel="email", dedupe_key=f"webhook_disabled:{endpoint.id}:{now.isoformat()}",
        now=now, account_id=person.id,
        payload={"webhook": endpoint.id, "host": urlsplit(endpoint.url).hostname, "reason": endpoint.disabled_reason},
    )  # fmt: skip


def untrue(session: Session, delivery: Delivery, now: datetime) -> str | None:
    """Why a notice must not be sent any more, looked up just before sending; None while it holds.

    A webhook that its owner asked for again says what it said, a mail is written of the table as it is now.
    """
    if recipient(session, delivery) is None:
        return "no-address" if delivery.channel == "email" else "endpoint-disabled"
    if reason := planning.unwanted(session, delivery):
        return reason
    if delivery.kind in TURNS and not (delivery.again and delivery.channel == "webhook"):
        return _answered(session, delivery) or ("replaced" if turns.told_in_a_reply(session, delivery) else None)
    if delivery.kind == "digest":
        return _empty(session, delivery, now)
    if delivery.kind == "webhook_disabled":
        return _enabled_again(session, delivery)
    if delivery.kind in ("verification", "email_change"):
        return _useless(session, delivery, now)
    if delivery.kind == "invitation":
        return _unwanted(session, delivery, now)
    return None


def recipient(session: Session, delivery: Delivery) -> Any:
    """The address of a mail, the endpoint of a webhook; None when there is none (any more)."""
    if delivery.channel == "webhook":
        endpoint = session.get(WebhookEndpoint, delivery.endpoint_id)
        return endpoint if endpoint is not None and endpoint.active else None
    if delivery.address is not None:
        return delivery.address
    account = session.get(Account, delivery.account_id)
    return account.email if account is not None else None


def _answered(session: Session, delivery: Delivery) -> str | None:
    """Whether this seat still owes this decision."""
    query = select(Game.decision, Game.asked_seat, Game.status).where(Game.id == delivery.game_id)
    owed = session.execute(query).one_or_none()
    return None if owed is not None and tuple(owed) == (delivery.decision, delivery.seat, "running") else "answered"


def _empty(session: Session, digest: Delivery, now: datetime) -> str | None:
    """Its text is kept for every try, so while something in it holds it goes out as it is."""
    told = session.scalars(select(Delivery).where(Delivery.batch_id == digest.id).order_by(Delivery.id))
    return "nothing-to-tell" if all(untrue(session, notice, now) for notice in told) else None


def _enabled_again(session: Session, delivery: Delivery) -> str | None:
    endpoint = session.get(WebhookEndpoint, (delivery.payload or {}).get("webhook"))
    return "webhook-deleted" if endpoint is None else "enabled-again" if endpoint.active else None


def _useless(session: Session, delivery: Delivery, now: datetime) -> str | None:
    asked = session.get(Verification, (delivery.payload or {}).get("verification"))
    if asked is None or asked.used_at is not None:
        return "used"
    if asked.expires_at <= now:
        return "expired"
    newer = select(Verification.id).where(
        Verification.email == asked.email,
        Verification.account_id.is_not_distinct_from(asked.account_id),
        Verification.created_at > asked.created_at,
    )
    return "replaced" if session.scalar(newer.limit(1)) else None  # only the newest code is good


def _unwanted(session: Session, delivery: Delivery, now: datetime) -> str | None:
    payload = delivery.payload or {}
    offer = session.get(Invitation, payload.get("invitation"))
    if offer is None or offer.state != "open":
        return "settled"
    if offer.expires_at <= now:
        return "expired"
    if delivery.channel == "webhook":
        return None
    if offer.email_digest is not None and addresses.wants_none(session, offer.email_digest):
        return "never-again"
    return "limit-of-address" if payload.get("beyond_limit") else None


def _tell(
    session: Session,
    kind: str,
    game: Game,
    seats: Iterable[Seat],
    now: datetime,
    decision: Decision | None = None,
    key: str = "",
    **more: Any,
) -> None:
    """A row for each recipient and channel. `key` tells occasions apart; `more` is what there is to tell of this one."""
    number = decision.number if decision is not None else None
    key = key or str(number or "")
    for seat in seats:
        about = {"kind": kind, "channel": "email", "game_id": game.id, "account_id": seat.account_id}
        if seat.account.email is None or (kind in COLLAPSING and outbox.covered(session, **about)):
            continue
        _post(
            session, seat=seat.letter, decision=number, payload=more or None, now=now,
            dedupe_key=":".join((kind, game.id, key, seat.letter, "email")), **about,
        )  # fmt: skip
    _to_webhooks(session, kind, game, seats, now, decision, key, **more)


def _to_webhooks(
    session: Session,
    kind: str,
    game: Game,
    seats: Iterable[Seat],
    now: datetime,
    decision: Decision | None = None,
    key: str = "",
    **more: Any,
) -> None:
    """A row for each endpoint that takes such notices; `more` goes into the data."""
    number = decision.number if decision is not None else None
    for seat in seats:
        for endpoint in _endpoints(session, seat.account_id, WEBHOOK_TYPES[kind]):
            _post(
                session, kind=kind, channel="webhook", game_id=game.id, seat=seat.letter, decision=number, now=now,
                account_id=seat.account_id, endpoint_id=endpoint.id,
                payload={"body": payloads.about_game(kind, endpoint, game, seat, decision, now, **more)},
                dedupe_key=":".join((kind, game.id, key, seat.letter, endpoint.id)),
            )  # fmt: skip


def _post(session: Session, *, now: datetime, **about: Any) -> None:
    """Into the outbox, in the way that its recipient wishes."""
    delivery = outbox.post(session, now=now, **about)
    if delivery is not None:
        planning.plan(session, delivery, now)


def _asked(session: Session, game: Game, decision: Decision) -> list[Seat]:
    return [seat for seat in _seats(session, game) if seat.letter == decision.seat]


def _seats(session: Session, game: Game) -> list[Seat]:
    return list(session.scalars(select(Seat).where(Seat.game_id == game.id).order_by(Seat.letter)))


def _present(session: Session, game: Game) -> list[Seat]:
    return [seat for seat in _seats(session, game) if seat.resigned_at is None]


def _endpoints(session: Session, account_id: str, kind: str) -> list[WebhookEndpoint]:
    """Held until the end of the transaction, so that none is deleted while a row for it is written."""
    query = (
        select(WebhookEndpoint)
        .where(WebhookEndpoint.account_id == account_id, WebhookEndpoint.active)
        .order_by(WebhookEndpoint.id)
        .with_for_update(read=True, key_share=True)
    )
    return [endpoint for endpoint in session.scalars(query) if kind in endpoint.types]


def _body_of_invitation(session: Session, endpoint: WebhookEndpoint, invitation: Invitation, now: datetime) -> str:
    invited, inviter = (session.get_one(Account, id) for id in (endpoint.account_id, invitation.inviter_id))
    return payloads.about_invitation(endpoint, invitation, invited, inviter, now)
