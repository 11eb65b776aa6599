"""Between the service and the transports: hands a parcel to the transport of its channel, and tells what came of it."""

import time
from email.utils import parseaddr

import structlog

from server.config import Settings
from server.services.dispatching import Parcel
from server.services.settling import Kind, Outcome
from workers.transports.addresses import Policy
from workers.transports.base import Transport, TransportError
from workers.transports.email import Smtp
from workers.transports.maildir import Maildir
from workers.transports.webhook import Webhook

log = structlog.get_logger(__name__)


class Carrier:
    """The transports of this installation. Raises ValueError at once where its settings make no sense."""

    def __init__(self, settings: Settings) -> None:
        self.transports: dict[str, Transport] = {
            "email": _mail(settings),
            "webhook": Webhook(Policy(loopback=settings.webhooks_to_loopback)),
        }

    def send(self, parcel: Parcel) -> Outcome:
        return carry(parcel, self.transports[parcel.channel])


def _mail(settings: Settings) -> Transport:
    if settings.smtp is None:
        return Maildir(settings.home / "mail")
    return Smtp(settings.smtp, parseaddr(settings.mail_from)[1])


def carry(parcel: Parcel, transport: Transport) -> Outcome:
    """Never raises: the attempt is written and wants an outcome. A fault of ours may have come after the send."""
    began = time.monotonic()
    try:
        reply = transport.send(parcel)
    except TransportError as error:
        ms = None if error.unreachable else _ms(began)  # it would tell a closed port from a silent one
        return Outcome(_kind(error), error.status, error.text, ms, error.retry_after, error.gone)
    except Exception as error:
        log.exception("a transport failed in an unexpected way", channel=parcel.channel)
        return Outcome("ambiguous", reply=f"fault of the transport: {type(error).__name__}", ms=_ms(began), ours=True)
    return Outcome("sent", reply.status, reply.text, _ms(began), body=reply.body, whole=reply.whole)


def _kind(error: TransportError) -> Kind:
    if error.permanent:
        return "permanent"
    return "ambiguous" if error.ambiguous else "transient"


def _ms(began: float) -> int:
    return round((time.monotonic() - began) * 1000)
