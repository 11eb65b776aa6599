"""Addresses of ours that answer: found whatever their case, stored as digests, and with the mail or not at all."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import func, select

from server import clock
from server.config import Settings
from server.database import reading, transaction
from server.models import Delivery, MailToken
from server.services import dispatching, mail_tokens, outbox
from tests.workers import rows
from tests.workers.test_mail_parts import ADDRESS, table


def tokens() -> int:
    with reading() as session:
        return session.scalar(select(func.count()).select_from(MailToken)) or 0


def test_an_address_is_found_by_what_stands_before_the_at_sign(settings: Settings) -> None:
    with transaction() as session:
        text, row = mail_tokens.mint("m", about="x", now=clock.now())
        session.add(row)
    assert mail_tokens.address("m", text) == f"m-{text}@localhost"
    with reading() as session:
        for local in (f"m-{text}", f"M-{text.upper()}"):
            found = mail_tokens.find(session, local)
            assert found is not None and found.about == "x"
        for local in (f"u-{text}", text, f"m-{text[:-1]}", f"m-{text}x", f"m-{'a' * 26}", "", "m-ſ" + text[1:]):
            assert mail_tokens.find(session, local) is None
        assert text not in str(session.scalars(select(MailToken)).one().__dict__)


def test_they_are_stored_with_the_mail_and_stay_the_same_on_every_retry(settings: Settings) -> None:
    table()
    now, texts = clock.now(), []
    for attempt in range(3):
        (claimed,) = outbox.claim("a worker", 1, now + attempt * timedelta(minutes=10))
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(clock, "now", lambda at=now + attempt * timedelta(minutes=10): at)
            parcel = dispatching.prepare(claimed, settings)
        assert parcel is not None
        texts.append(parcel.body)
    assert len(set(texts)) == 1 and tokens() == 3
    with reading() as session:
        for found in ADDRESS.finditer(texts[0]):
            assert mail_tokens.find(session, found[0].partition("@")[0]) is not None


def test_a_notice_that_is_not_sent_leaves_no_address_behind(settings: Settings) -> None:
    game = table()
    with transaction() as session:
        rows.ask(session, session.merge(game), "B" if game.asked_seat == "A" else "A")
        session.query(Delivery).filter(Delivery.decision == 2).delete()
    (claimed,) = outbox.claim("a worker", 1, clock.now())
    assert dispatching.prepare(claimed, settings) is None and tokens() == 0


def test_those_of_games_long_over_are_forgotten(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    now = clock.now()
    game = table()
    with transaction() as session:
        for kind, of_game in (("m", game.id), ("u", None), ("b", game.id)):
            session.add(mail_tokens.mint(kind, game_id=of_game, now=now)[1])

    def left(days: int) -> set[str]:
        monkeypatch.setattr(clock, "now", lambda: now + timedelta(days=days))
        mail_tokens.forget_expired()
        with reading() as session:
            return set(session.scalars(select(MailToken.kind)))

    assert left(59) == {"m", "u", "b"}
    assert left(61) == {"m", "u"}
    with transaction() as session:
        session.merge(game).ended_at = now
    assert left(179) == {"m", "u"}
    assert left(181) == {"u"}
    assert left(366) == set()
