"""Letters to a table: what they order is done in its order, and one mail tells what became of each and shows the table."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy.orm import Session

from server import language
from server.database import reading, transaction
from server.errors import PROBLEMS, DomainError
from server.models import Game
from server.said import Said, said
from server.services import outbox, preferences, repeating, talking
from server.services.accounts import Caller
from server.services.inbound import playing, replying
from server.services.inbound.commands import Command
from server.services.inbound.verdicts import Case, Mail, Verdict
from server.services.looking import Versioned
from server.services.orders import keeping
from server.services.repeating import Asked

# What a letter with several commands is filed under: the first of these that happened.
WEIGHT = ("played", "stale", "refused", "resigning", "said", "orders", "clear", "mute", "unmute", "help", "status")
WITH_THE_TABLE_AT_HAND = talking.AFTERWARDS  # after the end of a game


@dataclass
class Desk:
    """One letter at one table, while it is done."""

    case: Case
    caller: Caller
    game_id: str
    seat: str
    answers: list[Said] = field(default_factory=list)
    outcomes: list[str] = field(default_factory=list)
    problem: str | None = None
    more: dict[str, Any] = field(default_factory=dict)  # help, orders: what the mail has beside the table
    mails: list[Mail] = field(default_factory=list)

    def tell(self, outcome: str, answer: Said | None = None) -> None:
        self.outcomes.append(outcome)
        if answer is not None:
            self.answers.append(answer)


def act(case: Case) -> Verdict:
    game = _game(case)
    seat = next((seat for seat in game.players if case.account and seat.account_id == case.account.id), None)
    if seat is None or case.account is None:
        return replying.unclear(case, replying.note(case, [said("you have no seat in this game")]))
    caller = Caller(case.account.id, frozenset({"games:play"}))
    desk = Desk(case, caller, game.id, seat.letter)
    if not case.commands:
        return replying.unclear(case, replying.of_table(case, game.id, seat.letter, [], help=True))
    with language.speaking(case.account.language):
        if game.ended_at is not None and case.now > game.ended_at + WITH_THE_TABLE_AT_HAND:
            desk.tell(
                "stale", said("the game has been over for more than {days:day|days}", days=WITH_THE_TABLE_AT_HAND.days)
            )
        else:
            _do_all(desk)
    return _told(desk)


def _game(case: Case) -> Game:
    with reading() as session:
        game = session.get_one(Game, case.token.game_id)
        list(game.players)
        session.expunge_all()
        return game


def _told(desk: Desk) -> Verdict:
    outcome = next(word for word in WEIGHT if word in desk.outcomes)
    mail = replying.of_table(desk.case, desk.game_id, desk.seat, desk.answers, **desk.more)
    return Verdict("settled", outcome, desk.problem, mails=(mail, *desk.mails))


def _do_all(desk: Desk) -> None:
    """The moves of a letter are one list, played where the first of them stands."""
    moves = [item for command in desk.case.commands if command.word == "moves" for item in command.items]
    played = False
    for number, command in enumerate(desk.case.commands):
        if command.word == "moves":
            if not played:
                playing.play(desk, moves)
            played = True
        else:
            _do(desk, number, command)


def _do(desk: Desk, number: int, command: Command) -> None:
    try:
        WORDS[command.word](desk, number, command)
    except DomainError as refusal:
        desk.problem = PROBLEMS[type(refusal)].code
        desk.tell("refused", said("{command}: {why}", command=command.word, why=refusal.detail))


def _once(desk: Desk, number: int) -> Caller:
    """For what is done once, whoever is killed meanwhile: the letter and the line are its key."""
    key = Asked("letter", f"{desk.case.letter.id}:{number}", "")
    return Caller(desk.caller.account_id, desk.caller.scopes, repetition=key)


def _say(desk: Desk, number: int, command: Command) -> None:
    talking.say(_once(desk, number), desk.game_id, command.text)
    desk.tell("said", said("said to the table: {text}", text=command.text))


def _status(desk: Desk, number: int, command: Command) -> None:
    desk.tell("status")


def _help(desk: Desk, number: int, command: Command) -> None:
    desk.more["help"] = True
    desk.tell("help")


def _orders(desk: Desk, number: int, command: Command) -> None:
    """With lines they take the place of those that there were; without they are shown."""
    if not command.items:
        desk.more["orders"] = _lines(keeping.look(desk.caller, desk.game_id, _unknown))
        desk.tell("orders")
        return
    noting = functools.partial(_promise, desk, number)
    if not _was_done(desk, number):  # by now some of them may have been carried out: they must not be given anew
        given = keeping.give(desk.caller, desk.game_id, command.items, _whatever, noting)
        desk.more["orders"] = _lines(given)  # not looked up: they may have ended the game
    desk.tell("orders", said("your orders are set"))


def _lines(shown: Versioned) -> list[str]:
    assert isinstance(shown.body, dict)
    lines: list[str] = shown.body["lines"]
    return lines


def _was_done(desk: Desk, number: int) -> bool:
    with transaction() as session:
        return repeating.earlier(session, _once(desk, number)) is not None


def _promise(desk: Desk, number: int, session: Session) -> None:
    """Orders that act at once may lead to his next decision, of which the answer to the letter tells."""
    outbox.replace_turn_notice(session, desk.game_id, desk.caller.account_id, desk.case.now)
    repeating.remember(session, _once(desk, number), "orders")


def _clear(desk: Desk, number: int, command: Command) -> None:
    keeping.withdraw(desk.caller, desk.game_id, _whatever)
    desk.tell("clear", said("your orders are withdrawn"))


def _mute(desk: Desk, number: int, command: Command) -> None:
    preferences.change_of_game(desk.caller, desk.game_id, True, _whatever)
    desk.tell("mute", said("there will be no more mails about this game; `unmute` brings them back"))


def _unmute(desk: Desk, number: int, command: Command) -> None:
    preferences.change_of_game(desk.caller, desk.game_id, False, _whatever)
    desk.tell("unmute", said("mails about this game come again"))


def _resign(desk: Desk, number: int, command: Command) -> None:
    """Nobody resigns by a slip: a second mail asks whether he means it."""
    payload = {"language": desk.case.language}
    desk.mails.append(Mail("confirm_resignation", payload, desk.caller.account_id, None, desk.game_id, desk.seat))
    desk.tell("resigning", said("to resign, answer the other letter that is on its way to you"))


def _nothing_to_confirm(desk: Desk, number: int, command: Command) -> None:
    desk.tell("refused", said("there is nothing to be confirmed at this address"))


def _no_invitation(desk: Desk, number: int, command: Command) -> None:
    desk.tell("refused", said("the letter that you answered is no invitation"))


def _whatever(version: Any) -> None:
    """A letter can't say which version it means."""


def _unknown(version: Any) -> bool:
    return False


WORDS: dict[str, Callable[[Desk, int, Command], None]] = {
    "say": _say, "status": _status, "help": _help, "orders": _orders, "clear": _clear, "mute": _mute, "unmute": _unmute,
    "resign": _resign, "confirm": _nothing_to_confirm,
    **dict.fromkeys(("accept", "decline", "never"), _no_invitation),
}  # fmt: skip
