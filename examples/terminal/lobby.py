"""Where games are made and found; and the reading of what the person types."""

import threading

from client import Refused
from table import Table, asked
from words import WORDS

PROMPT = "> "


class Quit(Exception):
    """The person leaves."""


class Terminal:
    """The lobby, and the table that the person sits at. `lock`: what he types and what happens take turns on the screen."""

    def __init__(self, server, me):
        self.server, self.me, self.lock = server, me, threading.RLock()
        self.listed, self.table = [], None

    def obey(self, line):
        """What the person has typed. A refusal is told; but nothing goes on without a token."""
        word, _, rest = line.strip().partition(" ")
        commands = self.table.commands if self.table else self.commands
        try:
            if word in commands:
                commands[word](rest.strip())
            elif word in self.anywhere:
                self.anywhere[word](rest.strip())
            elif word and self.table:
                self.table.play(line)
            elif word:
                self.say("what")
        except Refused as refused:
            if refused.status == 401:
                raise
            print(refused)

    @property
    def anywhere(self):
        return {"help": self.help, "?": self.help, "lobby": self.lobby, "quit": self.quit, "exit": self.quit}

    @property
    def commands(self):
        return {"games": self.lobby, "new": self.new, "join": self.join, "open": self.open}

    def say(self, word, **facts):
        print(WORDS[self.server.language][word].format(**facts))

    def help(self, rest=""):
        self.say("help table" if self.table else "help lobby")

    def quit(self, rest):
        raise Quit

    def lobby(self, rest=""):
        self.table, games = None, self.games()
        self.listed = list(games)
        for number, game in enumerate(games.values(), start=1):
            names = ", ".join(player["name"] for player in game["players"])
            print(f"{number:>4}  {game['id']}  {names}: {self.standing(game)}")
        if not games:
            self.say("no games")

    def games(self):
        """By id: those that I play, then those that have a seat to be taken."""
        queries = ({"mine": "true", "status": "running"}, {"mine": "true", "status": "open"}, {"open": "true"})
        found = (game for query in queries for game in self.server.get("/games", limit=20, **query)["items"])
        return {game["id"]: game for game in found}

    def standing(self, game):
        name, words = asked(game), WORDS[self.server.language]
        if name is None:
            return words["free"].format(free=game["free_seats"])
        return words["your turn"] if name == self.me else words["turn of"].format(name=name)

    def meant(self, word):
        """The id of the game with that number in the list, or with that id."""
        number = int(word) if word.isdecimal() else 0
        return self.listed[number - 1] if 1 <= number <= len(self.listed) else word or "-"

    def new(self, rest):
        seats = int(rest) if rest.isdecimal() else 2
        self.open(self.server.post("/games", {"seats": seats, "spectators": "public"})["id"])

    def join(self, rest):
        self.open(self.server.post(f"/games/{self.meant(rest)}/seats")["id"])

    def open(self, rest):
        table = Table(self, self.meant(rest))
        table.arrive()
        self.table = table

    def news(self, games):
        """Something happened in these."""
        if self.table and self.table.id in games:
            print("\r", end="")
            try:
                self.table.look()
            except Refused as refused:
                print(refused)
            print(PROMPT, end="", flush=True)
