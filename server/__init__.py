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

    from server import (
        accept_language,
        database,
        document,
        extensions,
        headers,
        limits,
        links,
        logs,
        problems,
        proxies,
        request_log,
        waking,
    )
    from server.api import RESOURCES, documentation
    from server.config import Settings
    from server.services import waiting

    settings = settings or Settings.from_env()
    settings.check_secret_key()
    app = flask.Flask(__name__, static_folder=None, template_folder=None)
    app.config.update(extensions.CONFIG, GALAPOST=settings)
    app.json = extensions.Json(app)
    app.url_map.merge_slashes = False  # it would redirect, to wherever the Host header says

    logs.configure()
    links.configure(settings.url)
    database.connect(settings.database)
    waking.connect(settings.broker, waiting.numbers)

    request_log.register(app)
    accept_language.register(app)
    headers.register(app)
    limits.register(app, settings)
    problems.register(app)
    document.register(app, RESOURCES)
    documentation.register(app)
    app.wsgi_app = proxies.Trusting(app.wsgi_app, settings.trusted_proxies)  # type: ignore[method-assign]
    return app
