"""What beat does: one more wake-up, for when a kick was lost and for what has become due by itself; and the night's work."""

from typing import Any

from celery.schedules import crontab

SCHEDULE: dict[str, dict[str, Any]] = {
    "dispatch": {"task": "galapost.dispatch", "schedule": 2.0, "options": {"expires": 5}},
    "letters": {"task": "galapost.letters", "schedule": 2.0, "options": {"expires": 5}},
    "sweep": {"task": "galapost.sweep", "schedule": 15.0, "options": {"expires": 15}},
    "expire": {"task": "galapost.expire", "schedule": crontab(minute=27), "options": {"expires": 3000}},
    "forget": {"task": "galapost.forget", "schedule": crontab(hour=3, minute=47), "options": {"expires": 3600}},
    "audit": {"task": "galapost.audit", "schedule": crontab(hour=3, minute=17), "options": {"expires": 3600}},
}
