"""Who takes part: bots that answer what they are asked, and a spectator who looks on."""

import random
import threading
from abc import ABC, abstractmethod
from datetime import UTC, datetime

from launch.demo.client import Client, Json, Refused

PACE = 0.1  # seconds between two looks; a turn that is answered at once leaves nothing to deliver


class Member(threading.Thread, ABC):
    """Looks again and again until the game is over or fails; what stopped it is kept."""

    def __init__(self, name: str, client: Client, over: threading.Event) -> None:
        super().__init__(name=name, daemon=True)
        self.client, self.over = client, over
        self.failure: Exception | None = None

    def run(self) -> None:
        try:
            while not self.over.is_set():
                self.look()
                self.over.wait(PACE)
            self.look()
        except Exception as failure:  # a thread has nobody to raise to
            self.failure = failure
            self.over.set()

    @abstractmethod
    def look(self) -> None:
        """One look, and what follows from it."""


class Bot(Member):
    """Plays any legal move. It remembers nothing: what it owes, it asks."""

    def __init__(self, name: str, client: Client, over: threading.Event, seed: str) -> None:
        super().__init__(name, client, over)
        self._random = random.Random(f"{seed} {name}")
        self.answered: dict[tuple[str, int], datetime] = {}

    def look(self) -> None:
        for owed in self.client.get("/v1/me/decisions")["items"]:
            self._answer(owed["game"], owed["decision"])

    def _answer(self, game: str, decision: int) -> None:
        try:
            moves = self.client.get(f"/v1/games/{game}/legal-moves")["items"]
            self.client.post(
                f"/v1/games/{game}/moves", {"decision": decision, "move": self._random.choice(moves)["notation"]}
            )
        except Refused as refused:
            if refused.status != 409:
                raise
        else:
            self.answered[game, decision] = datetime.now(UTC)


class Spectator(Member):
    """Sees what anyone may see, and notices the end."""

    def __init__(self, name: str, client: Client, over: threading.Event, game: str) -> None:
        super().__init__(name, client, over)
        self._game = f"/v1/games/{game}"
        self._after = 0
        self.events: list[Json] = []
        self.view: Json = {}
        self.hands_seen = 0

    def look(self) -> None:
        self._read_events()
        self.view = self.client.get(f"{self._game}/view")
        self.hands_seen += sum(seat["hand"] is not None for seat in self.view["seats"])
        if self.view["phase"] == "over":
            self.over.set()

    def _read_events(self) -> None:
        more = True
        while more:
            page = self.client.get(f"{self._game}/events", after=self._after, limit=500)
            self.events += page["items"]
            self._after, more = page["next_after"], page["more"]
