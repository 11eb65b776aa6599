"""What can be wrong with any request, and what can be wrong with us."""

from __future__ import annotations

from sqlalchemy import update

from server import database
from server.database import transaction
from server.models import Game
from tests.api.story.telling import Teller
from tests.playing import Person, running_game

KEY = {"Idempotency-Key": "4f1c"}


def tell(teller: Teller) -> None:
    ann, bob = teller.people("Ann", "Bob")
    nobody = teller.nobody
    _bodies(teller, nobody)
    _queries_and_paths(teller, nobody)
    _conditions_and_keys(teller, ann)
    _faults_of_ours(teller, ann, bob, nobody)


def _bodies(teller: Teller, nobody: Person) -> None:
    for code, body in (
        ("malformed-json", b'{"email": "ann@example.org",}'),
        ("body-too-large", b" " * 300_000),
        ("null-body", b"null"),
    ):
        teller.refused(code, "start_sign_in", nobody, data=body, content_type="application/json")
    teller.refused("unsupported-media-type", "start_sign_in", nobody, data=b"email=ann", content_type="text/plain")
    teller.refused("invalid-body", "start_sign_in", nobody, body={"email": "ann", "language": "de"})
    teller.refused("unknown-body-key", "start_sign_in", nobody, body={"email": "ann@example.org", "nmae": "Ann"})


def _queries_and_paths(teller: Teller, nobody: Person) -> None:
    teller.refused("invalid-query", "list_games", nobody, query={"limit": "1000"})
    teller.refused("unknown-query-key", "list_games", nobody, query={"colour": "red"})
    teller.bounced("not-found", nobody, "GET", "/v1/gmaes")
    teller.bounced("method-not-allowed", nobody, "DELETE", "/v1/games")


def _conditions_and_keys(teller: Teller, ann: Person) -> None:
    game = _made_with_a_key(ann, "/games", {"seats": 2})
    teller.refused("key-reused", "create_game", ann, body={"seats": 3}, headers=KEY)
    teller.refused("invalid-header", "create_game", ann, body={"seats": 2}, headers={"Idempotency-Key": "ключ"})
    stale = {"If-Match": '"0123456789abcdef0123456789abcdef"'}
    teller.refused("precondition-failed", "update_game", ann, body={"seats": 3}, headers=stale, game_id=game)
    bot = _made_with_a_key(ann, "/bots", {"name": "Darwinist"})
    ann.ask("DELETE", f"/bots/{bot}")
    teller.refused("made-and-gone", "create_bot", ann, body={"name": "Darwinist"}, headers=KEY)


def _made_with_a_key(who: Person, path: str, body: dict[str, object]) -> str:
    answer = who.post(path, body, headers=KEY)
    assert answer.json is not None
    return str(answer.json["id"])


def _faults_of_ours(teller: Teller, ann: Person, bob: Person, nobody: Person) -> None:
    game = running_game(ann, bob)
    with transaction() as session:
        session.execute(update(Game).where(Game.id == game).values(state="worn by time"))
    teller.refused("internal-error", "get_view", ann, game_id=game)
    address = database.engine().url.render_as_string(hide_password=False)
    database.connect("sqlite:////nowhere/at/all.db")
    teller.refused("database-unavailable", "list_games", nobody)
    database.connect(address)
