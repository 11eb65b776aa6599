"""schemathesis against a server of its own, on the document that it serves: every check, stateful runs, too.

`positive_data_acceptance` may also answer 400, 410, 412, 415 and 422: that what is well formed can't be done for another reason
(a code is too old, a version has changed, a move is illegal) is no fault. Nothing else is relaxed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

from launch import ROOT
from tests.api.world import World, world
from tests.clients.servers import Server, running_server
from tests.conftest import migrate
from tests.playing import signed_in

THROW_AWAYS = 60  # accounts, for what ends one
ALSO = ["400", "410", "412", "415", "422"]
ACCEPTED = ["2xx", "3xx", "401", "403", "404", "409", "429", "5xx", *ALSO]  # schemathesis' own, and those
SINGLE, SEVERAL = "examples,coverage,fuzzing", "stateful"  # requests
LONGEST_ANSWER = 20  # seconds: nobody waits for anything here
NAMED = ("webhook_id", "delivery_id", "invitation_id", "name", "rule_set", "letter")  # in paths, by those names


def clean(seconds: int, seed: int) -> bool:
    """Whether nothing was found."""
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder, "galapost.db")
        migrate(f"sqlite:///{database}", database.parent)
        found = run(database, seconds, seed)
    print(found.stdout, flush=True)
    return found.returncode == 0


def run(database: Path, seconds: int, seed: int) -> subprocess.CompletedProcess[str]:
    """Against a server with this database, of SQLite and empty, and on what there is in a small world.

    A third of the time is for what takes several requests, which would come last, and too short.
    """
    home = database.parent
    with world(database) as made:
        known = _known(made)
    (home / "known.json").write_text(json.dumps(known), "utf-8")
    with running_server(home, database) as server:
        single = _schemathesis(home, server, known, SINGLE, seconds * 2 // 3, seed)
        several = _schemathesis(home, server, known, SEVERAL, seconds // 3, seed)
        assert _is_still_good(server, known["token"]), "without its token it tested nothing but that it may not"
    code = single.returncode or several.returncode
    return subprocess.CompletedProcess(several.args, code, f"{single.stdout}\n{several.stdout}")


def _is_still_good(server: Server, token: str) -> bool:
    asked = Request(f"{server.url}/v1/me", headers={"Authorization": f"Bearer {token}"})
    with urlopen(asked, timeout=LONGEST_ANSWER) as answer:
        return bool(answer.status == 200)


def _known(made: World) -> dict[str, Any]:
    """What the requests are made of: whose they are, and what they may name."""
    host = made.people["host"]
    bot = host.made("/bots", {"name": "Darwinist"})["id"]
    tokens = [host.made(f"/bots/{bot}/tokens", {"name": "t", "scopes": ["games:play"]})["id"] for _ in range(5)]
    return {
        "token": host.token,
        "token_id": next(token["id"] for token in host.seen("/me/tokens?limit=200")["items"] if token["current"]),
        "throw_aways": [signed_in(made.app, f"Gone{number}").token for number in range(THROW_AWAYS)],
        "things": {
            **{name: [made.things[name]] for name in NAMED},
            "game_id": list(made.games.values()),
            "bot_id": [bot, made.things["bot_id"]],
            "token_id": [made.things["token_id"], *tokens],
            "token": [made.things["token"], made.things["subscription"]],
        },
    }


def _schemathesis(
    home: Path, server: Server, known: dict[str, Any], phases: str, seconds: int, seed: int
) -> subprocess.CompletedProcess[str]:
    settings = home / "schemathesis.toml"
    settings.write_text(_settings(known, seconds, seed), "utf-8")
    command = [sys.executable, "-m", "schemathesis.cli", "--config-file", str(settings), "run"]
    return subprocess.run(
        [*command, f"{server.url}/v1/openapi.json", "--no-color", "--phases", phases],
        cwd=home,  # it keeps what it has found there
        env={**os.environ, "PYTHONPATH": str(ROOT), "SCHEMATHESIS_HOOKS": "tests.fuzz.hooks", "FUZZ_HOME": str(home)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=seconds + 300,
    )


def _settings(known: dict[str, Any], seconds: int, seed: int) -> str:
    """In TOML, whose strings and lists are those of JSON."""
    named = known["things"].items()
    dictionaries = [f"[dictionaries.{name}]\nvalues = {json.dumps(values)}" for name, values in named]
    parameters = [f'[parameters.{name}]\ndictionary = "{name}"\nprobability = 0.6' for name, _ in named]
    return "\n".join(
        [
            f"seed = {seed}",
            f"max-time = {seconds}",
            f"request-timeout = {LONGEST_ANSWER}",
            "continue-on-failure = true",
            f'[generation]\nmax-examples = {max(1, seconds // 20)}\ndatabase = "none"',
            f"[checks.positive_data_acceptance]\nexpected-statuses = {json.dumps(ACCEPTED)}",
            f"[auth.openapi.token]\nbearer = {json.dumps(known['token'])}",
            *dictionaries,
            *parameters,
        ]
    )
