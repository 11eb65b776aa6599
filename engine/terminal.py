"""A game in the terminal: one person, all other seats played at random. Everything is said in notation."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

from engine.drawing import draw_table, sentence
from engine.errors import BadNotation, IllegalMove
from engine.events import Event, project
from engine.flow import legal_moves
from engine.game import apply, asked, new_game, opening
from engine.notation import print_move, read_move
from engine.scoring import pile_size, score, winners
from engine.view import view
from engine.vocabulary import OVER, Seat, seat_name

if TYPE_CHECKING:
    from engine.moves import Move
    from engine.state import State

Read = Callable[[str], str]  # shows a prompt and gives a line; EOFError at the end
Write = Callable[[str], None]

HELP: Final = """\
Answer with the number of a move or with its notation: 3, feed A1, play carnivorous A2, pass.
  table   draw the table
  hand    show your cards
  moves   list the moves
  quit    leave the game"""


class Left(Exception):
    """The person has left the game."""


class Game:
    """A game between a person in the seat ``me`` and bots that answer at random."""

    def __init__(self, state: State, me: Seat, bots: random.Random, read: Read, write: Write) -> None:
        self.state = state
        self.me = me
        self.bots = bots
        self.read = read
        self.write = write

    def play(self) -> None:
        """To the end. Raises Left when the person leaves before."""
        self.tell(opening(self.state))
        while (seat := asked(self.state)) is not None:
            move = self.ask() if seat == self.me else self.bots.choice(legal_moves(self.state))
            self.write(f"{seat_name(seat)}> {print_move(move, viewer_knows=seat == self.me)}")
            self.tell(apply(self.state, move))
        self.result()

    def tell(self, events: list[Event]) -> None:
        for event in events:
            self.write(f"   {project(event, self.me)['text']}")

    def ask(self) -> Move:
        self.table()
        self.moves()
        while True:
            line = self.line()
            commands = {"help": self.help, "?": self.help, "table": self.table, "hand": self.hand, "moves": self.moves}
            if line.lower() in commands:
                commands[line.lower()]()
            elif line:
                move = self.move(line)
                if move is not None:
                    return move

    def line(self) -> str:
        try:
            line = self.read(f"{seat_name(self.me)}? ").strip()
        except EOFError as end:
            raise Left from end
        if line.lower() in ("quit", "exit"):
            raise Left
        return line

    def move(self, line: str) -> Move | None:
        """The move of that number or notation; None after saying why there is none."""
        moves = legal_moves(self.state)
        if line.isascii() and line.isdigit() and len(line) <= 4:
            if 1 <= int(line) <= len(moves):
                return moves[int(line) - 1]
            self.write(f"There are moves 1 to {len(moves)}. 'help' says what can be typed.")
            return None
        try:
            return read_move(self.state, line)
        except (IllegalMove, BadNotation) as fault:
            self.write(f"{fault}. 'help' says what can be typed.")
            return None

    def help(self) -> None:
        self.write(HELP)

    def table(self) -> None:
        self.write("")
        self.write(draw_table(view(self.state, self.me)))

    def hand(self) -> None:
        cards = view(self.state, self.me)["seats"][self.me]["hand"]
        self.write(f"in hand: {', '.join(cards) or 'nothing'}")

    def moves(self) -> None:
        moves = legal_moves(self.state)
        width = max(len(str(move)) for move in moves)
        for number, move in enumerate(moves, start=1):
            self.write(f"{number:>4}  {move!s:<{width}}  {sentence(move)}")

    def result(self) -> None:
        self.table()
        for seat in range(len(self.state.players)):
            points, pile = score(self.state, seat), pile_size(self.state, seat)
            self.write(f"{seat_name(seat)}: {points} points, {pile} cards in the pile")
        won = self.me in winners(self.state)
        self.write("You have won." if won else "You have not won this time.")


def play(
    seats: int,
    me: Seat,
    seed: str,
    options: Mapping[str, str],
    read: Read = input,
    write: Write = print,
) -> bool:
    """Play a game; whether it was played to its end. Raises BadOption. The same seed deals the same game."""
    state = new_game(seed.encode(), seats, options)
    write(f"You are {seat_name(me)} of {seats} seats; the seed is {seed}. 'help' says what can be typed.")
    try:
        Game(state, me, random.Random(seed), read, write).play()
    except Left:
        write(f"The game is left in turn {state.turn}.")
    return state.phase == OVER
