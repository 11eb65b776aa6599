"""A server with people who play, watch and own a bot; and all that one of them gets to see of a game around one move."""

from __future__ import annotations

import random
from dataclasses import dataclass

from flask import Flask
from werkzeug.test import TestResponse

from engine import Move, apply, asked, legal_moves
from server.database import reading
from server.models import Account
from server.services import mail_tokens
from server.services.inbound import receiving, settling
from tests.hidden.doors import Seen, every_look, every_look_at_the_game, every_notice, every_refusal, seen
from tests.hidden.tables import Table, account_ids, clear_away, listen, reply_key, table_after
from tests.hidden.twins import Viewer
from tests.playing import Person, signed_in

NAMES = ("Ada", "Ben", "Cay", "Dan", "Eli", "Fay", "Gus", "Hal", "Eve")
BOT, OWNER = "Cay", "Eve"
RUSSIANS = ("Ben", "Dan", "Fay", "Hal")
BY_ORDERS = (33, 59)  # an attack, and a card that is played face down
LONGEST = 260  # moves before the moment that is looked at

Watcher = tuple[Person, Viewer, str | None]  # with whose eyes, and from which account
Answers = dict[str, Seen | str]


@dataclass
class House:
    """Eight who may sit at a table, in the order of their seats; and Eve, who sits at none, but Cay is a bot of hers."""

    app: Flask
    people: list[Person]
    accounts: list[str]

    def watchers(self, table: Table, chance: random.Random) -> list[Watcher]:
        """The seat that is asked, another one, and somebody who has none: Eve, or who has no account either."""
        mover = asked(table.state)
        assert mover is not None
        other = chance.choice([seat for seat in range(len(table.state.players)) if seat != mover])
        seats = [(self.people[seat], seat, self.accounts[seat]) for seat in (mover, other)]
        eve, nobody = (self.people[-1], None, self.accounts[-1]), (Person(self.app), None, None)
        return [*seats, nobody if table.number % 3 == 1 else eve]


def furnished(app: Flask) -> House:
    people = {name: signed_in(app, name) for name in NAMES if name != BOT}
    people[BOT] = _bot_of(people[OWNER])
    for name in RUSSIANS:
        people[name].ask("PATCH", "/me", json={"language": "ru", "time_zone": "Asia/Vladivostok"})
    accounts = account_ids(list(NAMES))
    for account in accounts:
        listen(account, "https://bot.example.org/hook")
    clear_away()  # the mails with the codes
    return House(app, [people[name] for name in NAMES], accounts)


def _bot_of(owner: Person) -> Person:
    bot = owner.made("/bots", {"name": BOT, "accepts": {"games_at_once": 100}})["id"]
    wish = {"name": "its own", "scopes": ["games:play", "games:read", "webhooks"]}
    return Person(owner.app, owner.made(f"/bots/{bot}/tokens", wish)["token"], BOT)


def moment(number: int) -> tuple[Table, Move, random.Random]:
    """A table, and the move that will be made there."""
    chance = random.Random(f"table {number}")
    table = table_after(number, chance.randrange(LONGEST))
    table.spectators = chance.choice(["public", "public", "none"])
    table.state.dice = tuple(chance.randint(1, 6) for _ in range(64))  # the same in both, and so to be known afterwards
    return table, chance.choice(legal_moves(table.state)), chance


def ends(table: Table, move: Move) -> bool:
    later = table.state.copy()
    apply(later, move)
    return asked(later) is None


def all_answers(house: House, table: Table, watcher: Watcher, move: Move, tried: random.Random) -> Answers:
    """What he gets at the doors of the game before the move, in English; and what comes of it, everywhere, in Russian."""
    person, seat, account = watcher
    found: Answers = dict(every_look_at_the_game(person, table.id))
    found |= dict(every_refusal(person, seat, table, tried))
    write_in_vain(seat, account)
    answer = _make(house, table, move)
    if asked(table.state) == seat:
        found["the move"] = seen(answer)
    found |= {f"{door}, later": thing for door, thing in every_look(person, table.id, account, language="ru")}
    if account is not None:
        found |= dict(every_notice(account, house.app.config["GALAPOST"]))
    if person.name == BOT:
        found["what his owner takes away"] = seen(house.people[-1].get("/me/export"))
    return found


def _make(house: House, table: Table, move: Move) -> TestResponse:
    """By hand; at some tables by orders, which act at once if they are given when the game waits for them."""
    mover = house.people[asked(table.state) or 0]
    if table.number in BY_ORDERS:
        answer = mover.ask("PUT", f"/games/{table.id}/orders", json={"lines": [str(move)]})
        assert answer.status_code == 200 and answer.json["acted"], answer.text
    else:
        answer = mover.post(f"/games/{table.id}/moves", {"decision": table.decision, "move": str(move)})
        assert answer.status_code == 201, answer.text
    return answer


def write_in_vain(seat: Viewer, account: str | None) -> None:
    """A letter with commands, and no legal move among them; what is answered to it is looked at with the other notices."""
    with reading() as session:
        address = account and session.get_one(Account, account).email
    if seat is None or address is None:
        return
    head = f"From: <{address}>\nMessage-ID: <of-{seat}@example.org>\n"
    letter = f"{head}\nattack H9 G9, 3\nsay hello\norders\nstatus\nhelp\nand so on\n"
    receiving.receive(mail_tokens.address("m", reply_key(seat)), address, letter.encode())
    settling.run()


def open_by_right(door: str, person: Person, table: Table, move: Move) -> bool:
    """Whether somebody who was not to know a card learns it there rightly, so that twins differ.

    When the game is over the proof of its fairness shows everything to all. And what a bot has played is its owner's to
    take away: she makes its tokens.
    """
    if door.endswith("later") and ("/fairness" in door or "/record" in door):
        return ends(table, move)
    return door.startswith("/v1/me/export") and person.name == OWNER and NAMES.index(BOT) < len(table.state.players)
