"""What beat does: one more wake-up, for when a kick was lost and for what has become due by itself; and the night's work."""

from typing import Any

from celery.schedules import crontab

SCHEDULE: dict[str, dict[str, Any]] = {
    "dispatch": {"task": "galapost.dispatch", "schedule": 2.0, "options": {"expires": 5}},
    "audit": {"task": "galapost.audit", "schedule": crontab(hour=3, minute=17), "options": {"expires": 3600}},
}
