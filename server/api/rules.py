"""The rules of the game as data."""

from __future__ import annotations

from typing import Any

from flask import current_app

from server.api.smorest import Resource, known
from server.document import document
from server.document.excerpt import excerpt
from server.errors import UnknownRuleSet
from server.schemas import rules as schemas
from server.services import rules

blueprint = Resource(
    "rules", __name__, url_prefix="/v1/rules", description="The rules as data: cards, traits, house rules, words."
)

PUBLISHED = {"view": "View", "move": "MoveJson", "event": "EventItem"}  # names in the document
KEPT = "galapost-excerpts"


@blueprint.operation("GET", "", answer=schemas.RuleSetList, versioned=True)
def list_rules() -> Any:
    """Rule sets, and the newest in full

    What a client needs to show the game: cards with their numbers in each deck, traits with their names and what they do, house
    rules with what their values mean, the reasons for which moves are illegal. Texts are in the language asked for; words to
    work with are the same in all. It changes with releases of the server only: keep it by its ETag.
    """
    return rules.index(_published(), known)


@blueprint.operation("GET", "/<string:rule_set>", answer=schemas.RuleSet, versioned=True, can_fail=(UnknownRuleSet,))
def get_rule_set(rule_set: str) -> Any:
    """A rule set in full

    A game keeps the rule set that it began with, and its record names it.
    """
    return rules.rule_set(rule_set, _published(), known)


def _published() -> dict[str, Any]:
    """The schemas that answers about games are made by; cut out of the document once, since it never changes."""
    kept = current_app.extensions
    if KEPT not in kept:
        kept[KEPT] = {name: excerpt(document(current_app), schema) for name, schema in PUBLISHED.items()}
    found: dict[str, Any] = kept[KEPT]
    return found
