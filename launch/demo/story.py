"""What the demo does, in order."""

import signal
import threading
import time
from collections.abc import Callable
from types import FrameType

from launch.console import Console
from launch.demo import stage, tally
from launch.demo.client import Client
from launch.demo.mailbox import Mailbox, identity
from launch.demo.players import Bot, Spectator
from launch.demo.receiver import Receiver
from launch.trouble import Trouble
from server import database

GAME_WITHIN = 240.0  # seconds
DELIVERIES_WITHIN = 60.0
SHOWN_EVERY = 2.0
WEBHOOK_TYPES = ["turn.opened", "game.started", "game.over"]


def play(console: Console, seed: str) -> int:
    """The exit code."""
    interrupted = threading.Event()

    def interrupt(number: int, frame: FrameType | None) -> None:
        interrupted.set()
        raise KeyboardInterrupt

    def say(text: str) -> None:
        """An interrupt that came while Python was tidying up is lost there: then it is heard here."""
        if interrupted.is_set():
            raise KeyboardInterrupt
        console.say(text)

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, interrupt)
    receiver = Receiver()
    with receiver.running(), stage.server(console.say) as server:
        return Demo(say, seed, server, receiver).play()


class Demo:
    """One game with all who take part."""

    def __init__(self, say: Callable[[str], None], seed: str, server: stage.Server, receiver: Receiver) -> None:
        self._say, self._seed, self._server, self._receiver = say, seed, server, receiver
        self._mailbox = Mailbox(server.home / "mail")
        self._over = threading.Event()
        self._bots: list[Bot] = []

    def play(self) -> int:
        ann, bob, eve = (self._account(name) for name in ("Ann", "Bob", "Eve"))
        self._register_webhook("/ann", ann)
        self._register_webhook("/bob", bob)
        game = self._open_game(ann, bob)
        self._say(f"Ann and Bob play {self._server.url}/v1/games/{game}, Eve looks on")
        self._bots = [self._bot("Ann", ann), self._bot("Bob", bob)]
        spectator = Spectator("Eve", eve, self._over, game)
        self._watch(spectator)
        return self._judge(spectator)

    def _account(self, name: str) -> Client:
        """As a newcomer does it: ask for a code, read it in the mail, send it back."""
        address, anonymous = f"{name.lower()}@example.org", Client(self._server.url)
        asked = anonymous.post("/v1/accounts", {"email": address, "language": "en"})
        proof = {"verification": asked["verification"], "code": self._mailbox.code_for(address), "name": name}
        account = anonymous.post("/v1/accounts/verification", proof)
        self._say(f"{name} has an account; the code came by mail")
        return Client(self._server.url, account["token"])

    def _register_webhook(self, path: str, client: Client) -> None:
        webhook = client.post("/v1/webhooks", {"url": self._receiver.url + path, "types": WEBHOOK_TYPES})
        self._receiver.expect(path, webhook["secret"])

    def _open_game(self, host: Client, guest: Client) -> str:
        """It starts by itself when the last seat is taken."""
        game: str = host.post("/v1/games", {"seats": 2, "spectators": "public"})["id"]
        guest.post(f"/v1/games/{game}/seats", {})
        return game

    def _bot(self, name: str, account: Client) -> Bot:
        return Bot(name, self._server.url, account.token, self._over, self._seed)

    def _watch(self, spectator: Spectator) -> None:
        """Until the game is over, with a line now and then."""
        members = [*self._bots, spectator]
        for member in members:
            member.start()
        deadline = time.monotonic() + GAME_WITHIN
        while not self._over.wait(SHOWN_EVERY):
            self._show(spectator)
            if time.monotonic() > deadline:
                raise Trouble(f"the game did not end within {GAME_WITHIN:g} seconds")
        for member in members:
            member.join(timeout=30)
            if member.failure is not None:
                raise Trouble(f"{member.name} failed: {member.failure}") from member.failure

    def _show(self, spectator: Spectator) -> None:
        turn, moves = spectator.view.get("turn", 1), sum(len(bot.answered) for bot in self._bots)
        emails, webhooks = len(self._mailbox.messages()), len(self._receiver.webhooks)
        self._say(f"turn {turn}: {moves} moves, {emails} e-mails, {webhooks} webhooks")

    def _judge(self, spectator: Spectator) -> int:
        """Counts when the outbox is empty; tells everything that is not as it should be, and the one line."""
        winners, events, hands = spectator.view["winners"], len(spectator.events), spectator.hands_seen
        self._say(f"over: {' and '.join(winners)} won; Eve saw {events} events and {hands} hands")
        result = self._count()
        if hands:
            result.wrong.append(f"the spectator saw {hands} hands")
        if self._receiver.unsigned:
            result.wrong.append(f"{self._receiver.unsigned} webhooks were not signed as they must be")
        for what in result.complaints():
            self._say(what)
        self._say(result.line())
        return 0 if result.is_clean() else 1

    def _count(self) -> tally.Tally:
        database.connect(self._server.database)
        self._wait_for_deliveries()
        answered = {decision: when for bot in self._bots for decision, when in bot.answered.items()}
        emails = [identity(message) for message in self._mailbox.messages()]
        webhooks = [webhook.id for webhook in self._receiver.webhooks]
        with database.reading() as session:
            result = tally.count(session, answered, emails, webhooks)
        database.disconnect()
        return result

    def _wait_for_deliveries(self) -> None:
        deadline = time.monotonic() + DELIVERIES_WITHIN
        while time.monotonic() < deadline:
            with database.reading() as session:
                if not tally.unsettled(session):
                    return
            time.sleep(0.2)
