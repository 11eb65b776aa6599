"""`python -m workers`: carries what is due until it is stopped, without Celery and without a broker."""

import time

from server import database, links, logs
from server.config import Settings
from server.services import dispatching
from workers.carrying import Carrier

PAUSE = 1.0  # seconds


def main() -> None:
    logs.configure()
    settings = Settings.from_env()
    database.connect(settings.database)
    links.configure(settings.url)
    carrier = Carrier(settings)
    while True:
        if not dispatching.run(carrier.send, settings):
            time.sleep(PAUSE)


if __name__ == "__main__":
    main()
