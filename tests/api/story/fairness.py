"""A whole game with entropy of both players: the proof, and the record."""

from __future__ import annotations

import hashlib

from tests.api.story.telling import Teller


def tell(teller: Teller) -> None:
    ann, bob = teller.people("Ann", "Bob")
    entropy = {name: hashlib.sha256(name.encode()).hexdigest() for name in ("of Ann", "of Bob")}
    commitments = [{"entropy_commitment": hashlib.sha256(text.encode()).hexdigest()} for text in entropy.values()]
    game = ann.made("/games", {"seats": 2})["id"]
    teller.play("commit_entropy", ann, body=commitments[0], game_id=game)
    teller.play("join_game", bob, body=commitments[1], game_id=game)
    ann.made(f"/games/{game}/seats/me/entropy", {"entropy": entropy["of Ann"]})
    waiting = teller.play("reveal_entropy", bob, body={"entropy": entropy["of Bob"]}, game_id=game)["waiting_for"]
    while waiting is not None:
        player = ann if waiting["seat"] == "A" else bob
        legal = player.legal(game)
        answer = {"decision": waiting["decision"], "move": legal[len(legal) // 2]}
        waiting = player.made(f"/games/{game}/moves", answer)["next"]
    teller.play("get_fairness", ann, game_id=game)
    teller.play("get_record", ann, at_most=3, game_id=game)
    teller.play("get_record_text", ann, at_most=60, game_id=game)
