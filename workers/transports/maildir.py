"""Mail without a mail server: a maildir, which every mail reader and Python's `mailbox` can read."""

import os
from email import message_from_string
from email.policy import SMTP
from pathlib import Path

from workers.transports.base import Message, Reply, TransportError


class Maildir:
    """Delivers into `folder`. The name of the file comes from the Message-ID, so a retry finds its first copy."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def send(self, message: Message) -> Reply:
        try:
            name = _name(message.id)
            if not self._holds(name):
                self._write(name, _legible(message.body))
        except OSError as error:
            raise TransportError(f"maildir: {error.strerror}") from error
        return Reply(text=f"maildir {name}")

    def _holds(self, name: str) -> bool:
        read = (self._folder / "cur").glob(f"{name}*")  # a reader moves it there and appends its flags
        return (self._folder / "new" / name).exists() or any(read)

    def _write(self, name: str, raw: bytes) -> None:
        """By the book: written whole under tmp, then moved, so that no reader sees half a mail."""
        for part in ("tmp", "new", "cur"):
            (self._folder / part).mkdir(parents=True, exist_ok=True, mode=0o700)
        draft = self._folder / "tmp" / name
        with draft.open("wb") as file:
            file.write(raw)
            file.flush()
            os.fsync(file.fileno())
        draft.rename(self._folder / "new" / name)
        _sync(self._folder / "new")


def _legible(body: str) -> bytes:
    """The text in plain UTF-8 rather than in base64: these files are looked at with `cat` too."""
    policy = SMTP.clone(linesep="\n", cte_type="8bit")
    mail = message_from_string(body, policy=policy)
    if not body.isascii():
        return body.encode()
    for part in mail.walk():
        if part.get_content_maintype() == "text" and part["Content-Transfer-Encoding"] != "7bit":
            part.set_content(part.get_content(), subtype=part.get_content_subtype(), cte="8bit")
    return mail.as_bytes()


def _name(message_id: str) -> str:
    return message_id.strip("<>").partition("@")[0].replace("/", "-")


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
