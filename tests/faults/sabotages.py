"""Ways to break the promises of delivery, as replacements of text, each with the cases that have to notice.

The text has to stand in its file exactly once: a sabotage that finds nothing to break proves nothing."""

from __future__ import annotations

from dataclasses import dataclass

from tests.faults.databases import POSTGRESQL, SQLITE


@dataclass(frozen=True)
class Replacement:
    file: str
    original: str
    instead: str


@dataclass(frozen=True)
class Sabotage:
    name: str
    database: str
    case: str  # that must turn red
    replacements: tuple[Replacement, ...]


def sabotage(name: str, database: str, case: str, *replacements: tuple[str, str, str]) -> Sabotage:
    return Sabotage(name, database, case, tuple(Replacement(*one) for one in replacements))


OUTBOX = "server/services/outbox.py"
DISPATCHING = "server/services/dispatching.py"
SETTLING = "server/services/settling.py"

INSERT_AFTER_THE_COMMIT = (
    (
        "server/database.py",
        """    with _in_turn(), Session(engine(), expire_on_commit=False) as session, session.begin():
        yield session
""",
        """    with _in_turn(), Session(engine(), expire_on_commit=False) as session:
        with session.begin():
            yield session
        for later in session.info.pop("later", ()):
            with Session(engine(), expire_on_commit=False) as another, another.begin():
                later(another)
""",
    ),
    (
        "server/services/cascade.py",
        """            notifying.decision_opened(session, game, asked, now)
""",
        """            def later(another: Session, game_id: str = game.id, key: tuple = (game.id, asked.number)) -> None:
                notifying.decision_opened(another, another.get_one(Game, game_id), another.get_one(Decision, key), now)

            session.info.setdefault("later", []).append(later)
""",
    ),
)

NO_FENCE = (
    (
        OUTBOX,
        """        Delivery.id == claimed.delivery_id, Delivery.fence == claimed.fence, Delivery.state == "leased"
""",
        """        Delivery.id == claimed.delivery_id, Delivery.state == "leased"
""",
    ),
)

SHORT_LEASE = ((OUTBOX, "LEASE = timedelta(seconds=90)", "LEASE = timedelta(seconds=12)"),)

NEW_MESSAGE_ID = (
    (
        OUTBOX,
        """    delivery.attempts, delivery.reason = delivery.attempts + 1, None
""",
        """    delivery.attempts, delivery.reason = delivery.attempts + 1, None
    if delivery.attempts > 1:
        delivery.message_id = _new_message_id(delivery.channel)
""",
    ),
)

NEW_TEXT = (
    (DISPATCHING, """if delivery.rendered or notifying""", """if notifying"""),
    (
        DISPATCHING,
        """        if written is not None and delivery.rendered is None:
""",
        """        if written is not None:
""",
    ),
)

REDIRECTS = (
    (
        "workers/transports/webhook.py",
        """    body, whole = _beginning(answer)
    return _judge""",
        """    if answer.status in (302, 307, 308):
        import urllib.request

        again = urllib.request.Request(answer.headers["Location"], message.body.encode(), _headers(message))
        with urllib.request.urlopen(again) as followed:
            return Reply(followed.status)
    body, whole = _beginning(answer)
    return _judge""",
    ),
)

NO_LOCK = (
    (
        OUTBOX,
        """    return query.limit(limit).with_for_update(skip_locked=True)""",
        """    return query.limit(limit)""",
    ),
)
NO_IMMEDIATE = (("server/database.py", """"BEGIN" if reads else "BEGIN IMMEDIATE")""", """"BEGIN")"""),)

NO_SECOND_LOOK = (
    (
        DISPATCHING,
        """        if reason := notifying.untrue(session, delivery, now):
            outbox.give_up(delivery, reason, now)
            return None
""",
        "",
    ),
)

ATTEMPT_AFTERWARDS = (
    (
        OUTBOX,
        """    session.add(Attempt(delivery_id=delivery.id, n=delivery.attempts, fence=delivery.fence, started_at=now))
""",
        "",
    ),
    (
        SETTLING,
        """    attempt = session.scalars(
        select(Attempt).where(Attempt.delivery_id == delivery.id, Attempt.n == delivery.attempts)
    ).one()
""",
        """    attempt = Attempt(delivery_id=delivery.id, n=delivery.attempts, fence=delivery.fence, started_at=now)
    session.add(attempt)
""",
    ),
)

AMBIGUOUS_IS_SENT = ((SETTLING, """    if outcome.kind == "sent":
        outbox.close""", """    if outcome.kind in ("sent", "ambiguous"):
        outbox.close"""),)  # fmt: skip

LEASE_FOR_EVER = (
    (OUTBOX, """        and_(Delivery.state == "leased", Delivery.lease_until <= now),
""", ""),
)  # fmt: skip

SABOTAGES = (
    sabotage("the outbox insert moved after the commit", SQLITE, "mover-killed-after-the-commit", *INSERT_AFTER_THE_COMMIT),
    sabotage("the outbox insert moved after the commit", POSTGRESQL, "mover-killed-after-the-commit", *INSERT_AFTER_THE_COMMIT),
    sabotage("the fence removed", POSTGRESQL, "stopped-after-the-claim", *NO_FENCE),
    sabotage("the lease shorter than the timeout", POSTGRESQL, "too-slow-for-a-short-lease", *SHORT_LEASE),
    sabotage("the Message-ID made anew on retry", SQLITE, "webhook-kept-and-reset", *NEW_MESSAGE_ID),
    sabotage("the text made anew on retry", SQLITE, "smtp-dropped-after-the-dot-and-kept", *NEW_TEXT),
    sabotage("redirects followed", SQLITE, "webhook-redirects-to-loopback", *REDIRECTS),
    sabotage("the lock clause removed", POSTGRESQL, "claimed-by-two", *NO_LOCK),
    sabotage("BEGIN IMMEDIATE removed", SQLITE, "players-in-several-processes", *NO_IMMEDIATE),
    sabotage("no look again before sending", POSTGRESQL, "answered-between-two-attempts", *NO_SECOND_LOOK),
    sabotage("the attempt written after the send", SQLITE, "killed-after-acceptance", *ATTEMPT_AFTERWARDS),
    sabotage("silence after the dot taken for acceptance", SQLITE, "smtp-dropped-after-the-dot-and-lost", *AMBIGUOUS_IS_SENT),
    sabotage("an expired lease is not claimed again", SQLITE, "killed-after-the-claim", *LEASE_FOR_EVER),
)  # fmt: skip
