"""`python -m workers.quarantine [LETTER]`: lists the letters that were put aside (to postmaster and abuse, to nobody, or such as
could not be settled), or writes one of them, as it came, to standard output."""

from __future__ import annotations

import sys

from server import database
from server.config import Settings
from server.services.inbound import quarantine


def main(arguments: list[str]) -> int:
    database.connect(Settings.from_env().database)
    if not arguments:
        for letter, received_at, why in quarantine.listed():
            print(letter, f"{received_at:%Y-%m-%d %H:%M}", why)
        return 0
    raw = quarantine.read(arguments[0])
    if raw is None:
        print(f"no letter {arguments[0]} is kept here", file=sys.stderr)
        return 1
    sys.stdout.buffer.write(raw)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
