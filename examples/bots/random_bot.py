"""A bot that plays at random: `BOT_TOKEN=gp_… python random_bot.py`. Python alone is all that it needs.

It remembers nothing: however it ended, started again it asks what it owes. What is sent twice counts once."""

import http.client
import json
import os
import random
import sys
import time
import urllib.error
import urllib.request


class Bot:
    wait = 25  # seconds that the server may hold a request until there is something to do
    pauses = (0.5, 1, 2, 4, 8)  # seconds, before the same is sent again

    def __init__(self, url, token):
        self.url = url.rstrip("/")
        self.headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def play(self):
        cursor = None
        while True:
            owed = self.ask("GET", f"/v1/me/decisions?wait={self.wait}" + (f"&after={cursor}" if cursor else ""))
            if owed:
                answered = [self.answer(one["game"], one["decision"]) for one in owed["items"]]
                cursor = owed["next_after"] if all(answered) else None  # without one, what stayed open comes again

    def answer(self, game, decision):
        """Whether that is settled."""
        legal = self.ask("GET", f"/v1/games/{game}/legal-moves")
        if not legal:
            return legal is not None
        move = {"decision": decision, "move": self.choose(game, legal["items"])["notation"]}
        return self.ask("POST", f"/v1/games/{game}/moves", move) is not None

    def choose(self, game, moves):
        return random.choice(moves)

    def ask(self, method, path, body=None):
        """The answer; {} when there is none (204) or nobody wants what was sent any more (409); None in vain."""
        content = json.dumps(body).encode() if body else None
        request = urllib.request.Request(self.url + path, content, self.headers, method=method)
        for pause in self.pauses:
            try:
                with urllib.request.urlopen(request, timeout=self.wait + 15) as answer:
                    return {} if answer.status == 204 else json.load(answer)
            except urllib.error.HTTPError as refused:
                if refused.code == 409:
                    return {}
                if refused.code in (401, 403):
                    sys.exit(refused.read().decode())
                why, later = refused, refused.headers.get("Retry-After", "")
                pause = int(later) if later.isdigit() else pause
            except (OSError, http.client.HTTPException, ValueError) as trouble:  # nobody there, or half an answer
                why = trouble
            print(f"{method} {path}: {why}; again in {pause:g} s", file=sys.stderr, flush=True)
            time.sleep(pause)


def main(bot=Bot):
    url = os.environ.get("GALAPOST_URL", "http://127.0.0.1:8000")
    print(f"playing at {url}; Ctrl-C ends it", flush=True)
    try:
        bot(url, os.environ["BOT_TOKEN"]).play()
    except KeyboardInterrupt:
        print("ended; started again it goes on")


if __name__ == "__main__":
    main()
