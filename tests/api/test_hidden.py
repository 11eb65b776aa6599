"""What a player may not know never leaves: not by a view, an event, a summary, a header, a length."""

from __future__ import annotations

import json
from typing import Any

import pytest
from flask import Flask

from tests.playing import Person, problem, running_game, signed_in

DOORS = ("", "/view", "/events?limit=500")


@pytest.fixture
def table(app: Flask) -> tuple[str, list[Person]]:
    """A game with some moves behind it, spectators let in."""
    players = [signed_in(app, name) for name in ("Ada", "Ben", "Cay")]
    game = running_game(*players, spectators="public")
    for _ in range(40):
        waiting = players[0].seen(f"/games/{game}")["waiting_for"]
        player = players["ABC".index(waiting["seat"])]
        player.made(f"/games/{game}/moves", {"decision": waiting["decision"], "move": player.legal(game)[0]})
    return game, players


def hidden_parts(view: dict[str, Any]) -> list[Any]:
    """Hands, piles and cards face down that this viewer is shown."""
    seats = view["seats"]
    return [seat[part] for seat in seats for part in ("hand", "pile")] + [
        animal["card"] for seat in seats for animal in seat["animals"]
    ]


def test_a_player_sees_his_own_hand_and_no_other(table: tuple[str, list[Person]]) -> None:
    game, players = table
    for number, player in enumerate(players):
        for seat in player.seen(f"/games/{game}/view")["seats"]:
            own = seat["seat"] == "ABC"[number]
            assert (seat["hand"] is not None, seat["pile"] is not None) == (own, own)
            assert all((animal["card"] is not None) == own for animal in seat["animals"])
            assert not own or len(seat["hand"]) == seat["hand_size"]


def test_a_spectator_sees_no_hidden_card(table: tuple[str, list[Person]], nobody: Person, eve: Person) -> None:
    game, _ = table
    for spectator in (nobody, eve):
        view = spectator.seen(f"/games/{game}/view")
        assert view["you"] is None and set(hidden_parts(view)) == {None}
        assert any(seat["animals"] for seat in view["seats"])


def test_events_name_a_card_face_down_to_its_player_only(table: tuple[str, list[Person]], nobody: Person) -> None:
    game, players = table
    shown = [
        [event for event in who.seen(f"/games/{game}/events?limit=500")["items"] if event["type"] == "animal_played"]
        for who in (*players, nobody)
    ]
    assert len({len(events) for events in shown}) == 1 and shown[0]
    for seen, viewer in zip(shown, (*"ABC", None), strict=True):
        assert all((event.get("card") is not None) == (event["seat"] == viewer) for event in seen)


def test_every_viewer_hears_of_the_same_events_by_the_same_numbers(
    table: tuple[str, list[Person]], nobody: Person
) -> None:
    game, players = table
    heard = [
        [(event["number"], event["type"]) for event in who.seen(f"/games/{game}/events?limit=500")["items"]]
        for who in (*players, nobody)
    ]
    assert heard == [heard[0]] * 4


def test_all_spectators_get_the_same_bytes(table: tuple[str, list[Person]], nobody: Person, eve: Person) -> None:
    game, _ = table
    for door in DOORS:
        one, other = nobody.get(f"/games/{game}{door}"), eve.get(f"/games/{game}{door}")
        assert (one.data, one.headers.get("ETag"), len(one.data)) == (
            other.data,
            other.headers.get("ETag"),
            len(other.data),
        )


def test_the_summary_is_the_same_for_all(table: tuple[str, list[Person]], nobody: Person) -> None:
    game, players = table
    assert (
        len(
            {
                (answer.data, answer.headers["ETag"])
                for answer in (who.get(f"/games/{game}") for who in (*players, nobody))
            }
        )
        == 1
    )
    assert "seed" not in nobody.seen(f"/games/{game}")


def test_a_refused_move_tells_nothing_but_what_the_player_knows(table: tuple[str, list[Person]]) -> None:
    """A card that another seat holds is refused in the very words of one that nobody holds."""
    game, players = table
    waiting = players[0].seen(f"/games/{game}")["waiting_for"]
    player = players["ABC".index(waiting["seat"])]
    answers = [
        player.post(f"/games/{game}/moves", {"decision": waiting["decision"], "move": "yield C99"}).json
        for _ in range(2)
    ]
    assert answers[0] == answers[1] and answers[0]["code"] == "illegal-move"
    assert not any(letter in json.dumps(answers[0]["detail"]) for letter in ("hand B", "hand C"))


def test_a_table_without_spectators_shows_itself_to_its_players_only(
    ann: Person, bob: Person, eve: Person, nobody: Person
) -> None:
    game = running_game(ann, bob)
    for door in ("/view", "/events"):
        problem(eve.get(f"/games/{game}{door}"), 403, "no-spectators")
        problem(nobody.get(f"/games/{game}{door}"), 401, "token-missing")
        assert bob.get(f"/games/{game}{door}").status_code == 200
    assert nobody.get(f"/games/{game}").status_code == 200  # it is listed, so its summary is public


def test_each_viewer_has_an_etag_of_his_own(table: tuple[str, list[Person]], nobody: Person) -> None:
    game, players = table
    assert len({who.get(f"/games/{game}/view").headers["ETag"] for who in (*players, nobody)}) == 4
