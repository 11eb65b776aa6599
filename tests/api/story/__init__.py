"""Stories that use every operation once, a file a subject. With chance and clock fixed each is told the same every time,
to the byte: that is what the examples in openapi/examples are. `python -m tests.api.story` writes them anew.

To add an operation: play it in the story of its subject, `teller.play("operation_id", who, body=…, path_parameter=…)`.
To add a subject: a file with a function `tell(teller)`, and a line in SUBJECTS. Every story begins with an empty
database, so that none changes the examples of another.
"""

from __future__ import annotations

from typing import Any

from flask import Flask

from server.database import transaction
from server.models import Base
from tests.api.story import (
    accounts,
    bots,
    fairness,
    first_steps,
    invitations,
    lobby,
    mail,
    notifications,
    orders,
    play,
    refusals,
    talk,
    unsubscribing,
    webhooks,
)
from tests.api.story.telling import Teller, fixed
from tests.playing import signed_in

SUBJECTS = (
    first_steps,
    accounts,
    lobby,
    invitations,
    play,
    orders,
    talk,
    fairness,
    bots,
    notifications,
    webhooks,
    unsubscribing,
    mail,
)


def tell(app: Flask) -> dict[str, dict[str, dict[str, Any]]]:
    """Every example by its name, in the folders that they are kept in: those of operations lie at the top."""
    signed_in(app, "Zoe")  # whatever is drawn once a process is drawn by now
    teller = Teller(app)
    for subject in (*SUBJECTS, *refusals.SUBJECTS):
        _empty_the_database()
        with fixed(subject.__name__.removeprefix(f"{__name__}.")):
            subject.tell(teller)
    return {".": teller.examples, "problems": teller.problems, "webhooks": teller.notices}


def _empty_the_database() -> None:
    with transaction() as session:
        for table in reversed(Base.metadata.sorted_tables):
            session.execute(table.delete())
