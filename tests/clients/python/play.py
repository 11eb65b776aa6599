"""Two people play a game with the client that openapi-python-client made: `play.py URL`.

Whoever runs this reads their mail: for `code for ADDRESS?` on standard output a line with the code is expected on standard input.
The last line is the game in JSON.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass

from galapost_client import AuthenticatedClient, Client
from galapost_client.api.accounts import finish_sign_in, start_sign_in
from galapost_client.api.lobby import create_game, get_game, join_game
from galapost_client.api.me import list_my_decisions
from galapost_client.api.play import get_view, list_legal_moves, play_move
from galapost_client.models import (
    DecisionList,
    Game,
    LegalMoveList,
    MoveAnswer,
    NewGame,
    NewGameSpectators,
    NewMove,
    Problem,
    Proof,
    SignedIn,
    SignIn,
    SignInLanguage,
    SignInStarted,
    View,
)


@dataclass
class Person:
    name: str
    client: AuthenticatedClient
    moves: int = 0


def sign_in(url: str, name: str) -> Person:
    stranger = Client(base_url=url)
    address = f"{name.lower()}@example.org"
    started = start_sign_in.sync(client=stranger, body=SignIn(email=address, language=SignInLanguage.EN))
    assert isinstance(started, SignInStarted), started
    print(f"code for {address}?", flush=True)
    proof = Proof(verification=started.verification, code=sys.stdin.readline().strip(), name=name)
    signed = finish_sign_in.sync(client=stranger, body=proof)
    assert isinstance(signed, SignedIn), signed
    return Person(name, AuthenticatedClient(base_url=url, token=signed.token))


def meet(host: Person, guest: Person) -> Game:
    wishes = NewGame(seats=2, spectators=NewGameSpectators.PUBLIC)
    made = create_game.sync(client=host.client, body=wishes)
    assert isinstance(made, Game), made
    joined = join_game.sync(made.id, client=guest.client)
    assert isinstance(joined, Game), joined
    return joined


def answer_what_is_owed(person: Person) -> bool:
    """Whether there was anything."""
    owed = list_my_decisions.sync(client=person.client)
    assert isinstance(owed, DecisionList), owed
    for decision in owed.items:
        legal = list_legal_moves.sync(decision.game, client=person.client)
        assert isinstance(legal, LegalMoveList), legal
        chosen = legal.items[person.moves % len(legal.items)]
        body = NewMove(decision=decision.decision, move=chosen.notation)
        played = play_move.sync(decision.game, client=person.client, body=body)
        assert isinstance(played, MoveAnswer), played
        person.moves += 1
    return bool(owed.items)


def a_mistake(game: Game) -> Problem:
    """What a stranger's move comes to."""
    stranger = AuthenticatedClient(base_url=URL, token="gp_nobody")
    refused = play_move.sync(game.id, client=stranger, body=NewMove(decision=1, move="pass"))
    assert isinstance(refused, Problem), refused
    return refused


def main(url: str, *names: str) -> None:
    ann, bob = (sign_in(url, name) for name in names)
    game = meet(ann, bob)
    problem = a_mistake(game)
    while answer_what_is_owed(ann) or answer_what_is_owed(bob):
        pass
    over = get_game.sync(game.id, client=ann.client)
    view = get_view.sync(game.id, client=ann.client)
    assert isinstance(over, Game) and over.result is not None, over
    assert isinstance(view, View), view
    told = {
        "game": over.id,
        "status": over.status,
        "moves": ann.moves + bob.moves,
        "winners": over.result.winners,
        "scores": over.result.scores.to_dict(),
        "turns": view.turn,
        "problem": problem.code,
        "further": sorted(over.additional_properties),
    }
    print(json.dumps(told))


if __name__ == "__main__":
    URL = sys.argv[1]
    main(*sys.argv[1:])
