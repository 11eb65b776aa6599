"""Non-interference over time: two games with the same chance, in which other seats play other cards face down.

Nobody but they can tell the games apart, so a viewer gets the same bytes all the way: at every door, in his letters, as
the table that he saw then, and as the first response to each of his earlier answers, which the server makes again by
playing the game again.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask

import engine
from engine import Move, State
from server import create_app, database, kicking, sealing
from server.config import Settings
from server.database import reading
from server.models import Game
from server.services import outbox
from tests.api.story.telling import fixed
from tests.hidden.doors import every_look, every_notice, seen
from tests.hidden.tables import account_ids, listen
from tests.hidden.twins import Viewer
from tests.playing import running_game, signed_in

NAMES = ("Ada", "Ben", "Cay", "Eve")  # Eve sits at no table
MOVES = 110  # some turns, and not to the end: then the record shows everything
LOOKS = 4  # between them, through every door

Script = list[tuple[int, str, str]]  # the seat, and the same move as both games see it


def script(state: State, viewer: Viewer, chance: random.Random) -> Script:
    """Two courses of the game that are the same to the viewer; where he can't tell, the cards are not the same."""
    one, other = state.copy(), state.copy()
    written: Script = []
    while len(written) < MOVES and (seat := engine.asked(one)) is not None:
        assert engine.asked(other) == seat, "whose decision it is does not hang on hidden cards"
        move, its = chance.choice(common_moves(one, other, hides=seat != viewer))
        engine.apply(one, move)
        engine.apply(other, its)
        written.append((seat, str(move), str(its)))
    return written


def common_moves(one: State, other: State, hides: bool) -> list[tuple[Move, Move]]:
    """Moves that look the same in both."""
    moves, its = engine.legal_moves(one), engine.legal_moves(other)
    if not hides:
        assert moves == its
    hidden = [(move, its_move) for move in moves for its_move in its if move.word == its_move.word == "animal"]
    different = [pair for pair in hidden if pair[0] is not pair[1]]
    open_to_all = [(move, move) for move in moves if move in its and not (hides and move.word == "animal")]
    return open_to_all + (different or hidden if hides else [])


def course(app: Flask, seats: int, viewer: Viewer, which: int, scripts: list[Script]) -> Iterator[tuple[str, object]]:
    """Plays one of the two courses over HTTP; all that the viewer gets to see of it."""
    people = [signed_in(app, name, f"{name.lower()}@example.org") for name in NAMES]
    accounts = account_ids(list(NAMES))
    listen(accounts[viewer or 0], "https://bot.example.org/hook")
    game = running_game(*people[:seats], spectators="public")
    if not scripts:
        scripts.append(script(_state(game), viewer, random.Random(seats)))
    watching, account = (people[-1], accounts[-1]) if viewer is None else (people[viewer], accounts[viewer])
    for number, (seat, *moves) in enumerate(scripts[0], start=1):
        answer = people[seat].post(f"/games/{game}/moves", {"decision": number, "move": moves[which]})
        assert answer.status_code == 201, answer.text
        if seat == viewer:
            yield f"answer {number}", seen(answer)
        looks, rest = divmod(number, MOVES // LOOKS)
        if rest == 0:
            yield from every_look(watching, game, account, language="en" if looks % 2 else "ru")
            yield from every_notice(account, app.config["GALAPOST"])
    for number in range(1, len(scripts[0]) + 2, 9):
        yield f"then {number}", seen(watching.get(f"/games/{game}/view?at={number}"))
    for number, (seat, *moves) in [*enumerate(scripts[0], start=1)][::2]:
        for move in (moves[0], "animal mimicry") if seat == viewer else ("yield A1",):  # his own are the same in both
            again = watching.post(f"/games/{game}/moves", {"decision": number, "move": move})
            yield f"again {number} {move}", seen(again)


def _state(game: str) -> State:
    with reading() as session:
        return engine.load(str(session.get_one(Game, game).state))


def open_house(folder: Path, template: Path, monkeypatch: pytest.MonkeyPatch) -> Flask:
    """The app on a database of its own."""
    folder.mkdir()
    monkeypatch.setenv("GALAPOST_HOME", str(folder))
    monkeypatch.setenv("GALAPOST_DATABASE", f"sqlite:///{shutil.copy(template, folder / 'galapost.db')}")
    sealing._key.cache_clear()
    app = create_app(Settings.from_env())
    outbox._domain()  # draws once a process, and the chance of both courses must be the same
    return app


@pytest.mark.parametrize(("seats", "viewer"), [(2, 0), (3, 1), (3, None)])
def test_cards_played_face_down_make_no_difference_to_another_viewer(
    seats: int, viewer: Viewer, sqlite_template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kicking, "kick", lambda *task: None)
    scripts: list[Script] = []
    stories = []
    for which in (0, 1):
        app = open_house(tmp_path / str(which), sqlite_template, monkeypatch)
        with fixed():
            stories.append(list(course(app, seats, viewer, which, scripts)))
        database.disconnect()
    sealing._key.cache_clear()
    assert sum(move != its for _, move, its in scripts[0]) > 8
    for one, other in zip(*stories, strict=True):
        assert one == other
    assert len(stories[0]) > 200
