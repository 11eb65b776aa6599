"""What has arrived: appended and synced before the sender is answered, so that whatever was acknowledged is counted."""

from __future__ import annotations

import hashlib
import json
import os
import threading
import time
from collections import defaultdict
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True)
class Receipt:
    """One copy. `began`: when its sender began to say it; `digest`: of what it says."""

    channel: str
    id: str
    digest: str
    began: float
    at: float
    where: str


class Journal:
    def __init__(self, file: Path) -> None:
        self._file = file.open("ab")
        self._lock = threading.Lock()
        self.answers_to: dict[str, str] = {}  # Message-ID → Reply-To
        self._copies: dict[str, list[Receipt]] = defaultdict(list)

    def note(self, channel: str, id: str, said: bytes, began: float, where: str = "") -> None:
        receipt = Receipt(channel, id, hashlib.sha256(said).hexdigest(), began, time.time(), where)
        with self._lock:
            self._file.write(json.dumps(asdict(receipt)).encode() + b"\n")
            self._file.flush()
            os.fsync(self._file.fileno())
            self._copies[id].append(receipt)

    def has(self, id: str) -> bool:
        return id in self._copies

    def receipts(self) -> list[Receipt]:
        with self._lock:
            return [receipt for copies in self._copies.values() for receipt in copies]
