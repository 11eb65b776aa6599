"""`python -m launch run`: every process of Galapost in the foreground, until it is told to stop."""

import http.client
import os
import signal
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from types import FrameType
from urllib.parse import urlsplit

from launch import ROOT, broker, procfile
from launch.child import Child
from launch.console import Console
from launch.home import Home
from launch.ports import LOOPBACK, free_port, is_taken
from launch.trouble import Trouble
from server.config import MAIL_IN, Settings, unknown_names

STOP_ORDER = ("mail", "web", "worker", "beat", "broker")
STOP_WITHIN = 30.0  # seconds, all together
TICK = 0.1


class Launcher:
    """Starts the parts in order, tends them, and stops them in order."""

    def __init__(self, environ: Mapping[str, str], console: Console) -> None:
        self._console = console
        self._settings = _settings(environ)
        self._home = Home(self._settings.home)
        self._environ = {**environ, "GALAPOST_HOME": str(self._home.folder), "PATH": _path_with_our_python(environ)}
        self._children: list[Child] = []
        self._signals = 0

    def run(self) -> None:
        """Returns when it was told to stop and everything has stopped."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._on_signal)
        for name in unknown_names(self._environ):
            self._console.say(f"warning: there is no setting {name}; README.md has the list")
        self._home.claim(self._console.say)
        self._check_port()
        try:
            self._start()
            self._tend()
        finally:
            self._stop()

    def _check_port(self) -> None:
        port = self._settings.port
        if is_taken(port):
            raise Trouble(f"port {port} is in use by another program. Stop that, or set GALAPOST_PORT to another port.")

    def _start(self) -> None:
        commands = procfile.read(ROOT / "Procfile")
        self._release(commands.pop("release"))
        if not self._environ.get("GALAPOST_BROKER") and not self._signals:
            self._start_broker()
        self._find_a_port_for_mail()
        for name, command in commands.items():
            if not self._signals:
                self._child(name, command).start()

    def _release(self, command: list[str]) -> None:
        """Migrations: once, to the end, before anything else."""
        release = self._child("release", command)
        release.start()
        while (code := release.wait()) is None and not self._signals:
            time.sleep(TICK)
        if code:
            raise Trouble(f"release failed with exit code {code}; its reasons stand above.")
        if code == 0:
            self._children.remove(release)

    def _start_broker(self) -> None:
        folder = self._home.folder / "broker"
        folder.mkdir(exist_ok=True)
        port = free_port()
        self._environ["GALAPOST_BROKER"] = broker.url(port)
        self._child("broker", broker.command(port, folder)).start()
        while not broker.answers(port) and not self._signals:
            self._tick()

    def _find_a_port_for_mail(self) -> None:
        """The usual one, or one that is free: several servers may run on one machine."""
        if not self._environ.get("GALAPOST_MAIL_IN"):
            usual = urlsplit(MAIL_IN).port or 0
            port = free_port() if is_taken(usual) else usual
            self._environ["GALAPOST_MAIL_IN"] = f"smtp://{LOOPBACK}:{port}"

    def _child(self, name: str, command: list[str]) -> Child:
        child = Child(name, command, self._environ, self._console, self._home.inherited)
        self._children.append(child)
        return child

    def _tend(self) -> None:
        greeted = False
        while not self._signals:
            self._tick()
            if not greeted and is_ready(self._settings.port):
                greeted = True
                self._greet()

    def _tick(self) -> None:
        for child in self._children:
            child.tend()
        time.sleep(TICK)

    def _greet(self) -> None:
        url, say = self._settings.url, self._console.say
        folder = self._home.folder
        server = urlsplit(self._settings.smtp or "").hostname  # never the whole URL: it may hold a password
        say()
        say("Galapost is ready.")
        say(f"  documentation  {url}/v1/docs")
        say(f"  mail goes      {f'to {server}' if server else f'into {folder}/mail/new'}")
        say(f"  mail comes in  {self._environ['GALAPOST_MAIL_IN']}")
        say(f"  data           {folder}")
        say("  to stop        Ctrl-C")
        say()

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        """The first one stops in order, the second at once."""
        self._signals += 1
        if self._signals > 1:
            for child in self._children:
                child.kill()

    def _stop(self) -> None:
        if self._children:
            self._console.say("stopping (Ctrl-C again: at once)")
        deadline = time.monotonic() + STOP_WITHIN
        order = sorted(
            self._children, key=lambda child: STOP_ORDER.index(child.name) if child.name in STOP_ORDER else -1
        )
        for n, child in enumerate(order):
            left = max(0.0, deadline - time.monotonic())
            child.stop(
                left / 2 if n < len(order) - 1 else left
            )  # half, so that a slow one leaves time to those after it
        if self._children:
            self._console.say("stopped")


def _settings(environ: Mapping[str, str]) -> Settings:
    try:
        settings = Settings.from_env(environ)
        settings.check_secret_key()
        settings.check_dkim_key()
        return settings
    except OSError as error:
        raise Trouble(f"GALAPOST_HOME cannot be used: {error}.") from error
    except ValueError as error:
        raise Trouble(f"a setting is wrong: {error}.") from error


def is_ready(port: int) -> bool:
    """Whether /v1/ready answers 200."""
    connection = http.client.HTTPConnection(LOOPBACK, port, timeout=2)
    try:
        connection.request("GET", "/v1/ready")
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def _path_with_our_python(environ: Mapping[str, str]) -> str:
    """`python` in the Procfile is the one that runs the launcher."""
    return os.pathsep.join([str(Path(sys.executable).parent), environ.get("PATH", os.defpath)])
