"""Logs as fields, one JSON object a line, of the web and of the workers. What is private never gets into them."""

from __future__ import annotations

import contextlib
import logging
import sys
import traceback
from typing import Any

import structlog


def configure() -> None:
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            kind_and_place,
            structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        logger_factory=structlog.PrintLoggerFactory(Sink()),  # type: ignore[arg-type]
        cache_logger_on_first_use=True,
    )


class Sink:
    """The standard output, as long as somebody takes it: what was committed is true, whether its line is kept or not."""

    def write(self, text: str) -> None:
        with contextlib.suppress(OSError, ValueError):  # a broken pipe, a full disk; a file that is closed
            sys.stdout.write(text)

    def flush(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            sys.stdout.flush()


def kind_and_place(_: Any, __: str, entry: Any) -> Any:
    """An exception as its kind and the lines it came through, without its words: they may quote a hand or a letter."""
    exc_info = entry.pop("exc_info", None)
    if exc_info is True:
        exc_info = sys.exc_info()
    error = exc_info[1] if isinstance(exc_info, tuple) else exc_info
    told = []
    while isinstance(error, BaseException) and len(told) < 10:
        places = [
            f"{frame.filename}:{frame.lineno} {frame.name}" for frame in traceback.extract_tb(error.__traceback__)
        ]
        told.append({"kind": f"{type(error).__module__}.{type(error).__name__}", "places": places})
        error = error.__cause__ or error.__context__
    return entry | {"exception": told} if told else entry
