"""What a letter about a game is filled with: the table as its recipient may see it, and what he is asked there."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

import engine
from server import links
from server.models import Account, Delivery, Event, Game, Message, Seat
from server.services import games, turns
from server.services.letters import about_mail
from server.services.letters.content import Content
from server.services.letters.templates import one_line
from server.services.orders import standing
from server.services.wording import Words

TOLD_AT_MOST = 60  # events; a longer story is read over HTTP
SAID_AT_MOST = 20  # messages
SAID_CHARACTERS = 15_000  # of them together: four bytes each, in base64, still leave room in a mail
PRINTED_AT_MOST = 200  # moves; there are fewer, but for tables that nobody has seen yet

ASKING = ("your_turn", "reminder")
TELLING = (*ASKING, "attacked")  # what happened meanwhile


def content(session: Session, delivery: Delivery) -> Content:
    account = session.get_one(Account, delivery.account_id)
    game = session.get_one(Game, delivery.game_id)
    words = Words(account.language)
    values = _about(session, game, delivery)
    if game.state is not None:  # else it was called off before the cards were dealt
        values |= _table(game, delivery, words)
    if delivery.kind in TELLING or (delivery.kind == "reply" and game.state is not None):
        values |= _story(session, delivery, words)
        values["by_orders"] = standing.told(session, game.id, delivery.seat, account.language)
    if delivery.kind == "reply":
        values |= about_mail.answers(delivery, account.language)
    if delivery.kind in ASKING or (delivery.kind == "reply" and _asks(session, game, delivery)):
        values |= _turn(game, delivery, words)
    elif delivery.kind == "game_over":
        values |= _victory(values["players"], values["view"])
    elif delivery.kind == "message":
        values |= _message(session, game, delivery)
    names = {player["letter"]: player["name"] for player in values["players"]}
    printed = [move["notation"] for move in values["moves"]] if "moves" in values else None
    return Content(account.language, values, names=names, printed=printed, decision=values.get("decision"))


def _asks(session: Session, game: Game, reply: Delivery) -> bool:
    return game.asked_seat == reply.seat and not turns.told_in_a_notice(session, reply, game.decision)


def _about(session: Session, game: Game, delivery: Delivery) -> dict[str, Any]:
    seats = session.scalars(select(Seat).where(Seat.game_id == game.id).order_by(Seat.letter))
    players = [_player(seat, delivery) for seat in seats]
    return {
        "game": game,
        "players": players,
        "others": [player["name"] for player in players if not player["me"]],
        "me": delivery.seat,
        "house_rules": house_rules(game),
        "links": links.of_game(game.id),
    }


def _player(seat: Seat, delivery: Delivery) -> dict[str, Any]:
    return {"letter": seat.letter, "name": one_line(seat.account.name), "me": seat.letter == delivery.seat}


def house_rules(game: Game) -> dict[str, str]:
    return {name: value for name, value in game.options.items() if value != engine.OPTIONS[name][0]}


def _table(game: Game, delivery: Delivery, words: Words) -> dict[str, Any]:
    """The table as the recipient may see it: everything in a letter comes through this view."""
    view = engine.view(games.state_of(game), games.seat_number(delivery.seat))
    seats = {seat["seat"]: seat for seat in view["seats"]}
    return {"view": view, "table": words.table(view), "seats": seats, "hand": seats[delivery.seat]["hand"]}


def _victory(players: list[dict[str, Any]], view: dict[str, Any]) -> dict[str, Any]:
    winners = [player for player in players if player["letter"] in view["winners"]]
    others = [player["name"] for player in winners if not player["me"]]
    return {"winners": [player["name"] for player in winners], "won": len(others) < len(winners), "shared_with": others}


def _turn(game: Game, delivery: Delivery, words: Words) -> dict[str, Any]:
    asked = game.decision if delivery.kind == "reply" else delivery.decision  # an answer tells of what is open by now
    if (game.asked_seat, game.decision) != (delivery.seat, asked):
        raise LookupError("the game waits for somebody else: his moves are not this recipient's to see")
    legal = engine.legal_moves(games.state_of(game))
    moves = [
        {"number": number, "notation": str(move), "sentence": words.move(engine.move_json(move), engine.sentence(move))}
        for number, move in enumerate(legal[:PRINTED_AT_MOST], start=1)
    ]
    return {
        "decision": asked,
        "kind": game.question_kind,
        "moves": moves,
        "unprinted": len(legal) - len(moves),
    }


def _story(session: Session, delivery: Delivery, words: Words) -> dict[str, Any]:
    told = _since_my_last_move(session, delivery, words)
    return {"happened": told[-TOLD_AT_MOST:], "untold": max(0, len(told) - TOLD_AT_MOST)}


def _since_my_last_move(session: Session, delivery: Delivery, words: Words) -> list[str]:
    """What came of the last answer of my own hand and of everything after it, as I may know it; from the deal on, if there
    was none. What my orders did while I was away is news to me."""
    since = standing.last_by_hand(session, delivery.game_id, delivery.seat)
    events = session.scalars(
        select(Event).where(Event.game_id == delivery.game_id, Event.decision >= since).order_by(Event.number)
    )
    seat = games.seat_number(delivery.seat)
    return [words.event(engine.project(engine.event_from_json(event.data), seat)) for event in events]


def _message(session: Session, game: Game, delivery: Delivery) -> dict[str, Any]:
    """All that the others have said since: messages in a row are one letter."""
    first = (delivery.payload or {})["message"]
    wanted = select(Message).where(
        Message.game_id == game.id, Message.number >= first, Message.account_id != delivery.account_id
    )
    newest = session.scalars(wanted.order_by(Message.number.desc()).limit(SAID_AT_MOST + 1)).all()
    talk = newest[_fitting(newest[:SAID_AT_MOST]) - 1 :: -1]
    lines: list[str] = ["…"] if len(newest) > len(talk) else []
    for before, message in zip((None, *talk), talk, strict=False):
        if before is not None:
            lines += ["", f"{one_line(message.account.name)}:"] if before.account_id != message.account_id else [""]
        lines += [one_line(line, longest=None) for line in message.text.splitlines()]
    return {"author": one_line(talk[0].account.name), "said": lines}


def _fitting(newest: Sequence[Message]) -> int:
    """How many of them a letter has room for; the newest it always has."""
    so_far = accumulate(len(message.text) for message in newest)
    return max(1, sum(characters <= SAID_CHARACTERS for characters in so_far))
