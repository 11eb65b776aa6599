"""`python -m workers.mail_in`: mail comes in here, over SMTP or LMTP, and is stored before anybody is told that it was taken.

An address that we don't have is refused at once (550), so that whoever wrote to it learns it from his own server; while the
database is away everything is put off (451), and comes again by itself. Over LMTP one recipient at a time is taken, since
the library answers once for all of them."""

from __future__ import annotations

import asyncio
import logging
import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar
from urllib.parse import urlsplit

import structlog
from aiosmtpd.lmtp import LMTP
from aiosmtpd.smtp import SMTP, Envelope, Session

from server import database, links, logs
from server.config import Settings
from server.services.inbound import receiving

log = structlog.get_logger(__name__)

LONGEST_LINE = 2 * 1024 * 1024  # bytes; some programs write a whole letter in one
ABREAST = 8  # questions to the database
PATIENCE = 20.0  # seconds for one
SILENCE = 120  # seconds after which a connection is closed
MOST_RECIPIENTS = 10

TAKEN = "250 2.0.0 taken"
UNKNOWN = "550 5.1.1 there is no such address here"
AWAY = "451 4.3.0 not now; please try again"
ONE_AT_A_TIME = "452 4.5.3 one recipient at a time"
SEVERAL = "554 5.6.0 one of our addresses at a time"

Answer = TypeVar("Answer")


class Doorman:
    """What is answered to a mail server, step by step."""

    def __init__(self, one_at_a_time: bool) -> None:
        self._one_at_a_time = one_at_a_time
        self._pool = ThreadPoolExecutor(ABREAST, thread_name_prefix="mail-in")

    async def handle_RCPT(
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if envelope.rcpt_tos and (self._one_at_a_time or len(envelope.rcpt_tos) >= MOST_RECIPIENTS):
            return ONE_AT_A_TIME
        known = await self._asked(lambda: receiving.known(address))
        if known is None:
            return AWAY
        if not known:
            return UNKNOWN
        envelope.rcpt_tos.append(address)
        return "250 2.1.5 OK"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        recipients = list(dict.fromkeys(address.lower() for address in envelope.rcpt_tos))
        if len([address for address in recipients if not receiving.is_for_operators(address)]) > 1:
            return SEVERAL
        content = envelope.original_content or b""
        for recipient in recipients:
            if await self._asked(lambda to=recipient: receiving.receive(to, envelope.mail_from or "", content)) is None:
                return AWAY
        return TAKEN

    async def handle_exception(self, error: Exception) -> str:
        log.error("the listener failed", exc_info=error)
        return AWAY

    async def _asked(self, question: Callable[[], Answer]) -> Answer | None:
        """The database, in a thread; None while it gives no answer."""
        loop = asyncio.get_running_loop()
        try:
            return await asyncio.wait_for(loop.run_in_executor(self._pool, question), PATIENCE)
        except Exception as error:
            log.warning("mail is put off", error=type(error).__name__)
            return None

    def close(self) -> None:
        """What was begun is brought to its end: a mail that is stored twice is one, but a lost one is none."""
        self._pool.shutdown()


class Smtp(SMTP):
    line_length_limit = LONGEST_LINE


class Lmtp(LMTP):
    line_length_limit = LONGEST_LINE


def protocol(doorman: Doorman, url: str) -> SMTP:
    """For one connection."""
    kind = Lmtp if urlsplit(url).scheme == "lmtp" else Smtp
    return kind(
        doorman, data_size_limit=receiving.LARGEST, hostname="galapost", ident="Galapost", timeout=SILENCE,
        enable_SMTPUTF8=True,
    )  # fmt: skip


async def serve(url: str, stop: asyncio.Event, started: Callable[[int], None] = lambda port: None) -> None:
    """Until it is told to stop. `started` is told the port, which was given as 0 if any will do."""
    where = urlsplit(url)
    doorman = Doorman(one_at_a_time=where.scheme == "lmtp")
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: protocol(doorman, url), where.hostname, where.port)
    log.info("mail comes in", at=url)
    started(server.sockets[0].getsockname()[1])
    await stop.wait()
    server.close()
    await loop.run_in_executor(None, doorman.close)


def main() -> None:
    logs.configure()
    logging.getLogger("mail.log").setLevel(
        logging.WARNING
    )  # aiosmtpd would tell every address, and what was sent there
    settings = Settings.from_env()
    settings.check_secret_key()
    database.connect(settings.database)
    links.configure(settings.url)
    asyncio.run(_until_told(settings.mail_in))


async def _until_told(url: str) -> None:
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    await serve(url, stop)


if __name__ == "__main__":
    main()
