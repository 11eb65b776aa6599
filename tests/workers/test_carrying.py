"""What a transport says, as the outbox hears it."""

import pytest

from server.services.dispatching import Parcel
from server.services.settling import Kind
from workers.carrying import carry
from workers.transports.base import Message, Reply, TransportError
from workers.transports.memory import Memory

PARCEL = Parcel("email", "<one@example.org>", "anna@example.org", "text")


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (TransportError("busy", status=451), "transient"),
        (TransportError("no such user", status=550, permanent=True), "permanent"),
        (TransportError("silence", ambiguous=True), "ambiguous"),
    ],
)
def test_an_error_becomes_the_outcome_that_it_names(error: TransportError, kind: Kind) -> None:
    outcome = carry(PARCEL, Memory([error]))
    assert (outcome.kind, outcome.status, outcome.reply) == (kind, error.status, error.text)


def test_what_is_taken_is_sent() -> None:
    memory = Memory()
    assert carry(PARCEL, memory).kind == "sent"
    assert memory.taken == [PARCEL]


def test_a_fault_of_the_transport_itself_is_ambiguous_since_it_may_have_come_after_the_send() -> None:
    class Broken:
        def send(self, message: Message) -> Reply:
            raise KeyError("a mistake of ours")

    outcome = carry(PARCEL, Broken())
    assert (outcome.kind, outcome.reply) == ("ambiguous", "fault of the transport: KeyError")


def test_an_endpoint_that_is_gone_and_one_that_asks_for_time_are_told_on() -> None:
    assert carry(PARCEL, Memory([TransportError("", permanent=True, gone=True)])).gone
    assert carry(PARCEL, Memory([TransportError("", retry_after=7)])).retry_after == 7
