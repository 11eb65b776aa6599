"""What beat does: one more wake-up, for when a kick was lost and for what has become due by itself."""

from typing import Any

SCHEDULE: dict[str, dict[str, Any]] = {
    "dispatch": {"task": "galapost.dispatch", "schedule": 2.0, "options": {"expires": 5}},
}
