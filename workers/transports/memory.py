"""A transport that keeps what it is given. For trying things out, and for tests of what stands around a transport."""

from collections.abc import Iterable

from workers.transports.base import Message, Reply, TransportError


class Memory:
    """`errors` are raised one by one, in order, each instead of one delivery; after them everything is taken."""

    def __init__(self, errors: Iterable[TransportError] = ()) -> None:
        self._errors = list(errors)
        self.taken: list[Message] = []

    def send(self, message: Message) -> Reply:
        if self._errors:
            raise self._errors.pop(0)
        self.taken.append(message)
        return Reply(text="kept in memory")
