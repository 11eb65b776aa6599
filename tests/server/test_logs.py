"""Logs carry ids: no bodies, no tokens, no codes, no addresses."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

import pytest

from server import create_app, database, kicking, logs, sealing
from server.config import Settings
from tests.playing import Person, running_game, signed_in, whose_turn


def test_a_game_leaves_no_secret_in_the_log(
    sqlite_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GALAPOST_HOME", str(tmp_path))
    monkeypatch.setattr(kicking, "kick", lambda *task: None)
    sealing._key.cache_clear()
    app = create_app(Settings.from_env({"GALAPOST_HOME": str(tmp_path), "GALAPOST_DATABASE": sqlite_url}))
    ann, bob = signed_in(app, "Ann", "ann@secret.example"), signed_in(app, "Bob")
    game = running_game(ann, bob)
    player, number = whose_turn(game, ann, bob)
    move = player.legal(game)[0]
    player.made(f"/games/{game}/moves", {"decision": number, "move": move})
    Person(app, "gp_wrongtoken").get("/me")
    for path in ("/invitations/inv_secret", "/unsubscribe/uns_secret", "/games/gp_pasted", "/games?cursor=in_a_query"):
        Person(app).get(path)
    database.disconnect()
    sealing._key.cache_clear()

    out, err = capfd.readouterr()
    lines = [json.loads(line) for line in (out + err).splitlines() if line.startswith("{")]
    asked = [(line["method"], line["rule"], line["status"]) for line in lines if line["event"] == "request"]
    assert ("POST", "/v1/games/<string:game_id>/moves", 201) in asked and ("GET", "/v1/me", 401) in asked
    in_paths = ("inv_secret", "uns_secret", "gp_pasted", "in_a_query")
    for secret in (str(ann.token), str(bob.token), "secret.example", "gp_wrongtoken", move, "Ann", *in_paths):
        assert secret not in out + err


def test_what_was_done_is_answered_so_when_nobody_reads_the_log(
    sqlite_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GALAPOST_HOME", str(tmp_path))
    monkeypatch.setattr(kicking, "kick", lambda *task: None)
    sealing._key.cache_clear()
    app = create_app(Settings.from_env({"GALAPOST_HOME": str(tmp_path), "GALAPOST_DATABASE": sqlite_url}))
    with broken_pipe() as pipe:
        monkeypatch.setattr(sys, "stdout", pipe)
        ann = signed_in(app, "Ann")  # each call of hers has to be answered with 201 or 202
        game = running_game(ann, signed_in(app, "Bob"))
        assert ann.seen(f"/games/{game}")["status"] == "running"
        with pytest.raises(BrokenPipeError):
            print("heard by nobody", file=pipe, flush=True)
        monkeypatch.undo()
    database.disconnect()
    sealing._key.cache_clear()


@contextlib.contextmanager
def broken_pipe() -> Iterator[TextIO]:
    """The writing end of a pipe whose reader is gone."""
    reader, writer = os.pipe()
    os.close(reader)
    pipe = os.fdopen(writer, "w")
    yield pipe
    with contextlib.suppress(BrokenPipeError):
        pipe.close()


def test_an_exception_is_logged_by_kind_and_place_without_its_words() -> None:
    try:
        try:
            int("a hand: running")
        except ValueError as fault:
            raise RuntimeError("a letter: your hand is running") from fault
    except RuntimeError as error:
        entry = logs.kind_and_place(None, "error", {"event": "failed", "exc_info": error})
    assert "running" not in json.dumps(entry)
    assert [told["kind"] for told in entry["exception"]] == ["builtins.RuntimeError", "builtins.ValueError"]
    assert all("test_logs.py" in told["places"][0] for told in entry["exception"])
