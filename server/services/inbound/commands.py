"""What a letter orders. Commands, not prose: the unbroken run of command lines that starts at the first line which is not
blank, a greeting or quoted; any other line ends it, and a line counts only if all of it is a command.

So a quotation that was cut in the wrong place can cost a help mail, and never plays a move.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from engine import BadNotation
from engine.notation import parse_move
from server.services.orders.grammar import SPOKEN

MOST_COMMANDS = 50
LONGEST_SAYING = 1_000
LONGEST_SUBJECT = 250  # characters; it is read no further, so one that is as long may have been cut
LONGEST_SUBJECT_PREFIXES = 10

WORDS = {  # what is written → the command
    **dict.fromkeys(("status", "статус", "стол"), "status"),
    **dict.fromkeys(("help", "?", "помощь", "справка"), "help"),
    **dict.fromkeys(("orders", "приказы"), "orders"),
    **dict.fromkeys(("clear", "очистить"), "clear"),
    **dict.fromkeys(("mute", "тихо", "без уведомлений"), "mute"),
    **dict.fromkeys(("unmute", "громко", "с уведомлениями"), "unmute"),
    **dict.fromkeys(("resign", "i resign", "сдаюсь"), "resign"),
    **dict.fromkeys(("accept", "принять", "принимаю", "согласен", "согласна"), "accept"),
    **dict.fromkeys(("decline", "refuse", "отклонить", "отказаться", "отказываюсь"), "decline"),
    **dict.fromkeys(("never", "никогда"), "never"),
    **dict.fromkeys(("confirm", "yes", "подтверждаю", "да"), "confirm"),
}
SAY = re.compile(r"(?:say|скажи|сказать)[ :]\s*(\S.*)", re.IGNORECASE)
ORDERS = re.compile(r"(?:orders|приказы)\s*:", re.IGNORECASE)
NUMBER = re.compile(r"[0-9]{1,4}")
NUMBERS = re.compile(rf"[0-9]{{1,4}}(?: [0-9]{{1,4}})*(?: (?:end|pass|{'|'.join(SPOKEN)}))?", re.IGNORECASE)

GREETINGS = (
    *("hi", "hello", "hey", "dear", "good morning", "good evening", "good day", "greetings"),
    *("привет", "здравствуй", "здравствуйте", "добрый день", "добрый вечер", "доброе утро", "доброго времени суток"),
    *("hallo", "bonjour", "hola", "ciao"),
)
# What may stand beside one: a name of three words at most, each with a capital, or one of these. Anything else says something.
NAME = r"[^\W\d_]{1,30}(?:['’][^\W\d_]{1,30})?"
NAMED = re.compile(rf"(?:[ ,]+({NAME}(?:[ -]{NAME}){{0,2}}))?[\W_]*")
EVERYBODY = frozenset(("there", "all", "everybody", "everyone", "galapost", "server", "всем", "сервер"))
SEPARATOR = re.compile(r"[-_=*~#·•—–]{3,}")
SIGNATURE = ("--", "—")
ORIGINAL = re.compile(
    r"-{2,}\s*(?:original message|forwarded message|исходное сообщение|пересылаемое сообщение)\b", re.IGNORECASE
)
HEADER_NAMES = ("from", "sent", "to", "subject", "date", "cc", "от", "отправлено", "кому", "тема", "дата", "копия")
ATTRIBUTION_STARTS = re.compile(r"(?:on|am|le|el|il|op|den|em|dnia|\d{1,4}[-./ ]\d{1,2}|\w{2,3}[.,] )\b", re.IGNORECASE)
ATTRIBUTION_LINES = 5
WRAPPED = 60  # from this length on the client may have broken a quoted line in two

PREFIX = re.compile(r"(?:re|aw|sv|antw|отв|ответ|на)(?:\[\d{1,3}\])?\s*:\s*", re.IGNORECASE)


@dataclass(frozen=True)
class Command:
    """`word` is `moves`, `say`, `orders` (with lines: set them, without: show them) or a word of WORDS."""

    word: str
    text: str = ""  # of say
    items: tuple[str, ...] = ()  # of moves: numbers as printed, or notation; of orders: lines


IsOrder = Callable[[str], bool]


def of_body(text: str, is_order: IsOrder) -> list[Command]:
    lines = [line.strip() for line in text.split("\n")]
    return _run(lines[_start(lines) :], is_order)


def of_subject(subject: str) -> list[Command]:
    """For a letter without any text: what stands there after `Re:` and its like, if all of it is a command."""
    whole = len(subject) < LONGEST_SUBJECT
    for _ in range(LONGEST_SUBJECT_PREFIXES):
        subject = PREFIX.sub("", subject.strip(), count=1) if PREFIX.match(subject.strip()) else subject.strip()
    command = read_line(subject) if whole else None
    return [command] if command is not None else []


def _start(lines: list[str]) -> int:
    """Where the writer begins: the number of the first line that may be a command; past the end if all is quoted."""
    at, after_wrapped = 0, False
    while at < len(lines):
        line = lines[at]
        if line.startswith(">"):
            after_wrapped = len(line) >= WRAPPED
        elif after_wrapped and line:
            if _says_something(line):  # or does the writer begin here? Nothing is guessed
                return len(lines)
            after_wrapped = False  # the second half of a quoted line that was too long for the client
        elif not line or SEPARATOR.fullmatch(line) or _greets(line):
            after_wrapped = False
        elif line in SIGNATURE or ORIGINAL.match(line) or _is_header_block(lines, at):
            return len(lines)
        elif length := _attribution(lines, at):
            if not _quote_follows(lines, at + length):
                return len(lines)
            at += length - 1
        else:
            return at
        at += 1
    return at


def _greets(line: str) -> bool:
    said = line.lower()
    return any(said.startswith(greeting) and _is_named(line[len(greeting) :]) for greeting in GREETINGS)


def _is_named(rest: str) -> bool:
    """`, Anna!`, not `, wait!`: what begins with a small letter may be prose, and prose may say not to do what stands below."""
    found = NAMED.fullmatch(rest)
    name = found.group(1) if found else None
    if name is None or name.lower() in EVERYBODY:
        return found is not None
    words = name.replace("-", " ").split(" ")
    return all(word[0].isupper() and not word.isupper() for word in words) and not _says_something(name)


def _says_something(line: str) -> bool:
    return read_line(line) is not None or ORDERS.match(line) is not None


def _is_header_block(lines: list[str], at: int) -> bool:
    """Outlook quotes without a mark: two lines of headers, and all the rest is the letter that was answered."""
    return sum(_is_header(line) for line in lines[at : at + 4]) >= 2 and _is_header(lines[at])


def _is_header(line: str) -> bool:
    name, colon, _ = line.lstrip("* ").partition(":")
    return bool(colon) and name.strip("* ").lower() in HEADER_NAMES


def _attribution(lines: list[str], at: int) -> int:
    """How many lines say who wrote what is quoted below (`On … wrote:`); 0 for none."""
    if ATTRIBUTION_STARTS.match(lines[at]) is None:
        return 0
    for length in range(1, ATTRIBUTION_LINES + 1):
        block = lines[at : at + length]
        if len(block) < length or not block[-1] or _says_something(block[-1]):
            return 0
        if block[-1].endswith(":"):
            said = " ".join(block)
            return length if "@" in said or any(sign.isdigit() for sign in said) else 0
    return 0


def _quote_follows(lines: list[str], at: int) -> bool:
    return next((line for line in lines[at:] if line), "").startswith(">")


def _run(lines: list[str], is_order: IsOrder) -> list[Command]:
    found: list[Command] = []
    at = 0
    while at < len(lines) and len(found) < MOST_COMMANDS:
        if heading := ORDERS.match(lines[at]):
            command, at = _orders(lines, at, lines[at][heading.end() :].strip(), is_order)
        else:
            command, at = read_line(lines[at]), at + 1
        if command is None:
            break
        found.append(command)
    return found


def _orders(lines: list[str], at: int, beside: str, is_order: IsOrder) -> tuple[Command | None, int]:
    """The heading, what stands beside it, and the lines below it up to one that is no order."""
    given = [beside] if beside else []
    at += 1
    while at < len(lines) and lines[at] and is_order(lines[at]):
        given.append(lines[at])
        at += 1
    return (Command("orders", items=tuple(given)) if given else None), at


def read_line(line: str) -> Command | None:
    """The command that a line is, whole; None when it is none."""
    line = " ".join(line.split())
    if said := SAY.fullmatch(line):
        return Command("say", text=said.group(1)[:LONGEST_SAYING])
    bare = line.rstrip(".!").strip()
    if word := WORDS.get(bare.lower() or line.lower()):
        return Command(word)
    items = _items(bare)
    return Command("moves", items=items) if items else None


def _items(line: str) -> tuple[str, ...]:
    """Numbers and notation, one or several; none if any of it is neither."""
    items = line.split(" ") if NUMBERS.fullmatch(line) else line.replace(";", ",").split(",")
    items = [item.strip() for item in items]
    items = [SPOKEN.get(item.lower(), item) for item in items]
    if len(items) > MOST_COMMANDS or not all(NUMBER.fullmatch(item) or _is_move(item) for item in items):
        return ()
    return tuple(items)


def _is_move(item: str) -> bool:
    """Whether it is written as a move is; whether it is legal is asked when it is played."""
    try:
        parse_move(item)
    except BadNotation:
        return False
    return True
