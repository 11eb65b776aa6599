"""Who takes part: bots that answer what they are asked, and a spectator who looks on."""

import random
import threading
from abc import ABC, abstractmethod
from contextlib import suppress
from datetime import UTC, datetime

from examples.bots import random_bot
from launch.demo.client import Client, Json

PACE = 0.1  # seconds between two looks, or for a thought; a turn that is answered at once leaves nothing to deliver


class Member(threading.Thread, ABC):
    """Takes part until the game is over or he fails; what stopped him is kept."""

    def __init__(self, name: str, over: threading.Event) -> None:
        super().__init__(name=name, daemon=True)
        self.over = over
        self.failure: BaseException | None = None

    def run(self) -> None:
        try:
            self.take_part()
        except (Exception, SystemExit) as failure:  # a thread has nobody to raise to
            self.failure = failure
            self.over.set()

    @abstractmethod
    def take_part(self) -> None:
        """Returns when the game is over."""


class _Over(Exception):
    """Nothing is asked any more."""


class Bot(Member, random_bot.Bot):
    """The bot of examples/, thinking for a moment. `answered`: when it had the server's word that its answer counts."""

    wait = 1  # seconds: it has to notice the end

    def __init__(self, name: str, url: str, token: str | None, over: threading.Event, seed: str) -> None:
        Member.__init__(self, name, over)
        random_bot.Bot.__init__(self, url, token)
        self._random = random.Random(f"{seed} {name}")
        self.answered: dict[tuple[str, int], datetime] = {}

    def take_part(self) -> None:
        with suppress(_Over):
            self.play()

    def choose(self, game: str, moves: list[Json]) -> Json:
        self.over.wait(PACE)
        return self._random.choice(moves)

    def ask(self, method: str, path: str, body: Json | None = None) -> Json | None:
        if self.over.is_set():
            raise _Over
        answer: Json | None = super().ask(method, path, body)
        if body and answer:
            self.answered[path.split("/")[3], body["decision"]] = datetime.now(UTC)
        return answer


class Spectator(Member):
    """Sees what anyone may see, and notices the end."""

    def __init__(self, name: str, client: Client, over: threading.Event, game: str) -> None:
        super().__init__(name, over)
        self.client = client
        self._game = f"/v1/games/{game}"
        self._after = 0
        self.events: list[Json] = []
        self.view: Json = {}
        self.hands_seen = 0

    def take_part(self) -> None:
        while not self.over.is_set():
            self._look()
            self.over.wait(PACE)

    def _look(self) -> None:
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
