"""What I am told, how and when; and what became of it."""

from __future__ import annotations

from typing import Any

from server import queries
from server.api.paging import page
from server.api.smorest import Resource, known
from server.errors import (
    NotAPlayer,
    NotSendable,
    NoWayToSend,
    RateLimited,
    UnknownDelivery,
    UnknownGame,
    WebhookDisabled,
)
from server.schemas import deliveries as told
from server.schemas import notifications as schemas
from server.services import preferences, resending
from server.services.accounts import Caller
from server.services.looking import Expects

blueprint = Resource("notifications", __name__, url_prefix="/v1", description="What I am told, how and when.")


@blueprint.operation("GET", "/me/notifications", "account", answer=schemas.Notifications, versioned=True)
def get_my_notifications(caller: Caller) -> Any:
    """What I am told, how and when

    By default: mails and webhooks at once, but no mail about attacks; a reminder after two days; no quiet hours. Bots are not
    reminded unless they wish it. Codes and what tells that a webhook was switched off come in any case. Having a client
    open, or asking all the time, silences nothing.
    """
    return preferences.show(caller, known)


@blueprint.operation(
    "PUT",
    "/me/notifications",
    "account",
    body=schemas.NotificationWishes,
    answer=schemas.Notifications,
    conditional=True,
)
def put_my_notifications(caller: Caller, body: dict[str, Any], expects: Expects) -> Any:
    """Say what I want to be told, how and when

    All of it: what is left out is as it is by default. What GET answers can be sent back. It holds for what waits already,
    too: reminders are set anew, a notice that was to come in the digest may come at once.
    """
    return preferences.replace(caller, body, expects)


@blueprint.operation(
    "PATCH",
    "/me/notifications",
    "account",
    body=schemas.NotificationChanges,
    answer=schemas.Notifications,
    conditional=True,
)
def change_my_notifications(caller: Caller, body: dict[str, Any], expects: Expects) -> Any:
    """Change some of what I want to be told

    What is left out stays, among the kinds and channels, too.
    """
    return preferences.change(caller, body, expects)


@blueprint.operation(
    "POST",
    "/me/notifications/test",
    "account",
    body=told.TestWish,
    answer=told.TestsSent,
    status=202,
    can_fail=(NoWayToSend, RateLimited),
)
def send_test_notifications(caller: Caller, body: dict[str, Any]) -> Any:
    """Have a test message sent, now

    A mail to my address, at most five an hour; or a ping to each webhook of mine that is switched on (with the scope `webhooks`, too).
    What came of it is in `GET /v1/me/deliveries`.
    """
    return {"items": resending.test(caller, **body)}


@blueprint.operation(
    "GET",
    "/games/<string:game_id>/notifications",
    "account",
    answer=schemas.GameNotifications,
    versioned=True,
    can_fail=(UnknownGame, NotAPlayer),
)
def get_game_notifications(caller: Caller, game_id: str) -> Any:
    """Whether I have muted a game of mine"""
    return preferences.show_of_game(caller, game_id, known)


@blueprint.operation(
    "PUT",
    "/games/<string:game_id>/notifications",
    "account",
    body=schemas.GameNotificationWishes,
    answer=schemas.GameNotifications,
    conditional=True,
    can_fail=(UnknownGame, NotAPlayer),
)
def put_game_notifications(caller: Caller, game_id: str, body: dict[str, Any], expects: Expects) -> Any:
    """Mute a game of mine, or hear of it again

    Of a muted game nothing is sent, by mail or webhook, not even what waits already. What I owe there is still in
    `GET /v1/me/decisions`.
    """
    return preferences.change_of_game(caller, game_id, body["muted"], expects)


@blueprint.operation("GET", "/me/deliveries", "account", query=told.NotificationQuery, answer=told.NotificationList)
def list_my_deliveries(caller: Caller, query: dict[str, Any]) -> Any:
    """What became of every notice to me, the newest first

    Sent, waiting, left out and why: it answers "why did I get no mail". Kept for 90 days.
    """
    return page(queries.my_deliveries(caller, **query))


@blueprint.operation(
    "POST",
    "/me/deliveries/<string:delivery_id>/again",
    "account",
    answer=told.Notification,
    status=202,
    can_fail=(UnknownDelivery, NotSendable, WebhookDisabled, RateLimited),
)
def send_again(caller: Caller, delivery_id: str) -> Any:
    """Send me a notice again, now

    Under the same `Message-ID` or `webhook-id`, once a minute at most. It comes in spite of what I wish else, mutes and quiet
    hours included. A mail is written of the table as it is now; one about a decision that was answered since is not sent
    again, nor is a code. A webhook says what it said (with the scope `webhooks`, too).
    """
    return resending.again(caller, delivery_id)
