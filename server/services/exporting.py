"""Everything that is stored about an account, for its owner to take away.

What of a table's row is told stands here, column by column, so that a column that is added later is told only when
somebody has thought about it. Secrets never are; of games there is what is public, and what the account did itself."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, or_, select
from sqlalchemy.orm import Session, selectinload

from server import clock
from server.database import reading
from server.models import (
    Account,
    Attempt,
    Base,
    Bot,
    Decision,
    Delivery,
    Feed,
    FeedItem,
    Game,
    Invitation,
    Letter,
    MailToken,
    Message,
    Move,
    Mute,
    Preference,
    Repetition,
    Seat,
    StandingOrders,
    Token,
    Verification,
    WebhookEndpoint,
)
from server.services import addresses, games
from server.services.accounts import Caller

COLUMNS: dict[type[Base], str] = {
    Account: "id name email language time_zone kind version created_at verified_at mail_score mail_dead_at mail_dead_reason",
    Bot: "engine description accepts",
    Token: "id prefix name scopes expires_at last_used_at revoked_at created_at",
    Verification: "id email network language expires_at tries used_at created_at",
    Repetition: "operation key made created_at",
    Feed: "last",
    FeedItem: "number game_id type first last created_at",
    WebhookEndpoint: "id url types format answers active prompt failing_since failed_at version created_at disabled_at"
    " disabled_reason",
    Delivery: "id kind channel address endpoint_id game_id seat decision state reason mode batch_id attempts"
    " earlier_attempts again next_at message_id created_at settled_at",
    Attempt: "n started_at finished_at outcome status reply answer problem detail ms",
    Preference: "kinds quiet digest_at delay reminders version",
    Mute: "game_id created_at",
    MailToken: "kind address game_id decision about printed created_at used_at",
    Letter: "id kind envelope_from state outcome detail game_id decision tries received_at next_at confirmed_at settled_at",
    Seat: "letter joined_at entropy_commitment entropy played_by resigned_at cancels_at",
    Decision: "number kind opened_at answered_at",
    Move: "number notation json made_at by follows",
    StandingOrders: "lines stopped skipped given_at given_turn given_event version",
    Message: "game_id number text created_at",
    Invitation: "id game_id kind email state created_at expires_at settled_at",
}


def export(caller: Caller) -> dict[str, Any]:
    """What he played tells his hand, and that of his bots: it takes a token that may see them."""
    caller.needs_one_of("games:play", "games:read")
    with reading() as session:
        account = session.get_one(Account, caller.account_id)
        wanted = select(Account).join(Bot, Bot.account_id == Account.id).where(Bot.owner_id == account.id)
        bots = session.scalars(wanted).all()
        if bots:
            caller.needs_one_of("bots")
        return {
            "made_at": clock.now(),
            **_about(session, account),
            "bots": [_about(session, bot) | _told(session.get_one(Bot, bot.id)) for bot in bots],
        }


def _about(session: Session, account: Account) -> dict[str, Any]:
    def mine(kind: Any) -> list[dict[str, Any]]:
        return _rows(session, select(kind).where(kind.account_id == account.id).order_by(*kind.__table__.primary_key))

    return {
        "account": _told(account),
        "tokens": mine(Token),
        "verifications": _rows(session, select(Verification).where(_of(account, Verification, Verification.email))),
        "repetitions": mine(Repetition),
        "feed": mine(Feed),
        "feed_items": mine(FeedItem),
        "webhooks": mine(WebhookEndpoint),
        "deliveries": _deliveries(session, account),
        "preferences": mine(Preference),
        "mutes": mine(Mute),
        "mail_addresses": _rows(session, select(MailToken).where(_of(account, MailToken, MailToken.address))),
        "letters": _rows(session, select(Letter).where(_of(account, Letter, Letter.envelope_from))),
        "games": _games(session, account),
        "messages": mine(Message),
        "invitations_made": _rows(session, select(Invitation).where(Invitation.inviter_id == account.id)),
        "invitations_got": _rows(session, select(Invitation).where(_of(account, Invitation, Invitation.email))),
        "wants_no_invitations": _wants_no_invitations(session, account),
    }


def _told(row: Any) -> dict[str, Any]:
    return {name: _shown(getattr(row, name)) for name in COLUMNS[type(row)].split()}


def _shown(value: Any) -> Any:
    """Times as everywhere in this API."""
    if isinstance(value, datetime):
        return value.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return {name: _shown(below) for name, below in value.items()} if isinstance(value, dict) else value


def _rows(session: Session, wanted: Select[Any]) -> list[dict[str, Any]]:
    return [_told(row) for row in session.scalars(wanted)]


def _of(account: Account, kind: Any, address: Any) -> ColumnElement[bool]:
    """Rows that point at the account, or that hold its address."""
    mine: ColumnElement[bool] = kind.account_id == account.id
    return mine if account.email is None else or_(mine, address == account.email)


def _deliveries(session: Session, account: Account) -> list[dict[str, Any]]:
    """Without what was in them: a code in a mail opens more than the token that asks may."""
    wanted = (
        select(Delivery)
        .where(_of(account, Delivery, Delivery.address))
        .order_by(Delivery.created_at, Delivery.dedupe_key)
    )
    return [
        {**_told(row), "log": _rows(session, select(Attempt).where(Attempt.delivery_id == row.id).order_by(Attempt.n))}
        for row in session.scalars(wanted)
    ]


def _games(session: Session, account: Account) -> list[dict[str, Any]]:
    """Those that he hosts or plays: what is public about each, and what he did there."""
    takes_part = or_(Game.host_id == account.id, Game.players.any(Seat.account_id == account.id))
    wanted = select(Game, Account).join(Account, Account.id == Game.host_id).where(takes_part)
    rows = session.execute(wanted.options(selectinload(Game.players)).order_by(Game.created_at, Game.id))
    return [
        {"game": _public(game, host), "hosted": host.id == account.id, "seat": _seat(session, game, account)}
        for game, host in rows
    ]


def _public(game: Game, host: Account) -> dict[str, Any]:
    shown: dict[str, Any] = _shown(games.summary(game, host))
    return shown


def _seat(session: Session, game: Game, account: Account) -> dict[str, Any] | None:
    seat = next((seat for seat in game.players if seat.account_id == account.id), None)
    if seat is None:
        return None
    orders = session.get(StandingOrders, (seat.game_id, seat.letter))
    return {**_told(seat), "orders": None if orders is None else _told(orders), "decisions": _answers(session, seat)}


def _answers(session: Session, seat: Seat) -> list[dict[str, Any]]:
    """What he was asked, and what he answered."""
    moves = {
        move.number: _told(move)
        for move in session.scalars(select(Move).where(Move.game_id == seat.game_id, Move.seat == seat.letter))
    }
    asked = select(Decision).where(Decision.game_id == seat.game_id, Decision.seat == seat.letter)
    return [
        {**_told(decision), "move": moves.get(decision.number)}
        for decision in session.scalars(asked.order_by(Decision.number))
    ]


def _wants_no_invitations(session: Session, account: Account) -> bool:
    return account.email is not None and addresses.wants_none(session, addresses.digest(account.email))
