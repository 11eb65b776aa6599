"""What webhooks say, to programs and to chats. Nothing is stored here: the text is made of rows alone."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from server import links
from server.models import Account, Decision, Game, Invitation, Seat, WebhookEndpoint
from server.schemas.notices import NOTICES
from server.services import payloads

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
GAME_KINDS = ("your_turn", "game_started", "game_over", "game_cancelled", "player_resigned", "message")
MORE: dict[str, dict[str, Any]] = {"player_resigned": {"player": "B"}, "message": {"message": 3}}


@pytest.fixture(autouse=True)
def configured() -> None:
    links.configure("https://galapost.example.org")


def account(name: str, language: str = "en") -> Account:
    return Account(id="u_1", name=name, language=language, kind="person")


def game(*names: str, language: str = "en") -> Game:
    seats = [
        Seat(letter=letter, account=account(name, language)) for letter, name in zip("ABCDEFGH", names, strict=False)
    ]
    return Game(id="g_abcdefgh", players=seats)


def said(kind: str, form: str, *names: str, language: str = "en") -> dict[str, Any]:
    endpoint, table = WebhookEndpoint(id="wh_1", format=form), game(*names, language=language)
    decision = Decision(number=57, kind="feed", seat="A") if kind == "your_turn" else None
    body = payloads.about_game(kind, endpoint, table, table.players[0], decision, NOON, **MORE.get(kind, {}))
    made: dict[str, Any] = json.loads(body)
    return made


def text(kind: str, form: str, *names: str, language: str = "en") -> str:
    told = said(kind, form, *names, language=language)
    return str(told["content" if form == "discord" else "text"])


def test_a_program_gets_data_and_no_text() -> None:
    told = said("your_turn", "standard", "Ann", "Bob")
    assert (told["type"], told["timestamp"]) == ("turn.opened", "2026-03-01T12:00:00Z")
    assert set(told["data"]) == {"game", "seat", "decision", "kind", "deadline", "links"}


@pytest.mark.parametrize("kind", GAME_KINDS)
def test_what_a_program_gets_is_what_the_document_promises(kind: str) -> None:
    told = said(kind, "standard", "Ann", "Bob")
    schema = NOTICES[payloads.TYPES[kind]]()
    assert set(told) == set(schema.fields)
    assert set(told["data"]) == set(schema.fields["data"].schema.fields)  # type: ignore[attr-defined]
    Draft202012Validator({"type": "object", "required": ["type", "timestamp", "data"]}).validate(told)


def test_discord_gets_a_text_that_mentions_nobody() -> None:
    told = said("your_turn", "discord", "Ann", "Bob")
    assert told["allowed_mentions"] == {"parse": []}
    assert told["content"] == (
        "It is your turn, Ann: decision 57 of the game with Bob. https://galapost.example.org/v1/games/g_abcdefgh"
    )
    assert set(told) == {"content", "allowed_mentions", "flags"}


def test_slack_gets_a_text_without_markup() -> None:
    told = said("game_over", "slack", "Ann", "Bob & Co")
    assert told["text"] == ("The game with Bob &amp; Co is over, Ann. https://galapost.example.org/v1/games/g_abcdefgh")
    assert (told["mrkdwn"], told["unfurl_links"]) == (False, False)


@pytest.mark.parametrize("form", ["discord", "slack"])
@pytest.mark.parametrize(
    ("name", "never"),
    [
        ("@everyone", "@everyone"),
        ("@here", "@here"),
        ("<@123456>", "<@123456>"),
        ("<@&123456>", "<@&"),
        ("<#123456>", "<#1"),
        ("<!channel>", "<!channel>"),
        ("<!subteam^S1>", "<!subteam^S1>"),
        ("<https://evil.example|Ann>", "https://evil"),
        ("[Ann](https://evil.example)", "https://evil"),
        ("https://evil.example", "https://evil"),
        ("evil.example", "evil.example"),
        ("discord.gg/evil", "discord.gg"),
        ("a\nb", "\n"),
        ("a\u202eb", "\u202e"),
    ],
)
def test_a_name_mentions_nobody_and_leads_nowhere(name: str, never: str, form: str) -> None:
    for kind in GAME_KINDS:
        assert never not in text(kind, form, "Ann", name) and never not in text(kind, form, name, "Bob")


@pytest.mark.parametrize("name", ["**Ann**", "_Ann_", "~~Ann~~", "`Ann`", "||Ann||", "> Ann", "# Ann"])
def test_a_name_formats_nothing_in_discord(name: str) -> None:
    sign = name[0]
    shown = text("game_over", "discord", "Bob", name)
    assert sign not in shown.replace(f"\\{sign}", "").replace(links.to("/v1/games/g_abcdefgh"), "")


@pytest.mark.parametrize("kind", GAME_KINDS)
def test_it_is_said_in_the_language_of_the_account(kind: str) -> None:
    english, russian = (text(kind, "slack", "Ann", "Bob", language=language) for language in ("en", "ru"))
    assert english.isascii() and not russian.isascii() and "Bob" in russian


def test_the_longest_text_fits() -> None:
    names = ["_" * 200] * 8
    assert len(text("your_turn", "discord", *names)) <= 2000
    for kind in GAME_KINDS:
        assert len(json.dumps(said(kind, "standard", *names))) < 20_000


def test_an_invitation_has_no_token_in_it() -> None:
    invitation = Invitation(id="i_1", game_id="g_abcdefgh", token_digest="digest")
    for form in ("standard", "discord", "slack"):
        endpoint = WebhookEndpoint(id="wh_1", format=form)
        body = payloads.about_invitation(endpoint, invitation, account("Ann"), account("@everyone Bob"), NOON)
        assert "digest" not in body and (form == "standard" or "@everyone" not in json.loads(body).values())


@pytest.mark.parametrize("form", ["discord", "slack"])
def test_a_ping_is_said_in_words_too(form: str) -> None:
    body = payloads.about_webhook(WebhookEndpoint(id="wh_1", format=form), account("Ann"), NOON)
    assert "Galapost can reach this channel, Ann." in json.loads(body).values()
