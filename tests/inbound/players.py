"""People who read their mail and answer it, and do nothing else."""

from __future__ import annotations

import itertools
import random
import re
import smtplib
from dataclasses import dataclass, field
from email import policy
from email.message import EmailMessage

from server.ids import base32

MOVE = re.compile(r"^ *(\d+)\. (.+)$", re.MULTILINE)
MOVES = ("YOUR MOVES", "ВОЗМОЖНЫЕ ХОДЫ")
ENDS = ("The game is over.", "Партия окончена.")
CLOSING = ("end", "pass")
STANDING = (
    "defend run, mimic, yield",
    "pass development when hand empty",
    "pass feeding when nothing to receive",
    "if illegal skip",
)


@dataclass
class Player:
    """`words`: what he writes beside his moves, letter by letter, as long as there is some."""

    address: str
    port: int
    words: list[str] = field(default_factory=list)
    dice: random.Random = field(default_factory=lambda: random.Random(7))
    read: int = 0
    wrote: int = 0
    forms: set[str] = field(default_factory=set)
    answered: set[str] = field(default_factory=set)
    turns: itertools.count[int] = field(default_factory=itertools.count)
    over: bool = False

    def get(self, mail: EmailMessage) -> None:
        """Reads it; answers if it asks him for a move."""
        self.read += 1
        text = mail.get_body(("plain",)).get_content()  # type: ignore[union-attr]
        self.over |= any(end in text for end in ENDS)
        asked = [heading for heading in MOVES if heading in text]
        if asked:
            self.write(mail, self._choose(dict(MOVE.findall(text.partition(asked[0])[2]))))

    def _choose(self, moves: dict[str, str]) -> str:
        """By its number or as it is written, alone or with what follows in the same breath; or with orders for the rest of the
        phase, as whoever plays by post will leave them."""
        others = [number for number, move in moves.items() if move not in CLOSING]
        number, turn = self.dice.choice(others or list(moves)), next(self.turns)
        lines = [self.words.pop(0)] if self.words else []
        if turn % 3 == 0 and moves[number].split()[0] == "feed":
            self.forms.add("several")
            return "\n".join([*lines, f"{number}, end"])
        self.forms.add("notation" if turn % 2 else "number")
        lines.append(moves[number] if turn % 2 else number)
        later = [move for move in moves.values() if move.split()[0] in ("animal", "feed") and move != moves[number]]
        if later and turn % 4:
            self.forms.add("orders")
            lines += ["orders:", *later, *STANDING]
        return "\n".join(lines)

    def write(self, to: EmailMessage, text: str) -> None:
        """An answer as mail readers write it: the text above, what is answered below."""
        mail = EmailMessage(policy=policy.SMTP)
        mail["From"], mail["To"], mail["Subject"] = self.address, str(to["Reply-To"]), f"Re: {to['Subject']}"
        mail["Message-ID"], mail["In-Reply-To"] = f"<{base32(8)}@client.example>", str(to["Message-ID"])
        quoted = "\n".join(f"> {line}" for line in to.get_body(("plain",)).get_content().splitlines()[:40])  # type: ignore[union-attr]
        mail.set_content(f"{text}\n\nOn Mon, 30 Nov 2026 at 9:00, Galapost <galapost@galapost.test> wrote:\n{quoted}\n")
        with smtplib.SMTP("127.0.0.1", self.port, timeout=20) as client:
            client.sendmail(self.address, [str(to["Reply-To"])], bytes(mail))
        self.wrote += 1
