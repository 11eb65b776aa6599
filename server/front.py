"""gunicorn where it speaks for itself: what it refuses before there is a request for the application, and what it logs.

The master process reads this file too, so nothing else of ours may be imported at the top: it would outlive a reload."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

from gunicorn import util
from gunicorn.glogging import Logger
from gunicorn.workers.gthread import ThreadWorker

TOKENS = re.compile(r"(/v1/(?:invitations|unsubscribe)/)[^/?#\s]+")
QUERY = re.compile(r"\?\S*")


class Worker(ThreadWorker):  # type: ignore[misc]  # gunicorn has no types
    """Refuses in the form of all other refusals; gunicorn would write a page of HTML, and the request into the log."""

    def handle_error(self, req: Any, client: Any, addr: Any, exc: BaseException) -> None:
        from server import refusing

        answer = refusing.answer(exc, self.cfg)
        try:
            util.write_nonblock(client, answer)
        except OSError:
            self.log.debug("Nobody waits for the refusal")


class Log(Logger):  # type: ignore[misc]  # gunicorn has no types
    """An access log, for whoever wants one (`--access-logfile`), holds no token and no query; nor does a debug log."""

    def debug(self, msg: str, *args: Any, **more: Any) -> None:
        super().debug(msg, *(masked(given) if isinstance(given, str) else given for given in args), **more)

    def atoms(self, resp: Any, req: Any, environ: dict[str, Any], request_time: timedelta) -> dict[str, Any]:
        atoms: dict[str, Any] = super().atoms(resp, req, environ, request_time)
        return atoms | {name: masked(str(atoms[name])) for name in ("r", "U", "f")} | {"q": ""}


def masked(text: str) -> str:
    """A path, or a line with a path in it, without what is nobody else's business."""
    return QUERY.sub("", TOKENS.sub(r"\1…", text))
