"""What webhooks say: ONE table, type → schema. A type is published by its line here, and its schema's docstring."""

from __future__ import annotations

from marshmallow import fields

from server.schemas.base import Closed, Open, Time, growing, told
from server.schemas.games import GameLinks
from server.schemas.invitations import InvitationLinks
from server.schemas.play import A_MOVE, MoveGiven

PING = "ping"  # sent to every webhook; nobody subscribes to it


class WebhookLinks(Open):
    """Where a webhook and its log are."""

    webhook = fields.String(required=True, metadata=told("The webhook itself."))
    deliveries = fields.String(required=True, metadata=told("The log of what was sent to it."))


class AboutGame(Open):
    """Which game, and which of your seats in it."""

    game = fields.String(required=True, metadata=told("Its id."))
    seat = fields.String(required=True, metadata=told("Yours.", examples=["A"]))
    links = fields.Nested(GameLinks, required=True)


class AboutDecision(AboutGame):
    """Which decision of which game."""

    decision = fields.Integer(required=True, metadata=told("Its number, which goes with the answer.", examples=[57]))
    kind = growing("What is asked.", "develop", "feed", "defend", "scavenge", "share", required=True)
    deadline = Time(required=True, allow_none=True, metadata=told("Null when the game has no clock."))


class Notice(Open):
    type = fields.String(required=True, metadata=told("What kind of notice this is."))
    timestamp = Time(required=True, metadata=told("When it happened; the header has the time of the attempt."))


class TurnOpened(Notice):
    """It is your turn

    A decision waits for you. Ask for its legal moves, and answer with its number. Never sent for a decision that is answered by
    the time of sending.
    """

    data = fields.Nested(AboutDecision, required=True)


class TurnReminder(Notice):
    """It still is your turn

    The decision has been open for as long as you wished to be reminded after. Never sent for a decision that is answered by
    the time of sending.
    """

    data = fields.Nested(AboutDecision, required=True)


class Attacked(Notice):
    """You were attacked

    And there is nothing for you to decide: it is over. An attack that you are asked about comes as `turn.opened`.
    """

    data = fields.Nested(AboutGame, required=True)


class GameStarted(Notice):
    """A game of yours has started

    All seats are taken and the cards are dealt.
    """

    data = fields.Nested(AboutGame, required=True)


class GameOver(Notice):
    """A game of yours is over

    Its result is in the summary, its record and the proof of its chance are open.
    """

    data = fields.Nested(AboutGame, required=True)


class AboutWebhook(Open):
    """Which webhook."""

    webhook = fields.String(required=True, metadata=told("Its id."))
    links = fields.Nested(WebhookLinks, required=True)


class Ping(Notice):
    """Nothing has happened

    It is sent when a webhook is registered, and when its owner asks for it; there is nothing to do but to answer 2xx.
    """

    data = fields.Nested(AboutWebhook, required=True)


class GameCancelled(Notice):
    """A game of yours was called off

    By its host before the start, for want of players, or by the agreement of all. Nothing more happens in it.
    """

    data = fields.Nested(AboutGame, required=True)


class AboutPlayer(AboutGame):
    """Which player of which game."""

    player = fields.String(required=True, metadata=told("His seat.", examples=["B"]))


class PlayerResigned(Notice):
    """Somebody at your table resigned

    The house plays on for him, or the game ends.
    """

    data = fields.Nested(AboutPlayer, required=True)


class AboutMessage(AboutGame):
    """Which message at which table."""

    message = fields.Integer(required=True, metadata=told("Its number in `GET /v1/games/{game_id}/messages`."))


class MessageSent(Notice):
    """Somebody at your table said something

    What it is, is read there.
    """

    data = fields.Nested(AboutMessage, required=True)


class AboutInvitation(Open):
    """To which game, and by whom."""

    game = fields.String(required=True, metadata=told("Its id."))
    invitation = fields.String(required=True, metadata=told("Its id, which is as good as its token to you."))
    inviter = fields.String(required=True, metadata=told("The name of the host."))
    links = fields.Nested(InvitationLinks, required=True)


class Invited(Notice):
    """A seat is offered to you

    Accept or refuse it with its links. Never sent for an invitation that is settled by the time of sending.
    """

    data = fields.Nested(AboutInvitation, required=True)


NOTICES: dict[str, type[Notice]] = {
    "turn.opened": TurnOpened,
    "turn.reminder": TurnReminder,
    "attacked": Attacked,
    "game.started": GameStarted,
    "game.over": GameOver,
    "game.cancelled": GameCancelled,
    "player.resigned": PlayerResigned,
    "message": MessageSent,
    "invitation": Invited,
    PING: Ping,
}


class PushAnswer(Closed):
    """What a push bot may answer at once: `move` or `moves`, and nothing beside it."""

    move = MoveGiven(metadata=A_MOVE)
    moves = fields.List(
        MoveGiven(metadata=A_MOVE), metadata=told("Several in a row, as with `POST /v1/games/{game_id}/moves`.")
    )


ANSWERS: dict[str, type[Closed]] = {"turn.opened": PushAnswer}  # of webhooks with `answers: true`
