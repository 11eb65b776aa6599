"""A mail about a turn tells its reader what his orders did meanwhile, and why they stopped."""

from __future__ import annotations

import pytest

from server import clock
from server.config import Settings
from server.database import transaction
from server.models import StandingOrders
from server.said import said
from server.services.orders import reasons
from tests.workers import rows
from tests.workers.test_letters import database_url, find, letter_to_boris, plain, seat_down  # noqa: F401 – a fixture

REASON = said("the food bank has {bank} left", bank=2)


def turn_of_boris(settings: Settings, language: str, hand_is_last: bool = False) -> tuple[str, str]:
    """In plain text and in HTML: decision 2 was answered by his orders, in 3 they left one out and stopped."""
    state, events = find("feed")
    with transaction() as session:
        game = seat_down(session, state, events[-20:], language)
        rows.answer(session, game, "B", "orders")
        session.add(
            StandingOrders(
                game_id=game.id, seat="B", lines=["defend run"], skipped=[{"decision": 3, "order": "feed <B9>"}],
                stopped={"reason": reasons.stored(REASON), "decision": 3, "at": clock.now().isoformat()},
                given_at=clock.now(), given_turn=1, given_event=0, version=1,
            )
        )  # fmt: skip
        rows.ask(session, game, "B")
        if hand_is_last:
            rows.answer(session, game, "B")
            rows.ask(session, game, "B")
    mail = letter_to_boris(settings)
    (page,) = (part for part in mail.walk() if part.get_content_type() == "text/html")
    return plain(mail), str(page.get_content())


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        ("en", ["WHAT YOUR ORDERS DID", "Decision 2, answered for you: ", "Left out, since it was illegal: feed <B9>", "They stopped: the food bank has 2 left."]),
        ("ru", ["ЧТО СДЕЛАЛИ ВАШИ ПРИКАЗЫ", "На решение 2 за вас ответили: ", "нельзя: feed <B9>", "Они остановились: в кормовой базе осталось 2."]),
    ],
)  # fmt: skip
def test_what_orders_did_is_told_with_the_next_turn(language: str, expected: list[str], settings: Settings) -> None:
    text, page = turn_of_boris(settings, language)
    assert all(words in text for words in expected), text
    assert expected[-1].partition(": ")[2] in page and "feed &lt;B9&gt;" in page and "<B9>" not in page


def test_it_is_told_once(settings: Settings) -> None:
    text, page = turn_of_boris(settings, "en", hand_is_last=True)
    assert "WHAT YOUR ORDERS DID" not in text and "What your orders did" not in page
