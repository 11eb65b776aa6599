"""`make run` from the person's side: real processes, started, refused, killed and interrupted."""

import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from launch import ROOT
from launch.demo.client import Client
from launch.demo.mailbox import Mailbox
from tests.launch.houses import House, eventually

NewHouse = Callable[..., House]


def sign_up(house: House) -> Client:
    url = f"http://127.0.0.1:{house.port}"
    verification = Client(url).post("/v1/accounts", {"email": "ann@example.org", "language": "en"})["verification"]
    code = Mailbox(house.home / "mail").code_for("ann@example.org")
    return Client(
        url,
        Client(url).post("/v1/accounts/verification", {"verification": verification, "code": code, "name": "Ann"})[
            "token"
        ],
    )


def test_a_start_becomes_ready_and_says_where_things_are(new_house: NewHouse) -> None:
    house = new_house().become_ready()
    assert house.get("/v1/docs/") == house.get("/v1/ready") == 200
    assert f"http://127.0.0.1:{house.port}/v1/docs" in house.said() and f"{house.home}/mail" in house.said()
    assert "\x1b" not in house.said()  # colours are for terminals


def test_what_lies_in_the_home_is_for_its_owner_alone(new_house: NewHouse) -> None:
    house = new_house().become_ready()
    files = [house.home, *house.home.rglob("*.db*"), *house.home.rglob("secret.key")]
    assert len(files) >= 3
    assert not [file for file in files if file.stat().st_mode & 0o077]


def test_ctrl_c_ends_every_process(new_house: NewHouse) -> None:
    house = new_house().become_ready()
    assert len(house.processes()) >= 5  # launcher, broker, web, worker, beat, and what these start
    assert house.interrupt() == 0
    assert house.is_empty()
    assert "stopped" in house.said()


def test_a_second_ctrl_c_ends_everything_at_once(new_house: NewHouse) -> None:
    house = new_house().become_ready()
    for process in house.processes():
        if process.pid != house.process.pid:
            process.suspend()  # so that none of them can end when it is asked
    house.process.send_signal(signal.SIGINT)
    assert eventually(lambda: "at once" in house.said(), 10) and house.process.poll() is None
    begun = time.monotonic()
    assert house.interrupt() == 0
    assert time.monotonic() - begun < 5 and house.is_empty()


def test_a_second_start_on_the_same_home_is_refused_and_names_the_first(new_house: NewHouse) -> None:
    first, second = new_house().become_ready(), new_house()
    second.start()
    assert second.process.wait(20) == 1
    assert f"process {first.process.pid}" in second.said()
    assert first.get("/v1/ready") == 200


def test_a_game_survives_the_killing_of_the_launcher(new_house: NewHouse) -> None:
    house = new_house().become_ready()
    player = sign_up(house)
    game = player.post("/v1/games", {"seats": 2})
    house.process.send_signal(signal.SIGKILL)
    house.process.wait()
    house.become_ready()  # at once, while the children of the killed one are still ending
    assert player.get(f"/v1/games/{game['id']}")["id"] == game["id"]
    assert house.interrupt() == 0 and house.is_empty()


def test_children_end_when_the_launcher_is_killed(new_house: NewHouse) -> None:
    house = new_house().become_ready()
    house.process.send_signal(signal.SIGKILL)
    house.process.wait()
    assert eventually(house.is_empty, 30), house.processes()


def test_a_process_that_dies_is_started_again(new_house: NewHouse) -> None:
    house = new_house().become_ready()
    (beat,) = (one for one in house.processes() if "beat" in one.cmdline())
    beat.kill()
    assert eventually(lambda: any("beat" in one.cmdline() for one in house.processes() if one.pid != beat.pid))
    assert "beat ended with exit code -9" in house.said() and house.get("/v1/ready") == 200


def test_a_port_in_use_is_said_at_once_and_nothing_is_started(new_house: NewHouse) -> None:
    house = new_house()
    with closing(socket.create_server(("127.0.0.1", house.port))):
        house.start()
        assert house.process.wait(20) == 1
    assert f"port {house.port} is in use" in house.said() and "Traceback" not in house.said()
    assert not (house.home / "galapost.db").exists()


def test_a_home_that_cannot_be_written_is_said_plainly(new_house: NewHouse, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    house = new_house(tmp_path / "file" / "home")
    house.log = tmp_path / "log"
    house.start()
    assert house.process.wait(20) == 1
    assert "GALAPOST_HOME" in house.said() and "Traceback" not in house.said()


@pytest.mark.parametrize(
    ("name", "value"), [("GALAPOST_SMTP", "foo"), ("GALAPOST_SECRET_KEY", "short"), ("GALAPOST_PORT", "70000")]
)
def test_a_wrong_setting_is_said_in_one_line_and_nothing_is_started(name: str, value: str, new_house: NewHouse) -> None:
    house = new_house(**{name: value})
    house.start()
    assert house.process.wait(20) == 1
    assert house.said().startswith(f"a setting is wrong: {name}: expected ") and house.said().count("\n") == 1


def test_a_misspelt_setting_is_warned_of(new_house: NewHouse) -> None:
    house = new_house(GALAPOST_SMPT="smtp://localhost").become_ready()
    assert "warning: there is no setting GALAPOST_SMPT" in house.said()


def test_a_broker_of_the_persons_own_is_used_and_none_started(new_house: NewHouse, broker_url: str) -> None:
    house = new_house(GALAPOST_BROKER=broker_url).become_ready()
    assert not any("valkey" in one.name() for one in house.processes())
    assert house.interrupt() == 0


def test_a_database_that_cannot_be_migrated_ends_the_start(new_house: NewHouse) -> None:
    house = new_house()
    house.home.mkdir()
    with closing(sqlite3.connect(house.home / "galapost.db")) as connection:
        connection.execute("CREATE TABLE alembic_version (version_num TEXT)")
        connection.execute("INSERT INTO alembic_version VALUES ('of another program')")
        connection.commit()
    house.start()
    assert house.process.wait(60) == 1
    assert "release failed" in house.said() and house.is_empty()


@pytest.mark.parametrize("words", [["--help"], ["run", "--help"]])
def test_the_command_line_explains_itself(words: list[str]) -> None:
    answer = subprocess.run(
        [sys.executable, "-m", "launch", *words], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True
    )
    assert "run" in answer.stdout and "demo" in answer.stdout
