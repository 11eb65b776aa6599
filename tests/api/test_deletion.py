"""An account goes, and with it whatever told who it was."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import select, update

from server.database import reading, transaction
from server.errors import TokenRevoked
from server.models import Delivery, Game
from server.services import addresses, bots, deletion, lobby, tokens
from server.services.accounts import Caller
from tests.api import lives
from tests.playing import Person, code_sent_to, problem, running_game, signed_in, whose_turn

# Where the row of a deleted account, or the digest of its address, is still pointed at; and why.
KEPT = {
    "seat.account_id": "games go on, and finished ones can be replayed: the seat bears the name that tells nothing",
    "game.host_id": "the same for its host",
    "delivery.account_id": "that something was sent, and when; neither where to nor what",
    "invitation.inviter_id": "the game had it",
    "invitation.account_id": "the game had it",
    "message.account_id": "the numbers of the others stay; its text is gone",
    "invitation.email_digest": "for the limits of mails to an address, which nobody gets round by deleting himself",
    "never_invite.email_digest": "whoever wants no mail wants none when his account is gone, too",
}


def gone(who: Person) -> Any:
    answer = who.ask("DELETE", "/me")
    assert (answer.status_code, answer.data) == (204, b""), answer.text
    return answer


def test_nothing_that_told_who_it_was_is_left(app: Flask) -> None:
    life = lives.lived(app)
    marks = life.accounts | {lives.OLD, lives.NEW, addresses.digest(lives.NEW)}
    before = lives.holding(marks)
    assert {str(column) for column in lives.personal()} == before, "a life that fills every column proves more"
    gone(life.person)
    assert lives.holding(marks) == KEPT.keys()
    text = lives.everything()
    for told in ("Darwin", "Fitzroy", lives.OLD, lives.NEW, lives.WEBHOOK, lives.SAID):
        assert told not in text, told


def test_its_tokens_open_nothing_and_its_name_and_address_are_free(app: Flask, nobody: Person) -> None:
    ann = signed_in(app, "Ann", "ann@example.org")
    gone(ann)
    problem(ann.get("/me"), 401, "token-unknown")
    problem(nobody.get("/users/Ann"), 404, "unknown-user")
    again = signed_in(app, "Ann", "ann@example.org").seen("/me")
    assert (again["name"], again["email"]) == ("Ann", "ann@example.org")


def test_who_is_deleted_is_unknown_under_his_last_name(ann: Person, bob: Person, nobody: Person) -> None:
    game = running_game(bob, ann)
    gone(ann)
    name = bob.seen(f"/games/{game}")["players"][1]["name"]
    assert name.startswith("deleted-")
    problem(nobody.get(f"/users/{name}"), 404, "unknown-user")
    problem(
        bob.post(f"/games/{bob.made('/games', {'seats': 2})['id']}/invitations", {"account": name}), 404, "unknown-user"
    )


def test_the_games_he_hosts_are_cancelled_and_seats_in_others_left(ann: Person, bob: Person, eve: Person) -> None:
    hosted = ann.made("/games", {"seats": 3})["id"]
    bob.made(f"/games/{hosted}/seats")
    joined = bob.made("/games", {"seats": 3})["id"]
    ann.made(f"/games/{joined}/seats")
    gone(ann)
    assert bob.seen(f"/games/{hosted}")["status"] == "cancelled"
    assert [player["name"] for player in bob.seen(f"/games/{joined}")["players"]] == ["Bob"]
    eve.made(f"/games/{joined}/seats")


def test_in_running_games_the_house_plays_on_and_nobody_waits(ann: Person, bob: Person, eve: Person) -> None:
    game = running_game(ann, bob, eve)
    gone(ann)
    for _ in range(12):
        waiting = bob.seen(f"/games/{game}")["waiting_for"]
        if waiting is None:
            break
        assert waiting["seat"] in "BC"
        player = {"B": bob, "C": eve}[waiting["seat"]]
        player.made(f"/games/{game}/moves", {"decision": waiting["decision"], "move": player.legal(game)[-1]})


def test_a_game_of_two_is_won_by_who_stays(ann: Person, bob: Person) -> None:
    game = running_game(ann, bob)
    gone(ann)
    summary = bob.seen(f"/games/{game}")
    assert summary["status"] == "over" and summary["result"]["winners"] == ["B"]


def test_finished_games_and_their_records_stay_under_a_name_that_tells_nothing(ann: Person, bob: Person) -> None:
    game = running_game(ann, bob, spectators="public")
    ann.made(f"/games/{game}/resignation")
    before = bob.seen(f"/games/{game}/record")
    gone(ann)
    assert bob.seen(f"/games/{game}/record")["moves"] == before["moves"]
    answer = bob.get(f"/games/{game}")
    assert answer.json["players"][0]["name"].startswith("deleted-") and answer.json["status"] == "over"
    assert "Ann" not in bob.get(f"/games/{game}/record").text + bob.get(f"/games/{game}/record.txt").text + answer.text


def test_his_bots_go_with_him(ann: Person, bob: Person, eve: Person) -> None:
    bot = ann.made("/bots", {"name": "Darwinist"})["id"]
    token = ann.made(f"/bots/{bot}/tokens", {"name": "t", "scopes": ["games:read", "games:play"]})["token"]
    darwinist = Person(ann.app, token)
    game = running_game(bob, darwinist, eve)
    gone(ann)
    problem(bob.get(f"/bots/{bot}"), 404, "unknown-bot")
    problem(darwinist.get("/me/decisions"), 401, "token-unknown")
    assert bob.seen(f"/games/{game}")["players"][1]["name"].startswith("deleted-")


def test_what_was_still_to_be_sent_to_him_is_not_sent(ann: Person, bob: Person) -> None:
    ann.made("/webhooks", {"url": "https://bot.example.org/"})
    running_game(ann, bob)
    account = ann.seen("/me")["id"]
    with reading() as session:
        assert session.scalars(select(Delivery).where(Delivery.account_id == account, Delivery.state == "due")).all()
    gone(ann)
    with reading() as session:
        left = session.scalars(select(Delivery).where(Delivery.account_id == account)).all()
    assert left and {(row.state, row.reason) for row in left if row.reason != "replaced"} == {
        ("obsolete", deletion.REASON)
    }
    assert all(row.payload is None and row.rendered is None and row.endpoint_id is None for row in left)


def test_a_worker_that_is_sending_just_now_settles_nothing_any_more(ann: Person, bob: Person) -> None:
    running_game(ann, bob)
    account = ann.seen("/me")["id"]
    with transaction() as session:
        session.execute(update(Delivery).where(Delivery.account_id == account).values(state="leased", fence=7))
    gone(ann)
    with reading() as session:
        rows = session.scalars(select(Delivery).where(Delivery.account_id == account)).all()
    assert rows and {(row.state, row.fence, row.lease_owner) for row in rows} == {("obsolete", 8, None)}


def test_a_code_that_was_sent_before_signs_nobody_in_after(app: Flask, nobody: Person) -> None:
    ann = signed_in(app, "Ann", "ann@example.org")
    proof = {"verification": nobody.made("/accounts", {"email": "ann@example.org"})["verification"]}
    proof["code"] = code_sent_to("ann@example.org")
    gone(ann)
    problem(nobody.post("/accounts/verification", proof), 422, "wrong-code")


def test_nobody_can_accept_what_he_offered(ann: Person, bob: Person) -> None:
    game = bob.made("/games", {"seats": 2, "join": "invited"})["id"]
    link = bob.made(f"/games/{game}/invitations", {"account": "Ann"})
    gone(ann)
    assert [(one["id"], one["state"]) for one in bob.seen(f"/games/{game}/invitations")["items"]] == [
        (link["id"], "withdrawn")
    ]


def test_deleted_at_once_from_two_places_it_is_deleted_once(ann: Person, bob: Person, eve: Person) -> None:
    running_game(ann, bob, eve)
    got: list[int] = []
    together = threading.Barrier(4)

    def delete() -> None:
        together.wait()
        got.append(ann.ask("DELETE", "/me").status_code)

    _all(*[delete] * 4)
    assert sorted(got) == [204, 401, 401, 401]


@pytest.mark.parametrize("round_", range(3))
def test_who_sits_down_while_he_is_deleted_leaves_no_seat_behind(round_: int, app: Flask, bob: Person) -> None:
    ann = signed_in(app, f"Ann{round_}")
    account = ann.seen("/me")["id"]
    tables = [bob.made("/games", {"seats": 3})["id"] for _ in range(3)]
    together = threading.Barrier(len(tables) + 1)
    got: list[int] = []

    def join(table: str) -> None:
        together.wait()
        got.append(ann.post(f"/games/{table}/seats").status_code)

    def delete() -> None:
        together.wait()
        assert ann.ask("DELETE", "/me").status_code == 204

    _all(*[lambda table=table: join(table) for table in tables], delete)
    assert set(got) <= {201, 401}
    assert [len(bob.seen(f"/games/{table}")["players"]) for table in tables] == [1, 1, 1]
    assert lives.of(account).deleted_at is not None


def test_a_move_and_a_deletion_at_once_leave_a_game_that_goes_on(ann: Person, bob: Person, eve: Person) -> None:
    game = running_game(ann, bob, eve)
    player, number = whose_turn(game, ann, bob, eve)
    move = {"decision": number, "move": player.legal(game)[0]}
    leaver = bob if player is ann else ann
    together = threading.Barrier(2)
    got: list[int] = []

    def play() -> None:
        together.wait()
        got.append(player.post(f"/games/{game}/moves", move).status_code)

    def delete() -> None:
        together.wait()
        got.append(leaver.ask("DELETE", "/me").status_code)

    _all(play, delete)
    assert sorted(got) == [201, 204]
    waiting = eve.seen(f"/games/{game}")["waiting_for"]
    assert waiting["seat"] != "ABC"[[ann, bob, eve].index(leaver)]


def _all(*works: Any) -> None:
    threads = [threading.Thread(target=work) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_a_game_that_began_while_he_was_deleted_is_found(
    ann: Person, bob: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    """He sits down between the look for his games and the lock of his account: it is all done again."""
    table = bob.made("/games", {"seats": 2})["id"]
    original, looks = deletion._games_of, []

    def look(session: Any, ids: list[str]) -> list[str]:
        looks.append(original(session, ids))
        return [] if len(looks) == 1 else looks[-1]  # the first look came too early

    ann.made(f"/games/{table}/seats")
    monkeypatch.setattr(deletion, "_games_of", look)
    gone(ann)
    assert len(looks) > 2 and bob.seen(f"/games/{table}")["status"] == "over"


def test_a_bot_made_meanwhile_is_no_orphan(ann: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    bot = ann.made("/bots", {"name": "Darwinist"})["id"]
    original, looks = deletion._with_bots, []

    def look(session: Any, account: str) -> list[str]:
        looks.append(original(session, account))
        return [account] if len(looks) == 1 else looks[-1]

    monkeypatch.setattr(deletion, "_with_bots", look)
    gone(ann)
    assert lives.of(bot).deleted_at is not None


def test_a_deleted_account_makes_nothing_any_more(ann: Person) -> None:
    """Its token was read before, and its transaction begins after."""
    caller = Caller(ann.seen("/me")["id"], frozenset(("account", "bots", "games:play")))
    gone(ann)
    for make in (
        lambda: tokens.create(caller, "t", ["account"], tokens.LIFE),
        lambda: bots.create(caller, "Darwinist", engine=None, description=None, accepts={}),
        lambda: lobby.create(caller, 2, {}, listed=True, join="open", spectators="none", start="host", own_bots=False),
    ):
        with pytest.raises(TokenRevoked):
            make()
    with reading() as session:
        assert session.scalars(select(Game)).all() == []


def test_two_players_of_the_same_tables_go_at_once(ann: Person, bob: Person, eve: Person) -> None:
    tables = [running_game(ann, bob, eve) for _ in range(3)]
    together = threading.Barrier(2)
    got: list[int] = []

    def delete(who: Person) -> None:
        together.wait()
        got.append(who.ask("DELETE", "/me").status_code)

    _all(lambda: delete(ann), lambda: delete(bob))
    assert got == [204, 204]
    for table in tables:
        summary = eve.seen(f"/games/{table}")
        assert (summary["status"], summary["result"]["winners"]) == ("over", ["C"])
