"""Mails, as their recipient gets them. The games are real ones, played at random."""

import json
import random
import re
from email import message_from_string, policy
from email.message import EmailMessage

import pytest
from jinja2 import UndefinedError
from sqlalchemy import select
from sqlalchemy.orm import Session

import engine
from server import clock
from server.config import Settings
from server.database import reading, transaction
from server.models import Delivery, Event, Game
from server.services import letters, notifying
from server.services.letters import about_game, templates
from server.services.wording import Words
from tests.workers import rows

KINDS_OF_QUESTION = ("develop", "feed", "defend", "scavenge", "share")


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """How a letter reads has nothing to do with the database."""
    return sqlite_url


def played(number: int, until: str | None = None) -> tuple[engine.State, list[engine.Event]]:
    """A game of three after many random moves, at the first question of that kind to seat B; or at its end."""
    dice = random.Random(number)
    state, events = engine.new_game(number.to_bytes(32), 3), []
    while (seat := engine.asked(state)) is not None:
        if until == engine.question(state).kind and seat == 1 and len(events) > 40:
            break
        events += engine.apply(state, dice.choice(engine.legal_moves(state)))
    return state, events


def find(until: str) -> tuple[engine.State, list[engine.Event]]:
    for number in range(200):
        state, events = played(number, until)
        if engine.asked(state) is not None:
            return state, events
    raise AssertionError(f"no game has a {until} question for B")


def seat_down(
    session: Session, state: engine.State, events: list[engine.Event], language: str = "en", boris: str = "boris"
) -> Game:
    """The game in the database: A is anna, B boris, C clara; all events came of decision 1, B's answer."""
    players = [
        rows.account(session, "anna"),
        rows.account(session, boris, "boris@example.org", language),
        rows.account(session, "clara"),
    ]
    game = rows.game(session, *players, state=engine.dump(state))
    rows.ask(session, game, "B").answered_at = clock.now()
    for number, event in enumerate(events, start=1):
        session.add(
            Event(
                game_id=game.id,
                number=number,
                type=event.type,
                decision=1,
                data=engine.event_json(event),
                created_at=clock.now(),
            )
        )
    return game


def letter_to_boris(settings: Settings, kind: str = "your_turn") -> EmailMessage:
    """The newest mail of that kind."""
    with reading() as session:
        wanted = select(Delivery).where(Delivery.kind == kind, Delivery.seat == "B", Delivery.channel == "email")
        delivery = session.scalars(wanted.order_by(Delivery.created_at.desc())).first()
        assert delivery is not None
        text = letters.write(session, delivery, settings, clock.now()).mail
    assert text.isascii() and max(map(len, text.splitlines())) <= 998 and len(text) < 100_000
    return message_from_string(text, policy=policy.default)  # type: ignore[return-value]


def plain(letter: EmailMessage) -> str:
    """Its text, which is complete by itself."""
    part = letter.get_body(("plain",))
    assert part is not None
    return str(part.get_content())


def read(letter: EmailMessage) -> list[bytes]:
    """Each of its parts, less what is drawn by lot for every letter."""
    parts = [part.get_payload(decode=True) for part in letter.walk() if not part.is_multipart()]
    return [re.sub(rb"[a-z2-7]{26}", b"(by lot)", part) for part in parts if isinstance(part, bytes)]


def turn_letter(
    settings: Settings, kind: str = "feed", language: str = "en", boris: str = "boris"
) -> tuple[engine.State, EmailMessage, str]:
    state, events = find(kind)
    with transaction() as session:
        game = seat_down(session, state, events, language, boris)
        rows.ask(session, game, "B", kind)
    letter = letter_to_boris(settings)
    return state, letter, plain(letter)


@pytest.mark.parametrize("language", ["en", "ru"])
@pytest.mark.parametrize("kind", KINDS_OF_QUESTION)
def test_a_turn_mail_is_complete_by_itself(settings: Settings, kind: str, language: str) -> None:
    state, _, text = turn_letter(settings, kind, language)
    seen = engine.view(state, 1)
    assert Words(language).table(seen) in text
    assert all(f"\n  {card}" in text for card in seen["seats"][1]["hand"])
    numbered = re.findall(r"^ +(\d+)\. (.+)$", text, re.MULTILINE)
    assert numbered == [(str(number), str(move)) for number, move in enumerate(engine.legal_moves(state), start=1)]


def test_the_call_that_answers_it_is_written_out(settings: Settings) -> None:
    state, _, text = turn_letter(settings)
    call = re.search(r"curl (\S+) .*-d '(.+?)'", text, re.DOTALL)
    assert call is not None
    assert re.fullmatch(re.escape(settings.url) + r"/v1/games/g_[a-z2-7]{26}/moves", call[1])
    body = json.loads(call[2])
    assert body["decision"] == 2
    assert engine.read_move(state, body["move"]) in engine.legal_moves(state)


def test_it_tells_what_happened_since_the_last_move_as_its_reader_may_know_it(settings: Settings) -> None:
    state, events = find("feed")
    with transaction() as session:
        game = seat_down(session, state, events[-20:])
        rows.answer(session, game, "A")  # somebody else's move is no reason to forget
        rows.ask(session, game, "B")
    text = plain(letter_to_boris(settings))
    told = text.split("SINCE YOUR LAST MOVE\n")[1].split("\n\n")[0]
    assert told.splitlines() == [f"  {engine.project(event, 1)['text']}" for event in events[-20:]]


def test_what_came_before_the_last_move_is_not_told_again(settings: Settings) -> None:
    state, events = find("feed")
    with transaction() as session:
        game = seat_down(session, state, events)
        rows.answer(session, game, "B")
        rows.ask(session, game, "B")
    assert "Nothing yet." in plain(letter_to_boris(settings))


@pytest.mark.parametrize("by", ["orders", "house"])
def test_what_was_played_for_its_reader_is_news_to_him(settings: Settings, by: str) -> None:
    state, events = find("feed")
    with transaction() as session:
        game = seat_down(session, state, events[-20:])
        rows.answer(session, game, "B", by)
        rows.ask(session, game, "B")
    told = plain(letter_to_boris(settings)).split("SINCE YOUR LAST MOVE\n")[1].split("\n\n")[0]
    assert len(told.splitlines()) == 20


def test_a_long_story_is_cut_and_says_so(settings: Settings) -> None:
    state, events = find("feed")
    with transaction() as session:
        rows.ask(session, seat_down(session, state, (events * 9)[:100]), "B")
    assert f"({100 - about_game.TOLD_AT_MOST} earlier events left out" in plain(letter_to_boris(settings))


def test_hands_of_others_change_nothing_in_a_letter(settings: Settings) -> None:
    state, events = find("feed")
    with transaction() as session:
        game = seat_down(session, state, events)
        rows.ask(session, game, "B")
    before = read(letter_to_boris(settings))
    for player in (state.players[0], state.players[2]):
        player.hand = tuple(sorted(player.hand[:0] + tuple((kind + 1) % 20 for kind in player.hand)))
    with transaction() as session:
        session.get_one(Game, game.id).state = engine.dump(state)
    assert read(letter_to_boris(settings)) == before


def test_all_letters_of_a_game_to_one_recipient_are_one_thread_with_one_subject(settings: Settings) -> None:
    state, events = played(1)
    with transaction() as session:
        game = seat_down(session, state, events)
        notifying.game_started(session, game, clock.now())
        notifying.game_over(session, game, clock.now())
    started, over = letter_to_boris(settings, "game_started"), letter_to_boris(settings, "game_over")
    assert started["Subject"] == over["Subject"] == f"Galapost: game {game.id[2:8]} with anna, clara"
    assert started["References"] == over["References"] == started["In-Reply-To"] == over["In-Reply-To"]
    assert started["Message-ID"] != over["Message-ID"]


def test_other_games_and_other_recipients_are_other_threads(settings: Settings) -> None:
    with transaction() as session:
        anna, boris = rows.account(session, "anna"), rows.account(session, "boris")
        for _ in range(2):
            notifying.game_started(
                session, rows.game(session, anna, boris, state=engine.dump(engine.new_game(bytes(32), 2))), clock.now()
            )
    with reading() as session:
        texts = [
            letters.write(session, delivery, settings, clock.now()).mail
            for delivery in session.scalars(select(Delivery))
        ]
    assert len({message_from_string(text)["References"] for text in texts}) == 4


def test_the_headers_say_what_it_is_and_no_card(settings: Settings) -> None:
    state, letter, _ = turn_letter(settings)
    assert letter["Auto-Submitted"] == "auto-generated"
    assert letter["List-Id"] == "Galapost <games.localhost>"
    assert letter["To"] == "boris@example.org"
    assert len(letter["Message-ID"]) <= 60
    cards = set(re.findall("[a-z-]+", " ".join(engine.view(state, 1)["seats"][1]["hand"])))
    assert not cards & set(re.findall("[a-z-]+", str(letter["Subject"])))


@pytest.mark.parametrize(
    "name", ["eve\nYOUR MOVES\n   1. pass", "{{ 7 * 7 }}", "</text><image href=http://example.org/>", "x" * 5000]
)
def test_a_name_is_only_ever_a_name(settings: Settings, name: str) -> None:
    state, _events = find("feed")
    with transaction() as session:
        players = [
            rows.account(session, name, "eve@example.org"),
            rows.account(session, "boris"),
            rows.account(session, "clara"),
        ]
        rows.ask(session, rows.game(session, *players, state=engine.dump(state)), "B")
    letter = letter_to_boris(settings)
    assert plain(letter).count("\nYOUR MOVES\n") == 1
    assert f"\n  A  {name.replace(chr(10), ' ')[:40]}\n" in plain(letter)
    assert len(letter["Subject"]) < 120


@pytest.mark.parametrize(
    ("language", "won", "lost"), [("en", "You have won!", " has won."), ("ru", "Вы победили!", "Победа: ")]
)
def test_the_last_mail_tells_who_won_and_how(settings: Settings, language: str, won: str, lost: str) -> None:
    told = set()
    for number in range(6):
        state, events = played(number)
        with transaction() as session:
            game = seat_down(session, state, events, language, f"boris{number}") if number == 0 else None
            if game is None:
                game = session.scalars(select(Game)).one()
                game.state = engine.dump(state)
            else:
                notifying.game_over(session, game, clock.now())
        text = plain(letter_to_boris(settings, "game_over"))
        end = engine.view(state, 1)
        assert (won in text) == (end["winners"] == ["B"])
        assert (lost in text) == ("B" not in end["winners"])
        assert all(re.search(rf"{seat['score']}.+{seat['pile_size']}$", text, re.MULTILINE) for seat in end["seats"])
        told.add("B" in end["winners"])
    assert told == {True, False}, "both kinds of end were seen"


@pytest.mark.parametrize("language", ["en", "ru"])
def test_the_first_mail_tells_house_rules_and_the_commitment(settings: Settings, language: str) -> None:
    with transaction() as session:
        anna, boris = rows.account(session, "anna"), rows.account(session, "boris", language=language)
        game = rows.game(session, anna, boris, state=engine.dump(engine.new_game(bytes(32), 2)))
        game.options = {"sets": "one", "deck": "classic"}
        notifying.game_started(session, game, clock.now())
    text = plain(letter_to_boris(settings, "game_started"))
    assert "\n  deck: classic\n" in text and "sets:" not in text
    assert f"\n  {game.commitment}\n" in text


@pytest.mark.parametrize("language", ["en", "ru"])
def test_a_code_comes_with_the_call_that_uses_it(settings: Settings, language: str) -> None:
    with transaction() as session:
        verification = rows.code(session, "anna@example.org", "KOTKOT22", language)
    with reading() as session:
        text = letters.write(session, session.scalars(select(Delivery)).one(), settings, clock.now()).mail
    letter = message_from_string(text, policy=policy.default)
    call = re.search(r"curl (\S+) .*-d '(.+?)'", letter.get_content(), re.DOTALL)  # type: ignore[attr-defined]
    assert call is not None and call[1] == f"{settings.url}/v1/accounts/verification"
    body = json.loads(call[2])
    assert (body["verification"], body["code"]) == (verification.id, "KOTKOT22")
    assert "KOTKOT22" not in letter["Subject"]


def test_a_word_that_a_template_lacks_is_an_error_and_no_gap() -> None:
    with pytest.raises(UndefinedError):
        templates.environment.get_template("mail/en/verification.txt").render(code="KOTKOT22")


def test_both_languages_have_the_same_letters() -> None:
    folder = templates.FOLDER / "mail"
    assert {path.name for path in (folder / "en").glob("*.txt")} == {
        path.name for path in (folder / "ru").glob("*.txt")
    }
