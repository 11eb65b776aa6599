"""GET /v1/openapi.json, and Swagger UI at /v1/docs/ out of a package: nothing is fetched from outside."""

from __future__ import annotations

import flask
from flask_swagger_ui import get_swaggerui_blueprint

from server import links
from server.document import document


def register(app: flask.Flask) -> None:
    app.add_url_rule("/v1/openapi.json", "openapi", _openapi)
    # Flask would redirect there by itself, to wherever the Host header says.
    app.add_url_rule("/v1/docs", "docs", lambda: flask.redirect(links.to("/v1/docs/"), 308))
    app.add_url_rule("/", "door", lambda: flask.redirect(links.to("/v1/docs/"), 302))
    app.add_url_rule("/v1/", "entry_with_a_slash", lambda: flask.redirect(links.to("/v1"), 308))
    app.register_blueprint(get_swaggerui_blueprint("/v1/docs", links.to("/v1/openapi.json"), {"app_name": "Galapost"}))


def _openapi() -> flask.Response:
    """The committed document, with this server's own address."""
    described = document(flask.current_app)
    return flask.jsonify(described | {"servers": [{"url": links.to("") or "/"}]})
