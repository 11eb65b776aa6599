"""Letters made by hypothesis, handed to a table: headers, charsets, encodings, parts within parts, bytes that were spoiled.

What of a letter may be played is worked out here from how it was made, by the kinds of its lines, not by reading it. So each
letter is checked for: it raises nothing, takes less than two seconds of the processor, plays nothing outside of the first
unquoted run of commands, nothing at all when it is not from the player, and is there afterwards, settled."""

from __future__ import annotations

import base64
import os
import quopri
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from sqlalchemy import select

from server import database, kicking, links, sealing
from server.config import Settings
from server.database import reading, transaction
from server.models import Letter, Move
from server.services import mail_tokens, outbox
from server.services.inbound import judging, receiving, settling
from server.services.inbound.commands import Command
from server.services.inbound.reading import read
from tests.conftest import migrate
from tests.inbound.post import DOMAIN, Table, lay_table

LETTERS = 10_000
SECONDS = 2.0
ANNA, EVE = "anna@example.org", "eve@example.net"


def moves(*items: str) -> Command:
    return Command("moves", items=items)


COMMANDS = {
    "1": moves("1"), "2": moves("2"), "pass": moves("pass"), "Pass.": moves("Pass"), "пас": moves("pass"), "1, 2": moves("1", "2"),
    "1, pass": moves("1", "pass"), "end": moves("end"), "feed A1": moves("feed A1"), "999": moves("999"), "status": Command("status"),
    "help": Command("help"), "orders": Command("orders"), "say 1": Command("say", "1"), "say hello: > pass": Command("say", "hello: > pass"),
}  # fmt: skip
LINES = {
    "command": [*COMMANDS],
    "blank": ["", "  ", "\t", "\u200b"],
    "greeting": ["Hello Galapost,", "Hi!", "Привет!", "Dear Boris,"],
    "quoted": ["> 1", ">pass", "> > 2", ">> On Mon wrote:", ">"],
    "separator": ["-----", "____________", "* * *".replace(" ", "*")],
    "prose": ["I play 1", "1 is what I play", "On your right: pass", "thanks, pass", "a=í?", "1)", "(2)", "pass pass", "№ 1", "-1", "１"],
    "attribution": [f"On Mon, 30 Nov 2026 at 09:00, Galapost <galapost@{DOMAIN}> wrote:", "2026-11-30 9:00 GMT+02:00 G <g@x.org>:"],
    "end": ["-- ", "-----Original Message-----", "---------- Forwarded message ---------", "From: G\nSent: Monday\nTo: A"],
    "wrapped": ["> " + "x" * 70 + "\n1", "> " + "y" * 90 + "\npass"],
}  # fmt: skip
QUOTING = ("blank", "greeting", "quoted", "separator", "attribution", "wrapped")  # what may stand before the commands
UNSURE = ("attribution", "wrapped")  # after these it may also find less than there is

Line = tuple[str, str]  # kind, text


@dataclass(frozen=True)
class Made:
    """A letter and how it was made."""

    raw: bytes
    lines: tuple[Line, ...]
    sender: str
    readable: bool  # its bytes say what its lines are
    envelope: str


def allowed(lines: tuple[Line, ...]) -> list[Command]:
    """The first run of commands with nothing before it but what nobody means: all that may be done, and in this order."""
    rest = list(lines)
    while rest and rest[0][0] in QUOTING:
        rest.pop(0)
    run = []
    while rest and rest[0][0] == "command":
        run.append(COMMANDS[rest.pop(0)[1]])
    return run


def says_nothing(lines: tuple[Line, ...]) -> bool:
    """Then another part, or the subject, is looked at."""
    return not any(text.strip(" \t\u200b") for _, text in lines)


kinds = st.sampled_from([*LINES, "command", "command", "blank", "quoted"])
line = kinds.flatmap(lambda kind: st.tuples(st.just(kind), st.sampled_from(LINES[kind])))
odd = st.text(st.characters(exclude_characters="\n\r"), max_size=40).map(lambda text: ("prose", "zz " + text))
anything = st.lists(st.one_of(line, line, line, odd), max_size=6)
before = st.lists(
    st.sampled_from(QUOTING).flatmap(lambda kind: st.tuples(st.just(kind), st.sampled_from(LINES[kind]))), max_size=3
)
run_of_commands = st.lists(st.tuples(st.just("command"), st.sampled_from([*COMMANDS])), min_size=1, max_size=3)
usual = st.tuples(before, run_of_commands, anything).map(lambda parts: [line for part in parts for line in part])
bodies = st.one_of(usual, usual, usual, anything).map(tuple)
CHARSETS = ("utf-8", "koi8-r", "windows-1251", "utf-16", "iso-8859-5", "gb18030", "UTF8")
LIES = ("unknown", "cp-850", "utf-16", "utf-7", "idna", "", "iso-2022-jp", "base64", "us-ascii", "x" * 300)
junk = st.one_of(
    st.binary(max_size=30),
    st.sampled_from([b"\0", b"\r", b"\n\n", b"\xff\xfe", b"=?utf-8?q?=", b"--b", b"--b--", b'"', b"\x1b$B"]),
)


@st.composite
def letters(draw: st.DrawFn) -> Made:
    lines = draw(bodies)
    text = "\n".join(text for _, text in lines)
    part, readable = _part(draw, text)
    for depth in range(draw(st.integers(0, 4))):
        part = _within(draw, part, f"b{depth}")
    head, sender = _head(draw)
    raw = (head + part).replace(b"\n", draw(st.sampled_from([b"\r\n", b"\n"])))
    if draw(st.integers(0, 4)) == 0:
        raw, readable = _spoiled(draw, raw), False
    return Made(raw, lines, sender, readable, draw(st.sampled_from([ANNA, ANNA, EVE])))


def _part(draw: st.DrawFn, text: str) -> tuple[bytes, bool]:
    """Text in some charset, encoded in some way; and whether both are as they say."""
    charset, honest = draw(st.sampled_from(CHARSETS)), draw(st.integers(0, 3)) > 0
    try:
        data = text.encode(charset)
    except UnicodeError:
        charset, data = "utf-8", text.encode("utf-8", "replace")
    said = charset if honest else draw(st.sampled_from(LIES))
    way = draw(st.sampled_from(["base64", "quoted-printable", "8bit"])) if charset != "utf-16" else "base64"
    coded = {"base64": base64.encodebytes, "quoted-printable": quopri.encodestring, "8bit": bytes}[way](data)
    head = f"Content-Type: text/plain; charset={said}\nContent-Transfer-Encoding: {way}\n\n"
    return head.encode() + coded, honest


def _within(draw: st.DrawFn, part: bytes, boundary: str) -> bytes:
    """As one part of several; the others say what is not to be played."""
    kind = draw(st.sampled_from(["mixed", "alternative", "related", "signed", "unheard-of"]))
    page = b"Content-Type: text/html\n\n<p>2</p><p>pass</p>\n"
    attached = b"Content-Type: text/plain\nContent-Disposition: attachment; filename*=us-ascii''%F6\n\npass\n"
    inner = b"Content-Type: message/rfc822\n\nSubject: pass\n\npass\n"
    image = b"Content-Type: image/png; name=\xff\nContent-Transfer-Encoding: base64\n\niVBO\n"
    pages = [page] if kind == "alternative" else []  # else one that comes first is what was written
    before = draw(st.lists(st.sampled_from([*pages, attached, image, inner]), max_size=2))
    after = draw(st.lists(st.sampled_from([page, attached, image, inner]), max_size=2))
    cut = b"\n--" + boundary.encode() + b"\n"
    end = b"\n--" + boundary.encode() + b"--\n"
    ending = draw(st.sampled_from([end, b"", end + b"\npass\n"]))
    return (
        f'Content-Type: multipart/{kind}; boundary="{boundary}"\n\npass\n'.encode()
        + b"".join(cut + each for each in (*before, part, *after))
        + ending
    )


def _head(draw: st.DrawFn) -> tuple[bytes, str]:
    sender = draw(st.sampled_from([ANNA, ANNA, ANNA, EVE, ""]))
    name = draw(st.sampled_from(["Anna", '"anna@example.org"', "=?utf-8?q?=D0=90?=", "=?x?y?z?=", "\xff", ""]))
    lines = [f"From: {name} <{sender}>"] if sender else []
    lines += draw(
        st.lists(
            st.sampled_from(
                ["Subject: pass", "Subject: =?utf-16?b?AA?=", "To: <>", "References: " + "<a@b> " * 300, "X: \0", "MIME-Version: x",
                 "Date: never", "In-Reply-To: <<<<@", "Cc: a@b, , <c", "Received: from", "Content-Language: ru"]
            ),
            max_size=4,
        )
    )  # fmt: skip
    return "".join(each + "\n" for each in lines).encode("latin-1", "replace"), sender


def _spoiled(draw: st.DrawFn, raw: bytes) -> bytes:
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(raw)))
        raw = raw[:at] + draw(junk) + raw[at + draw(st.integers(0, 20)) :]
    return raw


class Server:
    """A table that stands as it stood before the letter."""

    def __init__(self, home: Path, table: Table) -> None:
        self._file, self._clean = home / "galapost.db", home / "clean.db"
        self.table = table
        self.counted: Counter[str] = Counter()
        self.slowest = 0.0
        database.disconnect()
        shutil.copy(self._file, self._clean)
        self._restore()

    def _restore(self) -> None:
        database.disconnect()
        for left in self._file.parent.glob("galapost.db-*"):
            left.unlink()
        shutil.copy(self._clean, self._file)
        database.connect(f"sqlite:///{self._file}")

    def check(self, made: Made) -> None:
        began = time.process_time()
        letter_id = receiving.receive(self.table.address(), made.envelope, made.raw)
        outcome = settling.settle(letter_id, settling.clock.now())
        took = time.process_time() - began
        if took >= SECONDS:  # be it that memory was collected at this moment: once more, without a database
            began = time.process_time()
            judging.commands_of(read(made.raw))
            took = time.process_time() - began
        self.slowest = max(self.slowest, took)
        assert took < SECONDS
        with reading() as session:
            letter = session.get_one(Letter, letter_id)
            state, tries = letter.state, letter.tries
            played = list(session.scalars(select(Move.notation)))
        assert outcome is not None and tries == 1 and state in ("settled", "held", "dropped"), (outcome, state)
        self.counted[outcome] += 1
        self._restore() if played else self._forget(letter_id)
        self._check_what_was_read(made)
        self._check_what_was_played(made, played)

    def _forget(self, letter_id: str) -> None:
        with transaction() as session:
            session.delete(session.get_one(Letter, letter_id))

    def _check_what_was_read(self, made: Made) -> None:
        run, found = allowed(made.lines), judging.commands_of(read(made.raw))
        if not made.readable or says_nothing(made.lines):
            return
        self.counted["understood"] += bool(found)
        assert found == run[: len(found)], f"{found} is not the beginning of {run}"
        if not any(kind in UNSURE for kind, _ in made.lines):
            assert found == run, f"{found} is less than {run}"

    def _check_what_was_played(self, made: Made, played: list[str]) -> None:
        if not played:
            return
        assert made.sender == ANNA, "somebody else has played"
        if made.readable and not says_nothing(made.lines):
            items = [item for command in allowed(made.lines) if command.word == "moves" for item in command.items]
            legal = self.table.legal
            meant = [
                legal[int(item) - 1] if item.isdigit() else item.lower()
                for item in items
                if not item.isdigit() or int(item) <= len(legal)
            ]
            meant = ["pass" if move == "end" else move for move in meant]  # here they are the same
            assert played == meant[: len(played)], f"{played} was played, and {meant} meant"


@contextmanager
def server(home: Path) -> Iterator[Server]:
    environment = {
        "GALAPOST_HOME": str(home), "GALAPOST_DATABASE": f"sqlite:///{home}/galapost.db", "GALAPOST_BROKER": "redis://127.0.0.1:1",
        "GALAPOST_MAIL_FROM": f"Galapost <galapost@{DOMAIN}>",
    }  # fmt: skip
    caches = (sealing._key, outbox._domain, mail_tokens.domain, judging._ourselves)
    unlimited = {"AN_HOUR_AT_MOST": 10**9, "A_DAY_AT_MOST": 10**9, "CONFIRMATIONS_A_DAY": 10**9, "HELP_A_DAY": 10**9}
    for cache in caches:
        cache.cache_clear()
    with (
        patch.dict(os.environ, environment),
        patch.object(kicking, "kick", lambda *task: None),
        patch.multiple(judging, **unlimited),
    ):
        made = Settings.from_env()
        database.connect(made.database)
        links.configure(made.url)
        yield Server(home, lay_table())
        database.disconnect()
    for cache in caches:
        cache.cache_clear()


def run(home: Path, number: int, with_seed: int) -> Server:
    """So many letters; raises what hypothesis raises when one of them is not as it should be."""
    with server(home) as made:
        check = settings(
            max_examples=number, deadline=None, database=None, phases=(Phase.generate, Phase.shrink), print_blob=False,
            suppress_health_check=list(HealthCheck),
        )(given(letters())(made.check))  # fmt: skip
        seed(with_seed)(check)()
        return made


def clean(seconds: int, with_seed: int) -> bool:
    """Whether nothing was found; for ten thousand letters, whatever `seconds` says."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        migrate(f"sqlite:///{home}/galapost.db", home)
        began = time.monotonic()
        try:
            made = run(home, LETTERS, with_seed)
        except AssertionError as error:
            print(f"mail: {error}", flush=True)
            return False
    print(f"mail: {told(made)}, {time.monotonic() - began:.0f} s", flush=True)
    return True


def told(made: Server) -> str:
    outcomes = ", ".join(
        f"{count} {outcome}" for outcome, count in made.counted.most_common() if outcome != "understood"
    )
    return f"{sum(made.counted.values()) - made.counted['understood']} letters ({outcomes}), the slowest {made.slowest:.2f} s"
