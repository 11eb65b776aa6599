"""What a mail server's refusal says of an address, whether it came at once or in a report: one judgement for both.

An address is given up only for words or codes that nobody uses for anything else. A relay that wants a password, a list of bad
senders, a full mailbox: all that is the road's, the mail's or the server's fault, and may pass."""

from __future__ import annotations

import re

LONGEST = 500  # characters of a refusal that are looked at

# Enhanced codes (RFC 3463), but no part of a number of four parts, as addresses of servers are.
CODE = re.compile(r"(?<![\d.])([245])\.(\d{1,3})\.(\d{1,3})(?!\.?\d)")
FIVE_HUNDRED = re.compile(r"\b5\d\d\b")
# Class 5 and one of these: nobody will ever get mail there.
NOBODY_THERE = {("1", "0"), ("1", "1"), ("1", "2"), ("1", "3"), ("1", "6"), ("1", "10"), ("2", "0"), ("2", "1")}
SAYS_NOTHING = ("0", "0")  # then the words have to say it

_SOMEBODY = r"(?:user|recipient|mailbox|account|person|e-?mail address|recipient address)"
_MISSING = r"(?:unknown|not found|not exist|n'?t exist|not known|inactive|disabled|unrout(?:e)?able)"
UNKNOWN = re.compile(
    rf"\b(?:no such|unknown|invalid|unrout(?:e)?able) (?:local )?{_SOMEBODY}\b|\bno mailbox here\b"
    rf"|\b{_SOMEBODY}\b.{{0,60}}{_MISSING}|n'?t have an? (?:\S{{1,40}} )?account\b"
    r"|\bunrout(?:e)?able address\b|\b(?:host|domain) (?:unknown|not found)\b",
    re.IGNORECASE,
)
# What passes by itself, or when somebody mends a setting, whatever the code before it says.
PASSES = re.compile(
    r"\b552\b|\b5\.2\.2\b|quota|\bfull\b|limit|exceed|storage"
    r"|\b5\.7\.\d|spam|junk|block|black ?list|\blisted\b|dnsbl|\brbl\b|polic|reputation|gr[ea]ylist|\brate\b|too many"
    r"|relay|authenti|denied|prohibit|sender|\bhelo\b|\bdns\b|\bptr\b|reverse|(?:your|client) (?:host|ip)|try (?:again|later)",
    re.IGNORECASE,
)
ADDRESS = re.compile(r"[^\s@]{1,100}@[^\s@]{1,255}")  # whose words are its owner's


def of_the_address(said: str, status: str = "") -> bool:
    """Whether it is of no use to write there ever again. `status`: the field of a report that gives the code by itself."""
    words = ADDRESS.sub(" ", f"{status} {said}"[:LONGEST])
    if PASSES.search(words):
        return False
    code = CODE.search(status)
    if code is None or code.group(2, 3) == SAYS_NOTHING:
        code = CODE.search(said[:LONGEST]) or code  # the words often know better
    if code is None or code.group(2, 3) == SAYS_NOTHING:
        final = FIVE_HUNDRED.search(words) if code is None else code[1] == "5"
        return bool(final and UNKNOWN.search(words))
    return code[1] == "5" and code.group(2, 3) in NOBODY_THERE
