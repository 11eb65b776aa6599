"""The only clock. Services ask it; everything below gets the time as an argument."""

from datetime import UTC, datetime


def now() -> datetime:
    return datetime.now(UTC)
