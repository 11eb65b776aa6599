"""What answers to letters that came in are filled with."""

from __future__ import annotations

from typing import Any

from sqlalchemy.orm import Session

from server import language
from server.models import Account, Delivery, Game
from server.services.letters.content import Content
from server.services.letters.templates import one_line
from server.services.mail_tokens import RESIGNATION
from server.services.orders import reasons


def answers(delivery: Delivery, of: str) -> dict[str, Any]:
    """What became of each command, and what he asked for beside the table."""
    payload = delivery.payload or {}
    return {
        "answers": [_sentence(answer, of) for answer in payload["answers"]],
        "help": payload["help"],
        "asked": payload.get("asked"),  # for help
        "plain": payload["plain"],  # is what he is to send
        "orders": payload.get("orders"),
    }


def _sentence(answer: dict[str, Any], of: str) -> str:
    """With a capital and a full stop. What he wrote himself may stand in it."""
    said = one_line(language.translated(reasons.again(answer), of), longest=None)
    return said[:1].upper() + said[1:] + ("" if said.endswith((".", "!", "?", ":")) else ".")


def note(session: Session, delivery: Delivery) -> Content:
    """Where there is no table to show."""
    of, payload = _language(session, delivery), delivery.payload or {}
    return Content(of, answers(delivery, of), about=payload["invitation"], confirms=payload["confirms"])


def confirm_letter(session: Session, delivery: Delivery) -> Content:
    payload = delivery.payload or {}
    values = {"sender": one_line(payload["from"], longest=None)}
    return Content(_language(session, delivery), values, confirms=payload["letter"])


def confirm_resignation(session: Session, delivery: Delivery) -> Content:
    return Content(
        _language(session, delivery), {"game": session.get_one(Game, delivery.game_id)}, confirms=RESIGNATION
    )


def _language(session: Session, delivery: Delivery) -> str:
    account = session.get(Account, delivery.account_id) if delivery.account_id else None
    return account.language if account else str((delivery.payload or {})["language"])
