"""`python -m workers.mail_pipe [RECIPIENT]`: takes in one message from standard input, for mail servers that pipe. The exit code
is that of sysexits.h, so the server knows whether to return the message to its sender or to try again."""

from __future__ import annotations

import os
import sys

import structlog
from sqlalchemy.exc import SQLAlchemyError

from server import database, links, logs
from server.config import Settings
from server.services.inbound import receiving

log = structlog.get_logger(__name__)

USAGE, TOO_LARGE, NO_SUCH_ADDRESS, TRY_AGAIN, MISCONFIGURED = 64, 65, 67, 75, 78


def main(arguments: list[str]) -> int:
    logs.configure()
    if len(arguments) > 1:
        print("python -m workers.mail_pipe [RECIPIENT] < MESSAGE", file=sys.stderr)
        return USAGE
    try:
        settings = Settings.from_env()
        settings.check_secret_key()
    except (ValueError, OSError) as error:
        print(error, file=sys.stderr)
        return MISCONFIGURED
    database.connect(settings.database)
    links.configure(settings.url)
    recipient = arguments[0] if arguments else os.environ.get("ORIGINAL_RECIPIENT")  # as Postfix names it
    return _take(recipient, sys.stdin.buffer.read(receiving.LARGEST + 1))


def _take(recipient: str | None, raw: bytes) -> int:
    if len(raw) > receiving.LARGEST:
        return TOO_LARGE
    try:
        if recipient is not None and not receiving.known(recipient):
            return NO_SUCH_ADDRESS
        receiving.receive(recipient, os.environ.get("SENDER"), raw)
    except SQLAlchemyError as error:
        log.warning("mail is put off", error=type(error).__name__)
        return TRY_AGAIN
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
