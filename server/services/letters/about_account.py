"""What letters about an account, and about no table, are filled with: codes, addresses, webhooks, wishes, tests."""

from __future__ import annotations

import json
from datetime import datetime
from zoneinfo import ZoneInfo

from sqlalchemy.orm import Session

from server import links
from server.kinds import EMAIL
from server.models import Account, Delivery
from server.services.letters.content import Content
from server.services.letters.templates import one_line

# Where a code is to be sent.
PROVEN_AT = {"verification": "/v1/accounts/verification", "email_change": "/v1/me/email/verification"}


def code(session: Session, delivery: Delivery) -> Content:
    """To addresses, whether they are an account's or not."""
    payload = delivery.payload or {}
    return Content(
        payload["language"],
        {
            "code": payload["code"],
            "verification": payload["verification"],
            "link": links.to(PROVEN_AT[delivery.kind]),
        },
    )


def email_changed(session: Session, delivery: Delivery) -> Content:
    account = _account(session, delivery)
    at = datetime.fromisoformat((delivery.payload or {})["at"])
    return Content(account.language, {"name": one_line(account.name), "at": local(at, account.time_zone)})


def webhook_disabled(session: Session, delivery: Delivery) -> Content:
    payload = delivery.payload or {}
    about = {**payload, "links": links.of_webhook(payload["webhook"])}
    return Content(_account(session, delivery).language, about)


def unsubscribed(session: Session, delivery: Delivery) -> Content:
    """Which kind of mail was switched off, and how to undo it; `payload` names it as `about`, and how the `kinds` were before."""
    account, payload = _account(session, delivery), delivery.payload or {}
    undo = {kind: {EMAIL: mode} for kind, mode in payload["kinds"].items()}
    values = {"about": payload["about"], "undo": json.dumps({"kinds": undo}), "link": links.to("/v1/me/notifications")}
    return Content(account.language, values)


def test(session: Session, delivery: Delivery) -> Content:
    account = _account(session, delivery)
    return Content(account.language, {"name": one_line(account.name), "link": links.to("/v1/me/deliveries")})


def local(at: datetime, time_zone: str) -> str:
    return f"{at.astimezone(ZoneInfo(time_zone)):%Y-%m-%d %H:%M} ({time_zone})"


def _account(session: Session, delivery: Delivery) -> Account:
    return session.get_one(Account, delivery.account_id)
