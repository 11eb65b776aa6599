"""At the table: looking, answering, leaving, talking."""

from __future__ import annotations

from datetime import timedelta

from tests.api.story.telling import Teller, later
from tests.playing import Person, running_game, whose_turn


def tell(teller: Teller) -> None:
    people = teller.people("Ann", "Bob", "Cay")
    _looking(teller, *people)
    _answering(teller, *people)
    _leaving(teller, *people)


def _looking(teller: Teller, ann: Person, bob: Person, cay: Person) -> None:
    game = running_game(ann, bob)
    teller.refused("no-spectators", "get_view", cay, game_id=game)
    teller.refused("unknown-decision", "get_view", ann, query={"at": "99"}, game_id=game)
    teller.refused("unknown-rule-set", "get_rule_set", ann, rule_set="evolution-0")
    teller.refused("game-not-over", "get_record", ann, game_id=game)


def _answering(teller: Teller, ann: Person, bob: Person, cay: Person) -> None:
    game = running_game(ann, bob)
    player, number = whose_turn(game, ann, bob)
    other = bob if player is ann else ann
    good = {"decision": number, "move": player.legal(game)[0]}
    teller.refused("not-a-player", "play_move", cay, body=good, game_id=game)
    teller.refused("not-your-decision", "play_move", other, body=good, game_id=game)
    teller.refused("decision-not-open", "play_move", player, body=good | {"decision": 57}, game_id=game)
    teller.refused("bad-notation", "play_move", player, body=good | {"move": "animal"}, game_id=game)
    teller.refused("illegal-move", "play_move", player, body=good | {"move": "attack A1 B1"}, game_id=game)
    teller.refused("bad-orders", "put_orders", other, body={"lines": ["feed A1", "defend run, hide"]}, game_id=game)
    player.made(f"/games/{game}/moves", good)
    teller.refused("decision-closed", "play_move", player, body=good | {"move": "pass"}, game_id=game)


def _leaving(teller: Teller, ann: Person, bob: Person, cay: Person) -> None:
    three = running_game(ann, bob, cay)
    ann.made(f"/games/{three}/resignation")
    teller.refused("resigned", "agree_to_cancel", ann, game_id=three)
    two = running_game(ann, bob)
    ann.made(f"/games/{two}/resignation")
    teller.refused("game-over", "list_legal_moves", bob, game_id=two)
    with later(timedelta(days=8)):
        teller.refused("talk-over", "send_message", bob, body={"text": "Again?"}, game_id=two)
