"""gunicorn's settings: `gunicorn --config server/gunicorn.py wsgi:app`. The reasons are in ARCHITECTURE.md 5."""

import os

bind = os.environ.get("GALAPOST_BIND", f"127.0.0.1:{os.environ.get('GALAPOST_PORT', '8000')}")
worker_class = "gthread"
workers = int(os.environ.get("GALAPOST_WEB_PROCESSES", "1"))
threads = 1200  # most of them will be waiting for something to happen
worker_connections = 3000
keepalive = 75
graceful_timeout = 30
timeout = 60
control_socket_disable = True
