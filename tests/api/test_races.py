"""Two things at once at a table that has not started: one wins, the other gets a clear 409, and nothing lies in between.

Each pair is let go by a barrier, again and again, so that each of the two is first now and then."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

from flask import Flask
from sqlalchemy import func, select
from werkzeug.test import TestResponse

from server.database import reading
from server.models import Decision, Game, Invitation, Seat
from tests.api.test_rematch import finished
from tests.playing import Person, problem, signed_in

TIMES = 8


def at_once(*asks: tuple[Any, ...]) -> list[TestResponse]:
    """Each: who asks, the verb, the path, and how else."""
    barrier = Barrier(len(asks))

    def go(ask: tuple[Any, ...]) -> TestResponse:
        who, verb, path, *how = ask
        barrier.wait(timeout=30)
        return who.ask(verb, path, **(how[0] if how else {}))

    with ThreadPoolExecutor(len(asks)) as pool:
        return list(pool.map(go, asks))


def counted(kind: Any, *which: Any) -> int:
    with reading() as session:
        return session.scalar(select(func.count()).select_from(kind).where(*which)) or 0


def table_of(host: Person, *others: Person, **wishes: Any) -> str:
    game: str = host.made("/games", {"seats": 4, "start": "host", **wishes})["id"]
    for other in others:
        other.made(f"/games/{game}/seats")
    return game


def test_of_two_who_want_the_last_seat_one_gets_it(ann: Person, bob: Person, eve: Person) -> None:
    for _ in range(TIMES):
        game = table_of(ann, seats=2, start="automatic")
        answers = at_once((bob, "POST", f"/games/{game}/seats"), (eve, "POST", f"/games/{game}/seats"))
        assert sorted(answer.status_code for answer in answers) == [201, 409]
        problem(max(answers, key=lambda answer: answer.status_code), 409, "no-free-seat")
        assert counted(Seat, Seat.game_id == game) == 2 and counted(Decision, Decision.game_id == game) == 1


def test_a_join_against_a_start(ann: Person, bob: Person, eve: Person) -> None:
    for _ in range(TIMES):
        game = table_of(ann, bob)
        joined, started = at_once((eve, "POST", f"/games/{game}/seats"), (ann, "POST", f"/games/{game}/start"))
        table = ann.seen(f"/games/{game}")
        assert started.status_code == 200 and table["status"] == "running"
        assert table["seats"] == len(table["players"]) == (3 if joined.status_code == 201 else 2)
        if joined.status_code != 201:
            problem(joined, 409, "no-free-seat")


def test_a_join_against_a_cancellation(ann: Person, bob: Person) -> None:
    for _ in range(TIMES):
        game = table_of(ann)
        joined, deleted = at_once((bob, "POST", f"/games/{game}/seats"), (ann, "DELETE", f"/games/{game}"))
        table = ann.seen(f"/games/{game}")
        assert deleted.status_code == 204 and table["status"] == "cancelled"
        assert len(table["players"]) == (2 if joined.status_code == 201 else 1)
        if joined.status_code != 201:
            problem(joined, 409, "game-over")


def test_the_last_join_against_a_cancellation(ann: Person, bob: Person) -> None:
    """Here only one of the two can win: the last seat starts the game."""
    for _ in range(TIMES):
        game = table_of(ann, seats=2, start="automatic")
        joined, deleted = at_once((bob, "POST", f"/games/{game}/seats"), (ann, "DELETE", f"/games/{game}"))
        status = ann.seen(f"/games/{game}")["status"]
        if joined.status_code == 201:
            problem(deleted, 409, "game-started")
        else:
            problem(joined, 409, "game-over")
        assert status == ("running" if joined.status_code == 201 else "cancelled")


def test_leaving_against_a_start(ann: Person, bob: Person, eve: Person) -> None:
    for _ in range(TIMES):
        game = table_of(ann, bob, eve)
        left, started = at_once((bob, "DELETE", f"/games/{game}/seats/me"), (ann, "POST", f"/games/{game}/start"))
        table = ann.seen(f"/games/{game}")
        assert started.status_code == 200 and table["status"] == "running"
        names = [player["name"] for player in table["players"]]
        if left.status_code == 204:
            assert names == ["Ann", "Eve"]
        else:
            problem(left, 409, "game-started")
            assert names == ["Ann", "Bob", "Eve"]
        assert [player["seat"] for player in table["players"]] == list("ABC"[: len(names)])


def test_leaving_against_being_unseated(ann: Person, bob: Person, eve: Person) -> None:
    for _ in range(TIMES):
        game = table_of(ann, bob, eve)
        seen = {"If-Match": ann.get(f"/games/{game}").headers["ETag"]}
        left, unseated = at_once(
            (bob, "DELETE", f"/games/{game}/seats/me"),
            (ann, "DELETE", f"/games/{game}/seats/B", {"headers": seen}),
        )
        assert {left.status_code, unseated.status_code} in ({204, 412}, {200, 403})
        assert [player["name"] for player in ann.seen(f"/games/{game}")["players"]] == ["Ann", "Eve"]


def test_an_acceptance_twice_at_once(ann: Person, bob: Person, eve: Person) -> None:
    for others in ((bob, bob), (bob, eve)):
        for _ in range(TIMES):
            game = table_of(ann, join="invited")
            token = ann.made(f"/games/{game}/invitations", {"link": True})["token"]
            path = f"/invitations/{token}/acceptance"
            first, second = others
            answers = at_once((first, "POST", path), (second, "POST", path))
            assert sorted(answer.status_code for answer in answers) == [201, 409]
            problem(max(answers, key=lambda answer: answer.status_code), 409, "invitation-closed")
            assert counted(Seat, Seat.game_id == game) == 2


def test_an_acceptance_against_its_withdrawal(ann: Person, bob: Person) -> None:
    for _ in range(TIMES):
        game = table_of(ann, join="invited")
        made = ann.made(f"/games/{game}/invitations", {"link": True})
        accepted, withdrawn = at_once(
            (bob, "POST", f"/invitations/{made['token']}/acceptance"),
            (ann, "DELETE", f"/games/{game}/invitations/{made['id']}"),
        )
        assert (accepted.status_code, withdrawn.status_code) in ((201, 409), (409, 204))
        problem(accepted if accepted.status_code == 409 else withdrawn, 409, "invitation-closed")
        assert counted(Seat, Seat.game_id == game) == (2 if accepted.status_code == 201 else 1)


def test_an_acceptance_against_a_refusal(ann: Person, bob: Person, nobody: Person) -> None:
    for _ in range(TIMES):
        game = table_of(ann, join="invited")
        token = ann.made(f"/games/{game}/invitations", {"link": True})["token"]
        accepted, refused = at_once(
            (bob, "POST", f"/invitations/{token}/acceptance"), (nobody, "POST", f"/invitations/{token}/refusal")
        )
        assert (accepted.status_code, refused.status_code) in ((201, 409), (409, 200))
        assert counted(Seat, Seat.game_id == game) == (2 if accepted.status_code == 201 else 1)


def test_a_rematch_wished_by_both_at_once_is_one_game(ann: Person, bob: Person) -> None:
    for number in range(TIMES):
        game = finished(ann, bob)
        answers = at_once((ann, "POST", f"/games/{game}/rematch"), (bob, "POST", f"/games/{game}/rematch"))
        assert sorted(answer.status_code for answer in answers) == [200, 201]
        (new,) = {answer.json["id"] for answer in answers}
        assert counted(Game) == 2 * (number + 1) and ann.seen(f"/games/{new}")["status"] == "running"


def test_ten_invitations_by_e_mail_and_not_one_more(ann: Person) -> None:
    game = table_of(ann)
    asks = [
        (ann, "POST", f"/games/{game}/invitations", {"json": {"email": f"{number}@example.net"}})
        for number in range(14)
    ]
    answers = at_once(*asks)
    assert sorted(answer.status_code for answer in answers) == [201] * 10 + [409] * 4
    assert counted(Invitation) == 10


def test_three_mails_a_week_to_an_address_and_not_one_more(app: Flask) -> None:
    hosts = [signed_in(app, f"Host{number}") for number in range(6)]
    tables = [(host, table_of(host)) for host in hosts]
    asks = [
        (host, "POST", f"/games/{game}/invitations", {"json": {"email": "dan@example.net"}}) for host, game in tables
    ]
    assert {answer.status_code for answer in at_once(*asks)} == {201}
    assert counted(Invitation, Invitation.mailed_at.is_not(None)) == 3
