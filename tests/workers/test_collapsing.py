"""Bursts: several occasions of a kind are one mail, as long as nobody has tried to send it."""

import pytest

from server import clock
from server.config import Settings
from server.database import transaction
from server.models import Game
from server.services import dispatching, notifying
from tests.workers import rows
from tests.workers.wishing import a_game, attack, fates, sent, talk, turn, wish

pytestmark = pytest.mark.usefixtures("no_texts")


def test_messages_in_a_row_are_one_mail_until_it_is_sent(settings: Settings) -> None:
    game = a_game()
    for number in (1, 2, 3):
        talk(game, number)
    (mail,) = rows.deliveries()
    assert mail.payload == {"message": 1}
    assert sent(settings) == ["message None"]
    talk(game, 4)
    assert [(row.state, row.payload) for row in rows.deliveries()] == [
        ("sent", {"message": 1}),
        ("due", {"message": 4}),
    ]


def test_a_message_that_comes_while_the_mail_is_made_is_in_it_or_in_the_next(settings: Settings) -> None:
    game = a_game()
    talk(game, 1)
    claimed = rows.claim_one()
    talk(game, 2)
    assert dispatching.prepare(claimed, settings) is None, "its text may have been made before"
    assert sent(settings) == ["message None"]
    assert len(rows.deliveries()) == 1


def test_nobody_gets_his_own_words(settings: Settings) -> None:
    talk(a_game(), 1, author="boris")
    assert rows.deliveries() == []


def test_an_attack_that_he_is_not_asked_about_is_told_if_he_wishes_so_and_once(settings: Settings) -> None:
    game = a_game()
    turn(game, "A")
    attack(game, 1, "B2")
    assert fates() == [("suppressed", "off")]
    wish(kinds={"attacked": {"email": "immediate"}})
    for number in (2, 3):
        attack(game, number, "B2")
    assert sorted(fates(), key=str) == [("due", None), ("suppressed", "off")]
    assert sent(settings) == ["attacked None"]


def test_an_attack_that_he_is_asked_about_is_told_with_the_question(settings: Settings) -> None:
    game = a_game()
    wish(kinds={"attacked": {"email": "immediate"}})
    turn(game, "B")
    attack(game, 1, "B2")
    assert [row.kind for row in rows.deliveries()] == ["your_turn"]


def test_a_reminder_replaces_one_that_was_never_tried(settings: Settings) -> None:
    game = a_game()
    with transaction() as session:
        found = session.get_one(Game, game)
        asked = rows.ask(session, found, "B")
        for step in (1, 2):
            notifying.reminder(session, found, asked, step, clock.now())
    told = {(row.kind, row.dedupe_key.split(":")[3], row.state) for row in rows.deliveries() if row.kind == "reminder"}
    assert told == {("reminder", "1", "obsolete"), ("reminder", "2", "due")}
