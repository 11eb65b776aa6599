"""What a transport is: it carries one finished message to one place, and says what came of it.

To add one, start from `maildir.py`, and name it in `__init__.py`.
"""

from dataclasses import dataclass
from typing import Protocol


class Message(Protocol):
    """Finished: nothing is rendered, signed for later or looked up any more. Services hand out what has this shape."""

    @property
    def id(self) -> str: ...  # Message-ID or webhook-id, the same on every retry

    @property
    def to(self) -> str: ...  # an address or a URL

    @property
    def body(self) -> str: ...  # the whole mail with its headers, or the exact text to be signed

    @property
    def secrets(self) -> tuple[str, ...]: ...  # what a webhook is signed with, each by itself


@dataclass(frozen=True)
class Reply:
    """The receiver took it. `text` is for the log; `body` is what it said, `whole` whether that is all of it."""

    status: int | None = None
    text: str = ""
    body: bytes = b""
    whole: bool = True


class TransportError(Exception):
    """It was not taken, or nobody knows.

    permanent: trying again is pointless. ambiguous: the receiver may have taken it, its answer never came.
    gone: the receiver asks never to be called again. retry_after: seconds that it asks us to wait.
    unreachable: there was no connection, and nobody is told why, nor how long it took to find out.
    """

    def __init__(
        self,
        text: str,
        *,
        status: int | None = None,
        permanent: bool = False,
        ambiguous: bool = False,
        gone: bool = False,
        retry_after: float | None = None,
        unreachable: bool = False,
    ) -> None:
        super().__init__(text)
        self.text = text
        self.status = status
        self.permanent = permanent
        self.ambiguous = ambiguous
        self.gone = gone
        self.retry_after = retry_after
        self.unreachable = unreachable


class Transport(Protocol):
    def send(self, message: Message) -> Reply:
        """Carry it now, within the transport's own deadline. Raises TransportError."""
        ...
