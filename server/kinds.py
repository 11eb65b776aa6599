"""The kinds of notices that people have a say in, in one place: over which channels each goes, and how if nobody says otherwise.

To add a kind: a line here, an occasion in `notifying.py`, a template for its mail in `server/templates/mail/`, and for its
webhook a type in `server/schemas/notices.py`. Kinds that are not here (codes, a webhook that was switched off, what somebody
asked for) are sent whatever anybody wishes."""

from __future__ import annotations

from dataclasses import dataclass

OFF, IMMEDIATE, DIGEST = "off", "immediate", "digest"
UNSUBSCRIBED = "unsubscribed"  # as it is stored when it was switched off by a link in a mail; told as `off`
EMAIL, WEBHOOK = "email", "webhook"
MODES = {EMAIL: (OFF, IMMEDIATE, DIGEST), WEBHOOK: (OFF, IMMEDIATE)}


@dataclass(frozen=True)
class Kind:
    """`email` and `webhook`: how it goes there by default; None: it never does. `type`: what the webhook calls it."""

    email: str | None = None
    webhook: str | None = None
    type: str | None = None

    def by_default(self, channel: str) -> str | None:
        return self.email if channel == EMAIL else self.webhook

    def channels(self) -> list[str]:
        return [channel for channel in (EMAIL, WEBHOOK) if self.by_default(channel) is not None]


KINDS = {
    "your_turn": Kind(IMMEDIATE, IMMEDIATE, "turn.opened"),
    "reminder": Kind(IMMEDIATE, IMMEDIATE, "turn.reminder"),
    "attacked": Kind(OFF, IMMEDIATE, "attacked"),  # the mail about the next turn tells it, too
    "game_started": Kind(IMMEDIATE, IMMEDIATE, "game.started"),
    "game_over": Kind(IMMEDIATE, IMMEDIATE, "game.over"),
    "game_cancelled": Kind(IMMEDIATE, IMMEDIATE, "game.cancelled"),
    "player_resigned": Kind(None, IMMEDIATE, "player.resigned"),
    "message": Kind(IMMEDIATE, IMMEDIATE, "message"),
    "invitation": Kind(IMMEDIATE, IMMEDIATE, "invitation"),
}
TYPES = {name: kind.type for name, kind in KINDS.items() if kind.type is not None}


def channels_of(kind: str) -> list[str]:
    """Over which channels somebody may say how it goes; none: he has no say."""
    return KINDS[kind].channels() if kind in KINDS else []
