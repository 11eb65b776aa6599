"""Who holds what, and whom that must not keep waiting. SQLite knows one writer at a time, so this is about PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.orm import Session

from server import clock
from server.config import Settings
from server.database import transaction
from server.models import Account, Delivery, Game
from server.services import bounces, games, mail_tokens
from tests.workers import rows

pytestmark = pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)


def lock_game(session: Session, game: Game, account: Account) -> Any:
    return games.locked(session, game.id)


def lock_reader(session: Session, game: Game, account: Account) -> Any:
    return bounces.locked(session, rows.deliveries()[0].id, "permanent")


@pytest.mark.parametrize("lock", [lock_game, lock_reader])
def test_the_text_of_a_notice_is_stored_while_somebody_moves_or_settles(
    lock: Callable[..., Any], settings: Settings
) -> None:
    """A worker that holds the row of a notice stores tokens of its game and reader; whoever holds those wants the row."""
    with transaction() as session:
        anna, boris = rows.account(session, "anna"), rows.account(session, "boris")
        game = rows.game(session, anna, boris)
        rows.ask(session, game, "A")
    with transaction() as mover, transaction() as worker:
        assert lock(mover, game, anna) is not None
        worker.get_one(Delivery, rows.deliveries()[0].id, with_for_update=True)
        worker.execute(text("SET LOCAL lock_timeout = '2s'"))
        _, token = mail_tokens.mint("m", account_id=anna.id, game_id=game.id, now=clock.now())
        worker.add(token)
        worker.flush()
