"""`python -m server.document` writes the document; with `--check` it only compares, and exits 1 when it is stale.

`--changes` prints what breaks clients of the last released document, and exits 1 if anything does;
`--release` makes the present document the released one.
"""

from __future__ import annotations

import argparse
import json
import sys

from server import create_app
from server.config import Settings
from server.document import FILE, RELEASED, text
from server.document.changes import breaking

NO_SECRET = "A" * 43 + "="  # a key of the right form, for a document that seals nothing


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser("python -m server.document", description=__doc__)
    which = parser.add_mutually_exclusive_group()
    for option in ("check", "changes", "release"):
        which.add_argument(f"--{option}", action="store_true")
    asked = parser.parse_args(arguments)
    if asked.changes:
        return changes()
    if asked.release:
        return release()
    made = text(create_app(_settings()))
    return check(made) if asked.check else write(made)


def _settings() -> Settings:
    """Nothing of this machine: the same on every one."""
    return Settings.from_env({"GALAPOST_SECRET_KEY": NO_SECRET})


def write(made: str) -> int:
    FILE.write_text(made, "utf-8")
    return 0


def check(made: str) -> int:
    if FILE.exists() and FILE.read_text("utf-8") == made:
        return 0
    print(f"{FILE.name} is stale: run `python -m server.document`", file=sys.stderr)
    return 1


def changes() -> int:
    broken = breaking(json.loads(RELEASED.read_text("utf-8")), json.loads(FILE.read_text("utf-8")))
    print(*broken or ["nothing breaks"], sep="\n")
    return 1 if broken else 0


def release() -> int:
    RELEASED.write_bytes(FILE.read_bytes())
    return 0


if __name__ == "__main__":
    sys.exit(main())
