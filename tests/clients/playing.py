"""Runs a program that plays a game with a generated client, and reads its people's mail meanwhile."""

from __future__ import annotations

import itertools
import json
import re
import subprocess
from collections.abc import Mapping
from typing import Any

from tests.clients.servers import NEW_KEY, NEW_WORD, Server

PATIENCE = 50  # seconds

numbers = itertools.count(1)


def played(server: Server, *command: str, environment: Mapping[str, str] | None = None) -> dict[str, Any]:
    """What the program tells of its game."""
    number = next(numbers)
    people = [f"{name}{command[0].rpartition('/')[2][0]}{number}" for name in ("Ann", "Bob")]
    with subprocess.Popen(
        [*command, server.url, *people], text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
    ) as program:
        assert program.stdin is not None and program.stdout is not None
        told = "nothing"
        for told in program.stdout:
            if asked := re.match(r"code for (\S+)\?", told):
                program.stdin.write(server.code_sent_to(asked[1]) + "\n")
                program.stdin.flush()
    assert program.wait(PATIENCE) == 0, told
    game: dict[str, Any] = json.loads(told)
    return game


def check(game: dict[str, Any], later: bool) -> None:
    """A whole game; of a later version its player met what this one has not heard of, and did not mind."""
    print(game)
    assert game["moves"] > 20 and game["turns"] > 3 and game["winners"]
    assert game["problem"] == "token-unknown"
    assert {"A", "B"} <= set(game["scores"])
    assert game["status"] == (NEW_WORD if later else "over")
    assert game["further"] == ([NEW_KEY] if later else [])
