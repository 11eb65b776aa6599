"""The turn server: games of the engine over HTTP, kept in a database."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import flask

    from server.config import Settings

__version__ = "0.1.0"


def create_app(settings: Settings | None = None) -> flask.Flask:
    # Imported here: the workers use parts of this package, and no Flask.
    import flask

    from server import database, document, extensions, headers, links, logs, problems, request_log
    from server.api import RESOURCES, documentation
    from server.config import Settings

    settings = settings or Settings.from_env()
    settings.check_secret_key()
    app = flask.Flask(__name__, static_folder=None, template_folder=None)
    app.config.update(extensions.CONFIG, GALAPOST=settings)
    app.json = extensions.Json(app)
    app.url_map.merge_slashes = False  # it would redirect, to wherever the Host header says

    logs.configure()
    links.configure(settings.url)
    database.connect(settings.database)

    request_log.register(app)
    headers.register(app)
    problems.register(app)
    document.register(app, RESOURCES)
    documentation.register(app)
    return app
