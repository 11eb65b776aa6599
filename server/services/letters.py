"""Writes a mail: what its recipient may see, in his language, as a finished message with headers.

The words are in `server/templates/mail/<language>/`; the first line of a template is the subject."""

import base64
import hashlib
from datetime import datetime
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime, parseaddr
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape
from sqlalchemy import func, select
from sqlalchemy.orm import Session

import engine
from server import links
from server.config import Settings
from server.models import Account, Decision, Delivery, Event, Game, Seat
from server.services import games, notifying
from server.services.wording import Words

TOLD_AT_MOST = 60  # events; a longer story is read over HTTP

# Seven bits, so that the same bytes pass every server; lines end with LF here, as in a file, and with CRLF on the wire.
_POLICY = SMTP.clone(linesep="\n", cte_type="7bit")
_UNFOLDED = _POLICY.clone(max_line_length=998)  # so that an ASCII text with a long line stays as readable as it is

_templates = Environment(
    loader=FileSystemLoader(Path(__file__).parent.parent / "templates"),
    undefined=StrictUndefined,
    autoescape=select_autoescape(),
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
)
_templates.filters["printed"] = Words(
    "ru"
).card  # the names as the Russian cards bear them; the English ones are the notation's


def write(session: Session, delivery: Delivery, settings: Settings, now: datetime) -> str:
    """The whole mail, ready to be sent, in ASCII."""
    language, values = _of_verification(delivery) if delivery.kind == "verification" else _of_game(session, delivery)
    template = _templates.get_template(f"mail/{language}/{delivery.kind}.txt")
    subject, _, text = template.render(values).partition("\n\n")
    return _mail(delivery, notifying.recipient(session, delivery), subject.strip(), text, settings, now)


def _of_verification(delivery: Delivery) -> tuple[str, dict[str, Any]]:
    payload = delivery.payload or {}
    values = {
        "code": payload["code"],
        "verification": payload["verification"],
        "link": links.to("/v1/accounts/verification"),
    }
    return payload["language"], values


def _of_game(session: Session, delivery: Delivery) -> tuple[str, dict[str, Any]]:
    account = session.get_one(Account, delivery.account_id)
    game = session.get_one(Game, delivery.game_id)
    words = Words(account.language)
    players = [
        _player(seat, delivery)
        for seat in session.scalars(select(Seat).where(Seat.game_id == game.id).order_by(Seat.letter))
    ]
    values = {
        "game": game,
        "players": players,
        "others": [player["name"] for player in players if not player["me"]],
        "me": delivery.seat,
        "house_rules": {name: value for name, value in game.options.items() if value != engine.OPTIONS[name][0]},
        "links": links.of_game(game.id),
        **_table(game, delivery),
    }
    if delivery.kind == "your_turn":
        values |= _turn(session, game, delivery, words)
    elif delivery.kind == "game_over":
        values |= _victory(players, values["view"])
    return account.language, values


def _player(seat: Seat, delivery: Delivery) -> dict[str, Any]:
    return {"letter": seat.letter, "name": _one_line(seat.account.name), "me": seat.letter == delivery.seat}


def _one_line(name: str) -> str:
    """A name that somebody chose can't start lines of its own in a letter or a header."""
    return "".join(character if character.isprintable() else " " for character in name)[:40]


def _table(game: Game, delivery: Delivery) -> dict[str, Any]:
    """The table as the recipient may see it: everything in a letter comes through this view."""
    view = engine.view(games.state_of(game), games.seat_number(delivery.seat))
    seats = {seat["seat"]: seat for seat in view["seats"]}
    return {"view": view, "table": engine.draw_table(view), "seats": seats, "hand": seats[delivery.seat]["hand"]}


def _victory(players: list[dict[str, Any]], view: dict[str, Any]) -> dict[str, Any]:
    winners = [player for player in players if player["letter"] in view["winners"]]
    others = [player["name"] for player in winners if not player["me"]]
    return {"winners": [player["name"] for player in winners], "won": len(others) < len(winners), "shared_with": others}


def _turn(session: Session, game: Game, delivery: Delivery, words: Words) -> dict[str, Any]:
    if (game.asked_seat, game.decision) != (delivery.seat, delivery.decision):
        raise LookupError("the game waits for somebody else: his moves are not this recipient's to see")
    moves = [
        {"number": number, "notation": str(move), "sentence": words.move(engine.move_json(move), engine.sentence(move))}
        for number, move in enumerate(engine.legal_moves(games.state_of(game)), start=1)
    ]
    told = _since_my_last_move(session, delivery, words)
    return {
        "decision": delivery.decision,
        "kind": game.question_kind,
        "moves": moves,
        "happened": told[-TOLD_AT_MOST:],
        "untold": max(0, len(told) - TOLD_AT_MOST),
    }


def _since_my_last_move(session: Session, delivery: Delivery, words: Words) -> list[str]:
    """What came of my last answer and of everything after it, as I may know it. From the deal on, if I never moved."""
    mine = select(func.max(Decision.number)).where(
        Decision.game_id == delivery.game_id, Decision.seat == delivery.seat, Decision.answered_at.is_not(None)
    )
    since = session.scalar(mine) or 0
    events = session.scalars(
        select(Event).where(Event.game_id == delivery.game_id, Event.decision >= since).order_by(Event.number)
    )
    seat = games.seat_number(delivery.seat)
    return [words.event(engine.project(engine.event_from_json(event.data), seat)) for event in events]


def _mail(delivery: Delivery, to: str, subject: str, text: str, settings: Settings, now: datetime) -> str:
    domain = parseaddr(settings.mail_from)[1].rpartition("@")[2]
    mail = EmailMessage(policy=_UNFOLDED if text.isascii() else _POLICY)
    mail["From"], mail["To"], mail["Subject"] = settings.mail_from, to, subject
    mail["Date"], mail["Message-ID"] = format_datetime(now), delivery.message_id
    mail["Auto-Submitted"] = "auto-generated"
    if delivery.game_id is not None:
        mail["In-Reply-To"] = mail["References"] = _thread(delivery, domain)
        mail["List-Id"] = f"Galapost <games.{domain}>"
    mail.set_content(text)
    return mail.as_bytes(policy=_POLICY).decode("ascii")


def _thread(delivery: Delivery, domain: str) -> str:
    """A mail that never was: all letters of a game to one recipient are answers to it, so mail readers keep them together."""
    digest = hashlib.sha256(f"{delivery.game_id} {delivery.account_id}".encode()).digest()[:16]
    return f"<{base64.b32encode(digest).decode().rstrip('=').lower()}@{domain}>"
