"""DKIM: that a mail comes from our domain, and that nobody changed it on its way."""

from __future__ import annotations

from email.utils import parseaddr

import dkim  # type: ignore[import-untyped]  # it has no types

from server.config import Settings

# Those that say who speaks to whom, and what a mail reader acts on. Named even where a mail lacks them: nobody can add one.
SIGNED = (
    *("From", "To", "Subject", "Date", "Message-ID", "Reply-To", "In-Reply-To", "References"),
    *("List-Id", "List-Unsubscribe", "List-Unsubscribe-Post", "Auto-Submitted"),
    *("MIME-Version", "Content-Type", "Content-Transfer-Encoding"),
)


def signed(mail: str, settings: Settings) -> str:
    """With a signature below the `Return-Path`, which the last server replaces; as it is where no key was given."""
    if settings.dkim is None:
        return mail
    top, _, rest = mail.partition("\n")
    signature = dkim.sign(
        rest.replace("\n", "\r\n").encode("ascii"),
        settings.dkim.selector.encode(),
        parseaddr(settings.mail_from)[1].rpartition("@")[2].encode("idna"),
        settings.dkim.key(),
        canonicalize=(b"relaxed", b"relaxed"),
        include_headers=[name.lower().encode() for name in SIGNED],
    )
    return "\n".join((top, signature.decode("ascii").replace("\r\n", "\n").rstrip("\n"), rest))
