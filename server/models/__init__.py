"""Tables and their constraints. Engine data (states, moves, events) is stored as opaque JSON: nothing here knows the rules."""

from server.models.accounts import Account, Bot, Feed, FeedItem, Repetition, Token, Verification
from server.models.base import Base, UtcDateTime
from server.models.deliveries import Attempt, Delivery, WebhookEndpoint
from server.models.games import Decision, Event, Game, Invitation, Message, Move, NeverInvite, Seat
from server.models.mail import Letter, MailToken, Mute, Preference, StandingOrders, Timer

__all__ = [
    "Account",
    "Attempt",
    "Base",
    "Bot",
    "Decision",
    "Delivery",
    "Event",
    "Feed",
    "FeedItem",
    "Game",
    "Invitation",
    "Letter",
    "MailToken",
    "Message",
    "Move",
    "Mute",
    "NeverInvite",
    "Preference",
    "Repetition",
    "Seat",
    "StandingOrders",
    "Timer",
    "Token",
    "UtcDateTime",
    "Verification",
    "WebhookEndpoint",
]
