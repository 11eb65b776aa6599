"""Boris and his wishes: a game of his with Anna, and what becomes of the notices to him."""

from datetime import time
from typing import Any

from server import clock
from server.config import Settings
from server.database import transaction
from server.models import Account, Event, Game, Message
from server.services import dispatching, notifying, preferences
from server.services.accounts import Caller
from server.services.dispatching import Parcel
from server.services.settling import Outcome
from tests.workers import rows

SENT = Outcome("sent", 250, "ok", 3)


def sent(settings: Settings, outcome: Outcome = SENT) -> list[str]:
    taken: list[Parcel] = []
    dispatching.run(lambda parcel: taken.append(parcel) or outcome, settings)
    return [parcel.body for parcel in taken if parcel.channel == "email"]


def a_game() -> str:
    """Of Anna and Boris, who alone has an address."""
    with transaction() as session:
        anna, boris = rows.account(session, "anna", None), rows.account(session, "boris")
        return rows.game(session, anna, boris).id


def turn(game: str, seat: str = "B") -> None:
    with transaction() as session:
        rows.ask(session, session.get_one(Game, game), seat)


def boris() -> Caller:
    with transaction() as session:
        return Caller(session.query(Account).filter_by(name="boris").one().id, frozenset({"account"}))


def lives_in(zone: str) -> None:
    with transaction() as session:
        session.query(Account).filter_by(name="boris").one().time_zone = zone


def wish(**changes: Any) -> None:
    if quiet := changes.pop("quiet", None):
        changes["quiet_hours"] = {end: time.fromisoformat(hour) for end, hour in quiet.items()}
    if "digest_at" in changes:
        changes["digest_at"] = time.fromisoformat(changes["digest_at"])
    preferences.change(boris(), changes, lambda version: None)


def mails(mode: str, kind: str = "your_turn") -> dict[str, Any]:
    return {"kinds": {kind: {"email": mode}}}


def fates() -> list[tuple[str, str | None]]:
    return [(row.state, row.reason) for row in rows.deliveries()]


def talk(game: str, number: int, author: str = "anna") -> None:
    with transaction() as session:
        writer = session.query(Account).filter_by(name=author).one()
        said = Message(game_id=game, number=number, account_id=writer.id, text="well", created_at=clock.now())
        session.add(said)
        notifying.message(session, session.get_one(Game, game), said, clock.now())


def attack(game: str, number: int, target: str) -> None:
    with transaction() as session:
        facts = {"animal": "A1", "target": target}
        found = session.get_one(Game, game)
        happened = Event(game_id=game, number=number, type="attacked", decision=1, data={"facts": facts})
        notifying.attacks(session, found, [happened], clock.now())
