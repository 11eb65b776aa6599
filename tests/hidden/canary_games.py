"""Whole games with canary cards: who plays them, over HTTP and by mail, and who looks on."""

from __future__ import annotations

import json
import random
import re
import smtplib
from typing import Any

from tests.hidden.canaries import ALL, RUSSIAN, SEATS, House, Known, all_is_sent, canaries, eventually, mails

NAMES = ("Ada", "Ben", "Cay", "Eve")  # Eve never sits down
BOT, OWNER = "Cay", "Eve"
DOORS = (
    *("", "/view", "/view?at=1", "/view?at=20", "/view.txt", "/view.svg", "/view.svg?width=2000&at=15"),
    *("/legal-moves", "/moves?limit=500", "/events?limit=500", "/messages", "/orders"),
    *("/fairness", "/record", "/record.txt", "/invitations", "/notifications"),
)
LISTS = (
    *("/games", "/games?mine=true", "/bots?mine=true", "/users/Ada", "/webhooks", "/webhooks/{webhook}"),
    *("/webhooks/{webhook}/deliveries?limit=200", "/me", "/me/decisions", "/me/deliveries?limit=200"),
    *("/me/notifications", "/me/invitations", "/me/tokens"),
)
WITH_CARDS = ("/me/export", "/me/events?limit=200")  # of the reader's own games
# Moves between two looks round, rounds of refused moves, waits for the mail, orders.
LOOKS, TRIES, WAITS, ORDERS = 40, 30, 17, 13


def sign_in(house: House) -> None:
    """By the code in the mail; with a webhook each. Ben reads Russian, and Cay is a bot of Eve's."""
    for name in NAMES:
        if name != BOT:
            house.tokens[name] = _token(house, name)
    bot = house.made(OWNER, "/bots", {"name": BOT, "accepts": {"games_at_once": 1000}})["id"]
    wish = {"name": "its own", "scopes": ["games:play", "games:read", "webhooks"]}
    house.tokens[BOT] = house.made(OWNER, f"/bots/{bot}/tokens", wish)["token"]
    types = ["turn.opened", "attacked", "message", "game.started", "game.over", "player.resigned"]
    for name in NAMES:
        house.webhooks[name] = house.made(name, "/webhooks", {"url": house.hook.url, "types": types})["id"]


def _token(house: House, name: str) -> str:
    email = {"email": f"{name.lower()}@example.org", "language": "ru" if name == RUSSIAN else "en"}
    started = house.made(None, "/accounts", email)
    eventually(lambda: _code(house, email["email"]))
    proof = {"verification": started["verification"], "code": _code(house, email["email"]), "name": name}
    return str(house.made(None, "/accounts/verification", proof)["token"])


def _code(house: House, address: str) -> str:
    letters = [text for _, mail, text, _ in mails(house) if mail["To"] == address]
    found = re.search(r'"code": "(\w+)"', letters[0]) if letters else None
    return found[1] if found else ""


def play(house: House, chance: random.Random) -> None:
    """One game of two or three, to its end, with looks, refusals, orders and letters between the moves."""
    players = list(NAMES[: chance.choice((2, 2, 3))])
    host = chance.choice([player for player in players if player != BOT])
    players.remove(host)
    players = [host, *chance.sample(players, len(players))]
    spectators = chance.choice(("public", "public", "none"))
    game = house.made(host, "/games", {"seats": len(players), "spectators": spectators})["id"]
    known = Known({seat: {} for seat in (*SEATS[: len(players)], ALL)})
    house.games[game] = players, known
    house.count["games"] += 1
    for player in players[1:]:
        house.made(player, f"/games/{game}/seats")
    _learn(house, game, 0)
    while (row := house.row("SELECT asked_seat, decision FROM game WHERE id = ?", game))[1] is not None:
        _turn(house, game, row[0], row[1], chance)
    if len(house.games) % 4 == 1:
        _look_round(house, game, over=True)


def _turn(house: House, game: str, seat: str, number: int, chance: random.Random) -> None:
    players, known = house.games[game]
    player = players[SEATS.index(seat)]
    if number % LOOKS == LOOKS // 2:
        _look_round(house, game)
    if number % TRIES == TRIES // 2:
        _try_in_vain(house, game, number, chance)
    if number % WAITS == WAITS // 2:
        eventually(lambda: all_is_sent(house))
        _write(house, player)
    if number % ORDERS == ORDERS // 2:
        _order(house, game, chance.choice([other for other in SEATS[: len(players)] if other != seat]), number, chance)
    offered = house.ask(player, "GET", f"/games/{game}/legal-moves")
    house.search_answer("legal-moves", player, offered, known.of(seat))
    moves = [item["notation"] for item in offered.json()["items"]]
    move = chance.choice([move for move in moves if not move.startswith("play canary")])
    if move.startswith("play"):  # from now on it lies face up
        for reader in known.by_seat:
            known.learn(reader, canaries(move), number)
    answer = house.ask(player, "POST", f"/games/{game}/moves", {"decision": number, "move": move})
    assert answer.status == 201, answer.data
    _learn(house, game, number)
    house.search_answer("moves", player, answer, known.of(seat))
    house.count["moves"] += 1


def _learn(house: House, game: str, when: int) -> None:
    """Every seat knows what it has in its hand."""
    for seat, hand in zip(SEATS, _hands(house, game), strict=False):
        house.games[game][1].learn(seat, canaries(" ".join(hand)), when)


def _hands(house: House, game: str) -> list[list[str]]:
    state = json.loads(house.row("SELECT state FROM game WHERE id = ?", game)[0])
    return [player["hand"] for player in state["players"]]


def _order(house: House, game: str, seat: str, number: int, chance: random.Random) -> None:
    """A card is to be played face down, another one in vain: so the orders act, and the queue stops."""
    players, known = house.games[game]
    player, hand = players[SEATS.index(seat)], _hands(house, game)[SEATS.index(seat)]
    cards = chance.sample(hand, min(2, len(hand)))
    if cards:
        vain = f"play {cards[-1].rpartition('/')[2]} H9"
        lines = [f"animal {cards[0]}", vain, "defend run", chance.choice(("if illegal skip", "if illegal stop"))]
        answer = house.ask(player, "PUT", f"/games/{game}/orders", {"lines": lines})
        assert answer.status == 200, answer.data
        house.search_answer("/orders", player, answer, known.of(seat))
        house.count["orders"] += 1
    house.made(player, f"/games/{game}/messages", {"text": f"thinking about decision {number}"})


def _write(house: House, player: str) -> None:
    """An answer to the newest letter that takes one, with commands that are answered."""
    letters = [mail for _, mail, text, _ in mails(house) if mail["To"].startswith(player.lower()) and "/games/" in text]
    if letters:
        head = f"From: {player.lower()}@example.org\nMessage-ID: <{house.count['letters']}@example.org>\n"
        body = "attack A1 B99\nstatus\norders\nhelp\nThank you!\n"
        with smtplib.SMTP("127.0.0.1", house.mail_port, timeout=30) as server:
            server.sendmail(f"{player.lower()}@example.org", letters[-1]["Reply-To"], f"{head}\n{body}")
        house.count["letters"] += 1


def _look_round(house: House, game: str, over: bool = False) -> None:
    """Everybody through every door. When the game is over its record is open, by right."""
    players, known = house.games[game]
    for who in (*NAMES, None):
        seat = SEATS[players.index(who)] if who in players else None
        for door in DOORS:
            if not (over and door.startswith("/record")):
                house.search_answer(door, who, house.ask(who, "GET", f"/games/{game}{door}"), known.of(seat))
        for door in LISTS:
            path = door.format(webhook=house.webhooks.get(who or "", "wh_none"))
            house.search_answer(door, who, house.ask(who, "GET", path), set())
        for door in WITH_CARDS:
            house.search_answer(door, who, house.ask(who, "GET", door), _known_anywhere(house, who))


def _known_anywhere(house: House, who: str | None) -> set[str]:
    """What he learned in all his games, and his bots in theirs: he may take it away."""
    mine = {who, BOT} if who == OWNER else {who}
    found = [
        known.of(SEATS[number])
        for players, known in house.games.values()
        for number, player in enumerate(players)
        if player in mine
    ]
    return set().union(*found)


def _try_in_vain(house: House, game: str, number: int, chance: random.Random) -> None:
    """A card that the asked seat has not, any card of another seat, an answer to a decision of somebody else."""
    players, known = house.games[game]
    for who in (*NAMES, None):
        seat = SEATS[players.index(who)] if who in players else None
        for move in ("animal running", "animal carnivorous", "play symbiosis A1>A2", "attack A1 B1", "yield A1"):
            open_now = chance.choice((number + 1, number, max(1, number - 1)))
            body = {"decision": open_now, "move": move + (" nonsense" if open_now == number else "")}
            _refused(house, game, who, body, known.of(seat))
        _refused(house, game, who, {"decision": number, "move": "animal swimming"}, known.of(seat))  # on no card here


def _refused(house: House, game: str, who: str | None, body: dict[str, Any], may_hold: set[str]) -> None:
    answer = house.ask(who, "POST", f"/games/{game}/moves", body)
    assert answer.status != 201, answer.data
    house.search_answer("refusal", who, answer, may_hold)
