"""How Celery runs here. Its names are Celery's; it is read when the app is first used, not when it is imported."""

from server.config import Settings
from workers.schedule import SCHEDULE

settings = Settings.from_env()
settings.check_secret_key()
settings.check_dkim_key()
settings.home.mkdir(parents=True, exist_ok=True)  # beat keeps its schedule there

broker_url = settings.broker
broker_connection_retry_on_startup = True
broker_transport_options = {
    "visibility_timeout": 600,  # well above the longest task, else a running one would be given out again
    "socket_timeout": 10,
    "socket_connect_timeout": 5,
    "socket_keepalive": True,
    "health_check_interval": 10,
}

include = ["workers.tasks"]
task_default_queue = "galapost"
task_acks_late = True
task_reject_on_worker_lost = True
task_ignore_result = True
task_serializer = "json"
accept_content = ["json"]
task_soft_time_limit = 90  # a run claims for 10 s, and the slowest send takes 40 s more
task_time_limit = 120

worker_prefetch_multiplier = 1
worker_concurrency = 2  # each run sends several at a time, and waits for others most of it
worker_redirect_stdouts = False

beat_schedule = SCHEDULE
beat_schedule_filename = str(settings.home / "beat-schedule")
timezone = "UTC"
