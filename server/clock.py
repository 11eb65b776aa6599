"""The only clock. Services ask it; everything below gets the time as an argument."""

from datetime import UTC, datetime


def now() -> datetime:
    return datetime.now(UTC)


def seconds_until(timestamp: float) -> float:
    """For what counts in seconds since 1970, as the broker does."""
    return timestamp - now().timestamp()
