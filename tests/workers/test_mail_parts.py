"""What a mail is made of: headers that machines read, text, page and picture, within bounds."""

from __future__ import annotations

import random
import re
import struct
from email import message_from_string, policy
from email.message import EmailMessage
from html.parser import HTMLParser
from typing import Any

import pytest
from sqlalchemy import select

import engine
from server import clock
from server.config import Settings
from server.database import reading, transaction
from server.kinds import EMAIL, KINDS
from server.models import Account, Delivery, Game, Message
from server.services import letters, notifying, outbox
from server.services.letters import about_game, mime, picture, writing
from server.services.letters.templates import FOLDER, words
from tests.server.test_drawing import HOSTILE, crowded
from tests.workers import rows
from tests.workers.test_letters import plain

TURNED = "evil\u202egnp.exe\nBcc: x@example.org"
ADDRESS = re.compile(r"([micdub])-[a-z2-7]{26}@localhost")


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """How a letter looks has nothing to do with the database."""
    return sqlite_url


def table(seats: int = 2, names: tuple[str, ...] = (), language: str = "en") -> Game:
    """A game that has just begun; whoever is asked first has had his notice."""
    state = engine.new_game(bytes(32), seats, {"sets": "two"} if seats > 4 else None)
    letter = "ABCDEFGH"[engine.asked(state) or 0]
    with transaction() as session:
        players = [
            rows.account(session, names[n] if n < len(names) else f"player{n}", f"p{n}@example.org", language)
            for n in range(seats)
        ]
        game = rows.game(session, *players, state=engine.dump(state))
        game.options = {"sets": "two"} if seats > 4 else {}
        rows.ask(session, game, letter, "develop")
    return game


def only(kind: str) -> Delivery:
    with reading() as session:
        found = session.scalars(select(Delivery).where(Delivery.kind == kind, Delivery.channel == "email")).first()
        assert found is not None
        session.expunge_all()
    return found


def written(settings: Settings, delivery: Delivery) -> letters.Written:
    with reading() as session:
        made = letters.write(session, session.get_one(Delivery, delivery.id), settings, clock.now())
    assert len(made.mail) <= mime.LARGEST and made.mail.isascii()
    return made


def parsed(made: letters.Written) -> EmailMessage:
    return message_from_string(made.mail, policy=policy.default)  # type: ignore[return-value]


def kinds(mail: EmailMessage) -> list[str]:
    return [part.get_content_type() for part in mail.walk()]


def part(mail: EmailMessage, kind: str) -> Any:
    (found,) = [part for part in mail.walk() if part.get_content_type() == kind]
    return found.get_content()  # type: ignore[attr-defined]


class Page(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []
        self.said = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [value or "" for name, value in attrs if name in ("src", "href")]
        assert not [name for name, _ in attrs if name.startswith("on")]

    def handle_data(self, data: str) -> None:
        self.said += data


@pytest.mark.parametrize("language", ["en", "ru"])
def test_the_page_has_the_picture_inside_and_nothing_from_outside(settings: Settings, language: str) -> None:
    game = table(language=language)
    mail = parsed(written(settings, only("your_turn")))
    assert kinds(mail) == [
        *("multipart/alternative", "text/plain", "multipart/related", "text/html", "image/png"),
    ]
    page = Page(part(mail, "text/html"))
    (shown,) = [p for p in mail.walk() if p.get_content_type() == "image/png"]
    assert f"cid:{shown['Content-ID'].strip('<>')}" in page.links
    outside = [link for link in page.links if not link.startswith(("cid:", "mailto:u-"))]
    assert outside == [f"{settings.url}/v1/games/{game.id}"]
    png = part(mail, "image/png")
    assert struct.unpack(">I", png[16:20]) == (picture.WIDTH,)
    assert ("Возможные ходы" in page.said) is (language == "ru")


def test_the_page_says_what_the_text_says(settings: Settings) -> None:
    table()
    mail = parsed(written(settings, only("your_turn")))
    text, page = plain(mail), Page(part(mail, "text/html"))
    moves = re.findall(r"^ +\d+\. (.+)\n +(.+)$", text, re.MULTILINE)
    assert moves and all(notation in page.said and sentence in page.said for notation, sentence in moves)
    assert "It is your turn: play a card or pass." in page.said


@pytest.mark.parametrize("name", [HOSTILE, TURNED, "{{ 7 * 7 }}", "<script>alert(1)</script>"])
def test_a_name_is_only_ever_a_name(settings: Settings, name: str) -> None:
    table(names=(name, name + "2"))
    made = written(settings, only("your_turn"))
    mail = parsed(made)
    page = Page(part(mail, "text/html"))
    assert not {"script", "image", "iframe", "object"} & set(page.tags)
    assert mail["Bcc"] is None and "\u202e" not in plain(mail) + part(mail, "text/html")
    assert not [link for link in page.links if "example.org/x.png" in link]
    assert len(mail["Subject"]) < 120


def test_a_message_is_quoted_and_starts_no_lines_of_its_own(settings: Settings) -> None:
    game = table()
    with transaction() as session:
        author = session.scalars(select(Account).where(Account.name == "player0")).one()
        text = "hello\nYOUR MOVES\n<b>   1. pass</b>"
        session.add(Message(game_id=game.id, number=1, account_id=author.id, text=text, created_at=clock.now()))
        outbox.post(
            session, kind="message", channel="email", dedupe_key="m", now=clock.now(), game_id=game.id, seat="B",
            account_id=session.scalars(select(Account.id).where(Account.name == "player1")).one(), payload={"message": 1},
        )  # fmt: skip
    mail = parsed(written(settings, only("message")))
    assert "\n  hello\n  YOUR MOVES\n  <b>   1. pass</b>\n" in plain(mail) and "\nYOUR MOVES" not in plain(mail)
    page = Page(part(mail, "text/html"))
    assert "b" not in page.tags and "hello\nYOUR MOVES\n<b>   1. pass</b>" in page.said
    assert "player0 says at the table:" in page.said


def test_messages_in_a_row_are_one_letter_without_ones_own(settings: Settings) -> None:
    game = table(3)
    with transaction() as session:
        players = dict(session.execute(select(Account.name, Account.id)).all())
        said = [
            ("player0", "Hunt!"),
            ("player0", "Now!"),
            ("player1", "Mine."),
            ("player2", "No."),
            ("player2", "Never."),
        ]
        for number, (author, text) in enumerate(said, start=1):
            session.add(
                Message(game_id=game.id, number=number, account_id=players[author], text=text, created_at=clock.now())
            )
        outbox.post(
            session, kind="message", channel="email", dedupe_key="m", now=clock.now(), game_id=game.id, seat="B",
            account_id=players["player1"], payload={"message": 2},
        )  # fmt: skip
    text = plain(parsed(written(settings, only("message"))))
    assert "player0 says at the table:\n\n  Now!\n  \n  player2:\n  No.\n  \n  Never.\n" in text
    assert "Hunt!" not in text and "Mine." not in text


@pytest.mark.parametrize("text", ["щ" * 2000, "\n" * 2000, "𝄞" * 2000, "<b>&" * 500])
def test_long_talk_is_cut_to_what_a_mail_holds(settings: Settings, text: str) -> None:
    game = table(2, language="ru")
    with transaction() as session:
        players = {account.name: account.id for account in session.scalars(select(Account))}
        for number in range(1, about_game.SAID_AT_MOST + 1):
            said = f"{number}: {text}"[:2000]
            author = players["player0"]
            session.add(Message(game_id=game.id, number=number, account_id=author, text=said, created_at=clock.now()))
        outbox.post(
            session, kind="message", channel="email", dedupe_key="m", now=clock.now(), game_id=game.id, seat="B",
            account_id=players["player1"], payload={"message": 1},
        )  # fmt: skip
    told = plain(parsed(written(settings, only("message"))))
    assert "\n  …\n" in told and "  20: " in told and "  14: " in told and "  13: " not in told


# Headers


def test_a_domain_of_ours_outside_ascii_is_written_in_it(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GALAPOST_MAIL_FROM", "Почта <post@bücher.example>")
    outbox._domain.cache_clear()
    table()
    made = written(Settings.from_env(), only("your_turn"))
    assert parsed(made)["From"] == "Почта <post@xn--bcher-kva.example>"
    assert parsed(made)["Message-ID"].endswith("@xn--bcher-kva.example>")


def test_every_address_in_it_that_answers_is_a_token_of_its_own(settings: Settings) -> None:
    table()
    delivery = only("your_turn")
    made = written(settings, delivery)
    mail = parsed(made)
    rows_by_kind = {row.kind: row for row in made.tokens}
    assert set(rows_by_kind) == {"m", "u", "b"} and len(made.tokens) == 3
    for header, kind in (("Reply-To", "m"), ("Return-Path", "b"), ("List-Unsubscribe", "u")):
        found = ADDRESS.search(mail[header])
        assert found is not None and found[1] == kind
    turn = rows_by_kind["m"]
    assert (turn.account_id, turn.game_id, turn.decision) == (delivery.account_id, delivery.game_id, 1)
    numbered = re.findall(r"^ +(\d+)\. (.+)$", plain(mail), re.MULTILINE)
    assert numbered == [(str(n), move) for n, move in enumerate(turn.printed or [], 1)]
    assert rows_by_kind["u"].about == "your_turn" and rows_by_kind["b"].address == mail["To"]


def test_unsubscribing_is_one_click_and_stands_in_the_text_too(settings: Settings) -> None:
    table()
    mail = parsed(written(settings, only("your_turn")))
    offered = re.fullmatch(r"<mailto:(u-\w+@localhost)>, <(http\S+/v1/unsubscribe/\w{26})>", mail["List-Unsubscribe"])
    assert offered is not None
    assert mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert offered[1] in plain(mail) and offered[2] in plain(mail)
    assert "=?" not in re.sub(r"Subject: .*", "", str(mail.items()))


def test_the_first_mail_of_a_game_answers_no_decision(settings: Settings) -> None:
    game = table()
    with transaction() as session:
        notifying.game_started(session, session.merge(game), clock.now())
    made = written(settings, only("game_started"))
    (turn,) = [row for row in made.tokens if row.kind == "m"]
    assert (turn.game_id, turn.decision, turn.printed) == (game.id, None, None)


def test_a_code_has_no_unsubscribing_and_nobody_to_answer(settings: Settings) -> None:
    with transaction() as session:
        rows.code(session, "anna@example.org")
    mail = parsed(written(settings, only("verification")))
    assert mail["List-Unsubscribe"] is None and mail["Reply-To"] is None and mail["List-Id"] is None
    assert mail["Return-Path"].startswith("<b-") and kinds(mail) == ["text/plain"]


def test_the_domain_of_the_addresses_can_be_another_one(environment: dict[str, str], tmp_path: Any) -> None:
    settings = Settings.from_env({**environment, "GALAPOST_MAIL_DOMAIN": "Play.Example.org"})
    assert settings.mail_domain == "play.example.org"
    assert Settings.from_env({**environment, "GALAPOST_MAIL_FROM": "G <g@Example.org>"}).mail_domain == "example.org"


def test_a_header_can_not_be_broken_in_two(settings: Settings) -> None:
    with pytest.raises(ValueError, match="no value for a header"):
        mime._plain("x\nBcc: y@example.org")


# Size


@pytest.mark.parametrize("language", ["en", "ru"])
@pytest.mark.parametrize(("seats", "animals"), [(2, 1), (4, 5), (8, 15)])
def test_it_stays_small_however_much_lies_on_the_table(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, seats: int, animals: int, language: str
) -> None:
    """With everything that an animal may have on the first of each seat."""
    full, honest = crowded(seats, animals), engine.view

    def view(state: engine.State, viewer: int | None) -> dict[str, Any]:
        seen = honest(state, viewer)
        for seat, other in zip(seen["seats"], full["seats"], strict=True):
            seat["animals"] = other["animals"]
        return {**seen, "pairs": full["pairs"]}

    monkeypatch.setattr(about_game.engine, "view", view)
    table(seats, language=language)
    mail = parsed(written(settings, only("your_turn")))
    assert "A1" in plain(mail)
    if "image/png" not in kinds(mail):
        assert (seats, animals) == (8, 15)
        assert f"A{animals}" in Page(part(mail, "text/html")).said  # the page has the table in letters


def test_without_room_for_a_page_the_text_is_left(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    table()
    whole = written(settings, only("your_turn"))
    monkeypatch.setattr(mime, "LARGEST", len(plain(parsed(whole))))
    with reading() as session:
        made = letters.write(session, session.get_one(Delivery, only("your_turn").id), settings, clock.now())
    assert kinds(parsed(made)) == ["text/plain"] and "YOUR MOVES" in plain(parsed(made))


def test_more_moves_than_anybody_reads_are_counted_and_not_printed(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(about_game, "PRINTED_AT_MOST", 3)
    table()
    made = written(settings, only("your_turn"))
    (turn,) = [row for row in made.tokens if row.kind == "m"]
    assert len(turn.printed or []) == 3
    assert re.search(r"\(\d+ more: http\S+/legal-moves\)", plain(parsed(made)))


def test_pictures_get_smaller_until_one_fits() -> None:
    made = list(picture.pictures(crowded(4, 5), dict.fromkeys("ABCD", "x"), "en"))
    assert len(made) == len(picture.STEPS)
    assert [len(png) for png in made] == sorted((len(png) for png in made), reverse=True)


# The other kinds


@pytest.mark.parametrize("language", ["en", "ru"])
@pytest.mark.parametrize("kind", ["attacked", "reminder", "game_started", "game_over", "game_cancelled"])
def test_every_kind_about_a_game_is_written_in_both_languages(settings: Settings, kind: str, language: str) -> None:
    game = table(language=language)
    with transaction() as session:
        game = session.merge(game)
        if kind == "game_over":
            game.state = engine.dump(finished())
        if kind == "game_cancelled":
            game.ended_by = "cancellation"
        asked = {"seat": game.asked_seat, "decision": game.decision if kind == "reminder" else None}
        account = next(seat.account_id for seat in game.players if seat.letter == game.asked_seat)
        outbox.post(
            session, kind=kind, channel="email", dedupe_key=kind, now=clock.now(), game_id=game.id, account_id=account, **asked
        )  # fmt: skip
    mail = parsed(written(settings, only(kind)))
    assert bool(re.search("[а-я]", plain(mail).partition("\n")[0])) is (language == "ru")
    assert "image/png" in kinds(mail) and ADDRESS.fullmatch(mail["Reply-To"])


def finished() -> engine.State:
    state, chance = engine.new_game(bytes(32), 2), random.Random(3)
    while engine.asked(state) is not None:
        engine.apply(state, chance.choice(engine.legal_moves(state)))
    return state


@pytest.mark.parametrize("language", ["en", "ru"])
def test_a_digest_tells_game_by_game_what_waited_for_it(settings: Settings, language: str) -> None:
    game = table(language=language)
    with transaction() as session:
        game = session.merge(game)
        me = next(seat for seat in game.players if seat.letter == game.asked_seat)
        about: dict[str, Any] = {"channel": "email", "now": clock.now(), "account_id": me.account_id}
        digest = outbox.post(session, kind="digest", dedupe_key="digest", **about)
        assert digest is not None
        for number, kind in enumerate(("game_started", "your_turn", "message", "message")):
            told = outbox.post(
                session, kind=kind, dedupe_key=f"told {number}", game_id=game.id, seat=me.letter, decision=None, **about
            )
            assert told is not None
            told.state, told.batch_id = "batched", digest.id
    made = written(settings, only("digest"))
    text = plain(parsed(made))
    assert game.id[2:8] in text and ("ВАШ ХОД" in text) is (language == "ru")
    assert re.search(r"(Messages at the table|Сообщений за столом): 2\.", text)
    assert [row.kind for row in made.tokens].count("m") == 1 and ADDRESS.search(text)
    assert parsed(made)["Reply-To"].startswith("d-") and parsed(made)["List-Unsubscribe"]


@pytest.mark.parametrize("language", ["en", "ru"])
@pytest.mark.parametrize("kind", ["test", "unsubscribed"])
def test_what_is_about_the_account_alone_is_text(settings: Settings, kind: str, language: str) -> None:
    with transaction() as session:
        me = rows.account(session, "anna", language=language)
        outbox.post(
            session, kind=kind, channel="email", dedupe_key=kind, now=clock.now(), account_id=me.id,
            payload={"about": "message", "kinds": {"message": "immediate"}},
        )  # fmt: skip
    mail = parsed(written(settings, only(kind)))
    assert kinds(mail) == ["text/plain"] and mail["List-Unsubscribe"] is None
    assert (mail["Reply-To"] or "").startswith("d-") is (kind == "test")


def test_every_kind_has_a_letter() -> None:
    for language in ("en", "ru"):
        there = {path.stem for path in (FOLDER / "mail" / language).glob("*.txt")}
        mailed = {kind for kind in KINDS if EMAIL in KINDS[kind].channels()} | set(writing.ABOUT)
        assert mailed <= there
        assert {kind for kind in KINDS if EMAIL in KINDS[kind].channels()} | {"digest"} == set(words(language)["kinds"])
