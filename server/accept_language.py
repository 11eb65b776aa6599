"""In which language a request is answered: the first of ours in its `Accept-Language`, else English."""

from __future__ import annotations

import flask

from server import language

HUMAN = (
    "application/json",
    "application/problem+json",
    "text/plain",
    "image/svg+xml",
    "image/png",
)  # what may hold text for people

ENGLISH = ("openapi", "fairness.get_record_text")  # for whoever writes a client; for keeping, the same for ever


def register(app: flask.Flask) -> None:
    for one in language.LANGUAGES:
        language.catalogue(one)  # read now, so that nobody waits for it
    app.before_request(_listen)
    app.after_request(_tell)
    app.teardown_request(_forget)


def _listen() -> None:
    language.speak(wanted())


def wanted() -> str:
    """`ru-RU` is Russian. Of werkzeug only the order is used: to `ru-RU,en;q=0.5` its best match would be English."""
    for tag, quality in flask.request.accept_languages:
        asked = tag.replace("_", "-").partition("-")[0].lower()
        if quality > 0 and asked in language.LANGUAGES:
            return asked
    return language.LANGUAGES[0]


def _tell(response: flask.Response) -> flask.Response:
    if response.mimetype in HUMAN and response.status_code not in (204, 304):
        spoken = language.LANGUAGES[0] if flask.request.endpoint in ENGLISH else language.current()
        response.headers.setdefault("Content-Language", spoken)
    return response


def _forget(_: BaseException | None) -> None:
    """The thread serves somebody else next."""
    language.speak(language.LANGUAGES[0])
