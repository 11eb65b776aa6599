"""Writes the examples anew."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from unittest.mock import patch

from server import create_app, kicking, migrate
from server.config import Settings
from server.document import EXAMPLES
from tests.api.story import tell


def main() -> None:
    with tempfile.TemporaryDirectory() as home, patch.object(kicking, "kick", lambda *task: None):
        os.environ |= {
            "GALAPOST_HOME": home,
            "GALAPOST_DATABASE": f"sqlite:///{Path(home)}/galapost.db",
            "GALAPOST_BROKER": "redis://127.0.0.1:1",
            "GALAPOST_RATE_LIMITS": "off",
        }
        migrate.upgrade(Settings.from_env().database)
        for folder, told in tell(create_app()).items():
            (EXAMPLES / folder).mkdir(exist_ok=True)
            for name, example in told.items():
                text = json.dumps(example, indent=2, ensure_ascii=False) + "\n"
                (EXAMPLES / folder / f"{name}.json").write_text(text, "utf-8")


if __name__ == "__main__":
    main()
