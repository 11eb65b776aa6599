"""`python -m workers`: carries what is due until it is stopped, without Celery and without a broker."""

import time

from server import database, links, logs
from server.config import Settings
from server.services import dispatching
from server.services.inbound import settling
from workers import say_where_things_go
from workers.carrying import Carrier

PAUSE = 1.0  # seconds


def main() -> None:
    logs.configure()
    settings = Settings.from_env()
    database.connect(settings.database)
    links.configure(settings.url)
    say_where_things_go(settings)
    dispatcher = dispatching.Dispatcher(Carrier(settings).send, settings)
    while True:
        if not settling.run() | dispatcher.run():
            time.sleep(PAUSE)


if __name__ == "__main__":
    main()
