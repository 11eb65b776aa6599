"""One table: what happens there, and what the person does about it."""

SHOWN_FIRST = 5  # events, on coming to it


def asked(game):
    """The name of the player whom the game waits for, if it waits."""
    seats = {player["seat"]: player["name"] for player in game["players"]}
    return seats[game["waiting_for"]["seat"]] if game["waiting_for"] else None


class Table:
    """One game. Everything is told once: events and words go by their numbers, the standing by the game's version."""

    def __init__(self, terminal, game):
        self.terminal, self.server, self.say = terminal, terminal.server, terminal.say
        self.id, self.path = game, f"/games/{game}"
        self.event = self.message = self.decision = 0
        self.version, self.moves = None, {}

    @property
    def commands(self):
        return {"table": self.draw, "moves": self.list_moves, "say": self.talk}

    def arrive(self):
        game = self.server.get(self.path)
        self.say("at table", players=", ".join(f"{player['seat']} {player['name']}" for player in game["players"]))
        self.tell_events(SHOWN_FIRST)
        self.look()

    def look(self):
        """What is new; and what I am asked."""
        game = self.server.get(self.path)
        self.tell_events()
        if self.terminal.me in [player["name"] for player in game["players"]]:
            self.tell_words()
        if game["version"] != self.version:
            self.version = game["version"]
            self.tell_standing(game)

    def tell_events(self, last=1000):
        events = self.server.items(f"{self.path}/events", self.event)
        for event in events[-last:]:
            print(f"   {event['text']}")
        self.event = events[-1]["number"] if events else self.event

    def tell_words(self):
        for message in self.server.items(f"{self.path}/messages", self.message):
            print(f"   {message['name']}: {message['text']}")
            self.message = message["number"]

    def tell_standing(self, game):
        name, self.moves = asked(game), {}
        if game["status"] == "open":
            self.say("waiting for players", id=self.id, free=game["free_seats"])
        elif name == self.terminal.me:
            self.draw()
            self.list_moves()
        elif name:
            self.say("turn of", name=name)
        elif game["result"]:
            self.draw()
            self.say("over", result=", ".join(f"{seat}: {points}" for seat, points in game["result"]["scores"].items()))
        else:
            self.say("cancelled")

    def draw(self, rest=""):
        print(f"\n{self.server.text(f'{self.path}/view.txt')}")

    def list_moves(self, rest=""):
        legal = self.server.get(f"{self.path}/legal-moves")
        self.decision, self.moves = (
            legal["decision"],
            {str(move["number"]): move["notation"] for move in legal["items"]},
        )
        width = max(map(len, self.moves.values()))
        for move in legal["items"]:
            print(f"{move['number']:>4}  {move['notation']:<{width}}  {move['text']}")

    def talk(self, rest):
        self.server.post(f"{self.path}/messages", {"text": rest})
        self.tell_words()

    def play(self, line):
        """One move or several, each by its number in the list or in notation."""
        if not self.moves:
            self.say("not now")
            return
        moves = [self.moves.get(part.strip(), part.strip()) for part in line.split(";") if part.strip()]
        what = {"move": moves[0]} if len(moves) == 1 else {"moves": moves}
        answer = self.server.post(f"{self.path}/moves", {"decision": self.decision, **what})
        if answer["not_played"]:
            self.say("stopped", moves="; ".join(answer["not_played"]), why=answer["stopped"]["detail"])
        self.look()
