"""GET /v1/openapi.json, and Swagger UI at /v1/docs/ out of a package: nothing is fetched from outside."""

from __future__ import annotations

import functools
import hashlib

import flask
from flask_swagger_ui import get_swaggerui_blueprint

from server import links
from server.api.conditions import etag, known
from server.document import document
from server.services.looking import Version


def register(app: flask.Flask) -> None:
    app.add_url_rule("/v1/openapi.json", "openapi", _openapi)
    # Flask would redirect there by itself, to wherever the Host header says.
    app.add_url_rule("/v1/docs", "docs", lambda: flask.redirect(links.to("/v1/docs/"), 308))
    app.add_url_rule("/", "door", lambda: flask.redirect(links.to("/v1/docs/"), 302))
    app.add_url_rule("/v1/", "entry_with_a_slash", lambda: flask.redirect(links.to("/v1"), 308))
    app.register_blueprint(_pages(), url_prefix="/v1/docs")


def _pages() -> flask.Blueprint:
    """With files beside the page: where a proxy gives us a path of its site, one from its root is none of ours."""
    config = {
        "app_name": "Galapost",
        "validatorUrl": None,  # by default a server of Swagger's is asked
        "oauth2RedirectUrl": links.to("/v1/docs/oauth2-redirect.html"),  # by default made from the Host header
    }
    pages: flask.Blueprint = get_swaggerui_blueprint(".", links.to("/v1/openapi.json"), config)
    return pages


def _openapi() -> flask.Response:
    """The committed document, with this server's own address."""
    body, version = _served(links.to(""))
    answer = flask.Response(status=304) if known(version) else flask.Response(body, mimetype="application/json")
    answer.headers["ETag"] = etag(version)
    return answer


@functools.cache  # it is large, and the same as long as the process lives
def _served(base: str) -> tuple[bytes, Version]:
    described = document(flask.current_app)
    body = flask.json.dumps(described | {"servers": [{"url": base or "/"}]}).encode()
    return body, ("openapi", hashlib.sha256(body).hexdigest())
