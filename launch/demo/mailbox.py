"""The maildir that the server writes: what arrived there, and the codes in it."""

import email
import email.policy
import re
import time
from email.message import EmailMessage
from pathlib import Path

from launch.trouble import Trouble

CODE = re.compile(r"(?<![A-Za-z0-9])[A-Z0-9]{8}(?![A-Za-z0-9])")


class Mailbox:
    """Reads each message once; a maildir holds one file a message."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._read: dict[str, EmailMessage] = {}

    def messages(self) -> list[EmailMessage]:
        for file in sorted((self._folder / "new").glob("*")):
            if file.name not in self._read:
                self._read[file.name] = email.message_from_bytes(file.read_bytes(), policy=email.policy.default)
        return list(self._read.values())

    def code_for(self, address: str, patience: float = 30) -> str:
        """The code in the mail that proves this address."""
        deadline = time.monotonic() + patience
        while time.monotonic() < deadline:
            for message in self.messages():
                if message["To"] and address in message["To"] and (code := CODE.search(_text(message))):
                    return code[0]
            time.sleep(0.1)
        raise Trouble(f"no mail with a code came to {address} within {patience:g} seconds")


def identity(message: EmailMessage) -> str:
    return str(message["Message-ID"] or "").strip()


def _text(message: EmailMessage) -> str:
    part = message.get_body(("plain",))
    return str(part.get_content()) if part is not None else ""
