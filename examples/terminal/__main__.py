"""Galapost in a terminal: `python examples/terminal [http://127.0.0.1:8000]`. Python alone is all that it needs."""

import os
import sys
import threading

from client import WAIT, Keeping, Refused, Server
from lobby import PROMPT, Quit, Terminal
from signing_in import sign_in
from words import WORDS


def watch(server, terminal):
    """For ever, beside the person who types: holds a request until something happens in his games."""
    after = 0
    while True:
        try:
            feed = server.get("/me/events", after=after, wait=WAIT, limit=200)
            if feed:
                after = feed["next_after"]
                with terminal.lock:
                    terminal.news({item["game"] for item in feed["items"]})
        except Refused as refused:
            print(refused)
            return


def play(server, keeping):
    """Until the person leaves, or his token is no longer good."""
    account = sign_in(server, keeping)
    server.language = account["language"] if account["language"] in WORDS else "en"
    terminal = Terminal(server, account["name"])
    terminal.say("welcome", name=account["name"], url=server.url)
    watcher = Server(server.url, server.language, token=server.token)
    threading.Thread(target=watch, args=(watcher, terminal), daemon=True).start()
    terminal.lobby()
    while True:
        line = input(PROMPT)
        with terminal.lock:
            terminal.obey(line)


def main():
    sys.stdout.reconfigure(line_buffering=True)  # so that a program may read along
    url = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("GALAPOST_URL", "http://127.0.0.1:8000")
    spoken = os.environ.get("LC_ALL") or os.environ.get("LC_MESSAGES") or os.environ.get("LANG") or "en"
    language = spoken[:2] if spoken[:2] in WORDS else "en"
    server = Server(url, language, lambda why: print(WORDS[server.language]["no answer"].format(why=why)))
    keeping = Keeping()
    try:
        while True:
            try:
                play(server, keeping)
            except Refused as refused:
                print(refused)
                if refused.status in (401, 403):
                    keeping.keep(server.url, None)
    except (Quit, EOFError, KeyboardInterrupt):
        print()
        print(WORDS[server.language]["bye"])


if __name__ == "__main__":
    main()
