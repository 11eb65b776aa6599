"""Each kind of address has its own desk."""

from __future__ import annotations

from server.services.inbound import confirming, offers, replying, table
from server.services.inbound.verdicts import Case, Verdict


def act(case: Case) -> Verdict:
    desks = {"m": table.act, "i": offers.act, "c": confirming.act, "d": _digest}
    return desks[case.token.kind](case)


def _digest(case: Case) -> Verdict:
    """A digest tells of several games, so an answer to it is an answer to none."""
    if any(command.word == "help" for command in case.commands):
        return Verdict("settled", "help", mails=(replying.note(case, help="general"),))
    return replying.unclear(case, replying.note(case, help="digest"))
