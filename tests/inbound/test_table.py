"""Letters to a table: what they order is done, and one mail tells what became of it."""

from __future__ import annotations

from datetime import timedelta
from email.message import EmailMessage

import pytest
from sqlalchemy import select

from server import clock
from server.database import reading, transaction
from server.models import Account, Delivery, Game, Mute, StandingOrders
from server.services import play
from server.services.accounts import Caller
from tests.inbound.post import PLAY, Post, Table, kinds, letters, moves


def text(mail: EmailMessage) -> str:
    found: str = mail.get_body(("plain",)).get_content()  # type: ignore[union-attr]
    return found


def on_annas_own(post: Post, table: Table) -> EmailMessage:
    """Boris has passed, so Anna's decisions follow each other; the mail that asks her for the next."""
    play.answer(Caller(table.anna, PLAY), table.game, 1, table.legal[0])
    play.answer(Caller(table.boris, PLAY), table.game, 2, "pass")
    post.work()
    return post.newest()


def test_a_number_plays_the_move_that_was_printed_beside_it(post: Post, table: Table) -> None:
    letter = post.write(table.address(), "2\n")
    assert (letter.state, letter.outcome) == ("settled", "played")
    assert moves(table.game) == [table.legal[1]]
    assert f"Played: {table.legal[1]}." in text(post.newest())


def test_the_answer_shows_the_next_decision_and_no_other_mail_does(post: Post, table: Table) -> None:
    question = on_annas_own(post, table)
    before = len(post.mails("anna@example.org"))
    assert post.answer(question, "1").outcome == "played"
    (reply,) = post.mails("anna@example.org")[before:]
    assert "It is your turn" in text(reply) and "YOUR MOVES" in text(reply)
    assert post.answer(reply, "pass").outcome == "played"
    assert len(moves(table.game)) == 4


def test_numbers_are_those_of_the_letter_that_is_answered_and_mean_moves_as_printed_there(
    post: Post, table: Table
) -> None:
    """The second number stands for another move by the time it is played."""
    question = on_annas_own(post, table)
    printed = [line.split(". ", 1)[1] for line in text(question).splitlines() if line[:5].strip(" .").isdigit()]
    different = [n for n, move in enumerate(printed, 1) if printed.count(move) == 1 and move != "pass"][:2]
    assert post.answer(question, ", ".join(map(str, different))).outcome == "played"
    assert moves(table.game)[2:] == [printed[number - 1] for number in different]


def test_a_list_is_refused_whole_when_one_of_its_numbers_was_not_printed(post: Post, table: Table) -> None:
    assert post.write(table.address(), "1, 999").outcome == "refused"
    assert moves(table.game) == []


def test_a_list_stops_where_another_seat_is_asked_and_the_answer_says_what_was_left(post: Post, table: Table) -> None:
    post.write(table.address(), "1, pass")
    assert moves(table.game) == [table.legal[0]]
    assert "The rest was not played (pass): another seat was asked." in text(post.newest())


def test_what_is_no_legal_move_is_refused_with_the_reason(post: Post, table: Table) -> None:
    letter = post.write(table.address(), "feed A9")
    assert (letter.outcome, letter.detail) == ("refused", "illegal-move")
    assert "Feed A9 was not played: " in text(post.newest())
    assert "YOUR MOVES" in text(post.newest())


def test_several_commands_are_done_in_their_order_and_answered_in_one_mail(post: Post, table: Table) -> None:
    post.write(table.address(), "say Good evening!\norders: pass feeding when nothing to receive\n1\nmute\norders")
    (reply,) = post.mails("anna@example.org")
    lines = text(reply).splitlines()
    told = [line for line in lines if line.startswith(("Said", "Your orders", "Played", "There will"))]
    assert told == [
        "Said to the table: Good evening!", "Your orders are set.", f"Played: {table.legal[0]}.",
        "There will be no more mails about this game; `unmute` brings them back.",
    ]  # fmt: skip
    assert "  pass feeding when nothing to receive" in lines
    with reading() as session:
        assert session.query(Mute).count() == 1
        assert session.query(StandingOrders).one().lines == ["pass feeding when nothing to receive"]
    assert post.write(table.address(), "unmute\nclear").outcome == "clear"
    with reading() as session:
        assert session.query(Mute).count() == 0
        assert session.query(StandingOrders).one().lines == []


def test_any_letter_of_the_game_takes_words_but_only_the_newest_takes_moves(post: Post, table: Table) -> None:
    old = table.address("b" * 26)
    assert post.write(old, "status").outcome == "status"
    assert "YOUR MOVES" in text(post.newest())
    assert post.write(old, "1").outcome == "refused"
    assert post.answer(post.newest(), "1").outcome == "played", "the answer was a letter that asks"


def test_a_decision_that_is_closed_shows_the_table_and_plays_nothing(post: Post, table: Table) -> None:
    play.answer(Caller(table.anna, PLAY), table.game, 1, "pass")
    letter = post.write(table.address(), "1")
    assert letter.outcome == "stale"
    assert "decision 1, which your letter answers, is closed; its answer was pass" in text(post.newest())
    assert "THE TABLE" in text(post.newest())
    assert moves(table.game) == ["pass"]


@pytest.mark.parametrize(("days", "outcome"), [(6, "said"), (8, "stale")])
def test_words_work_until_seven_days_after_the_end(post: Post, table: Table, days: int, outcome: str) -> None:
    with transaction() as session:
        game = session.get_one(Game, table.game)
        game.status, game.ended_at = "over", clock.now() - timedelta(days=days)
        game.decision = game.asked_seat = None
    assert post.write(table.address(), "say Well played!").outcome == outcome
    assert post.write(table.address(), "1").outcome == "stale"
    assert moves(table.game) == []


def test_help_that_was_asked_for_always_comes_and_that_for_prose_once(post: Post, table: Table) -> None:
    outcomes = [post.write(table.address(), words).outcome for words in ("What now?", "Hello?", "help", "Eh?", "Well?")]
    assert outcomes == ["unclear", "unclear", "help", "unclear", "unclear"]
    assert [letter.detail for letter in letters()] == [None, "silent", None, None, "silent"]
    assert ["WHAT CAN BE WRITTEN" in text(mail) for mail in post.mails("anna@example.org")] == [True] * 3


def test_a_player_is_answered_in_his_language(post: Post, table: Table) -> None:
    with transaction() as session:
        session.get_one(Account, table.anna).language = "ru"
    post.write(table.address(), "помощь\nскажи Привет\n1")
    reply = text(post.newest())
    assert f"Сыграно: {table.legal[0]}." in reply and "Сказано за столом: Привет." in reply
    assert "ЧТО МОЖНО НАПИСАТЬ" in reply
    post.write(table.address(), "1")
    assert "решение 1, на которое отвечает ваше письмо, закрыто" in text(post.newest())


def test_what_an_answer_says_leaves_the_database_with_it(post: Post, table: Table) -> None:
    post.write(table.address(), "say a secret\n1")
    with reading() as session:
        replies = session.scalars(select(Delivery).where(Delivery.kind == "reply")).all()
        assert [(reply.state, reply.payload, reply.rendered) for reply in replies] == [("sent", None, None)]


def test_answers_are_marked_as_such_and_bear_no_link_that_unsubscribes(post: Post, table: Table) -> None:
    post.write(table.address(), "status")
    reply = post.newest()
    assert reply["Auto-Submitted"] == "auto-replied" and reply["List-Unsubscribe"] is None
    assert kinds().count("reply") == 1
