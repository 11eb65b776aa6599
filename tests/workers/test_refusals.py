"""What a refusal says of an address: the words of real mail servers, at once and in a report alike."""

from __future__ import annotations

import pytest

from server import refusals
from server.services import bounces
from tests.workers.test_bounces import failed

OF_THE_ADDRESS = [
    "550 5.1.1 <anna@example.org>: Recipient address rejected: User unknown in virtual mailbox table",
    "550 5.1.1 <anna@example.org>... User unknown",
    "550 5.1.1 The email account that you tried to reach does not exist. Please try double-checking it",
    "550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup",
    "550 #5.1.0 Address rejected.",
    "550 5.2.1 The email account that you tried to reach is disabled",
    "550 5.0.0 <anna@example.org>... User unknown",
    "550 No such user here",
    "550 no such recipient",
    "550 Unrouteable address",
    "550 Invalid recipient",
    "550 sorry, no mailbox here by that name",
    "550 Message was not accepted -- invalid mailbox. Local mailbox anna@example.org is unavailable: user not found",
    "554 delivery error: dd This user doesn't have a example.org account (anna@example.org) [0]",
    "550 5.1.1 <spam.relay@blocked.example>: user unknown",
]
OF_SOMETHING_ELSE = [
    "550 relay not permitted, authentication required",
    "550 Authentication required",
    "553 sorry, that domain isn't in my list of allowed rcpthosts",
    "554 5.7.1 <anna@example.org>: Relay access denied",
    "550 5.1.1 relaying denied",
    "530 5.7.0 Must issue a STARTTLS command first",
    "550 5.6.0 Message contains invalid header",
    "552 5.3.4 Message size exceeds fixed limit",
    "554 5.4.6 Routing loop detected",
    "550 5.4.1 Recipient address rejected: Access denied. AS(201806281)",
    "550 5.3.0 Message refused",
    "550 5.1.8 bad sender's system address",
    "554 Transaction failed",
    "554 no",
    "554 5.5.0 no",
    "550 5.0.0 rejected",
    "550 Administrative prohibition",
    "550 Sender verify failed: no such user",
    "550 Access denied",
    "550 Requested action not taken: mailbox unavailable",
    "550 rate limited",
    "550 5.1.1 too many connections",
    "554 DNSBL listed: see https://example.org/5.1.1",
    "554 rejected, 5.1.1.7 is no good neighbour",
    "550 JunkMail rejected",
    "550 rejected due to content",
    "550 mailbox is full",
    "552 quota exceeded",
    "550 user over quota",
    "450 4.1.1 user unknown for now",
    "450 no such user",
    "421 4.3.2 going down",
    "",
]


@pytest.mark.parametrize("said", OF_THE_ADDRESS)
def test_an_address_where_nobody_lives_is_given_up(said: str) -> None:
    assert refusals.of_the_address(said)
    assert bounces.classified(failed("5.0.0", said))[0] == bounces.classified(failed("", said))[0] == "hard"


@pytest.mark.parametrize("said", OF_SOMETHING_ELSE)
def test_what_is_the_fault_of_something_else_says_nothing_of_the_address(said: str) -> None:
    assert not refusals.of_the_address(said)
    assert bounces.classified(failed("", said))[0] == "soft"


def test_a_long_refusal_is_looked_at_within_bounds() -> None:
    for text in ("user " * 100_000, "a@" * 100_000, "no such " * 100_000, "5.1." * 100_000):
        assert not refusals.of_the_address(f"550 {text}")
