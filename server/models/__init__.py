"""Tables and their constraints. Engine data (states, moves, events) is stored as opaque JSON: nothing here knows the rules."""

from server.models.accounts import Account, Token, Verification
from server.models.base import Base, UtcDateTime
from server.models.deliveries import Attempt, Delivery, WebhookEndpoint
from server.models.games import Decision, Event, Game, Move, Seat

__all__ = [
    "Account",
    "Attempt",
    "Base",
    "Decision",
    "Delivery",
    "Event",
    "Game",
    "Move",
    "Seat",
    "Token",
    "UtcDateTime",
    "Verification",
    "WebhookEndpoint",
]
