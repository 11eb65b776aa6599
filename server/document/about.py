"""What the document says before its first operation."""

from __future__ import annotations

from typing import Any

from server.api.smorest import GUARDED_BY, SECURITY, Api

ABOUT = """\
A turn server for the board game «Эволюция» (Evolution: The Origin of Species): for people who play by post, for clients, for bots.

## To play

1. Have a code sent to your address with `POST /v1/accounts`, and trade it for a token with `POST /v1/accounts/verification`.
2. Make a game with `POST /v1/games`, or find one with `GET /v1/games?open=true` and join it with `POST /v1/games/{game_id}/seats`.
3. Ask `GET /v1/me/decisions` what is yours to decide, `GET /v1/games/{game_id}/legal-moves` what you may answer, and answer with
   `POST /v1/games/{game_id}/moves`. Again and again, until `next` is null.

The server always waits for exactly one decision a game. A decision has a number and is answered once: send the same answer
again whenever you are not sure that it arrived.

## Tokens

`Authorization: Bearer <token>` goes with every request. A token has scopes; each operation says which one it needs. Without a
token one may read what is public.

## Growth

Within `/v1` answers gain keys and words (kinds, states, types), and lose none: ignore those that you don't know. Requests are
strict: a key that is not known is refused, so that a typing error is never silently nothing.

## Errors

Every error is `application/problem+json` (RFC 9457) with a stable `code` out of the closed list of `GET /v1/problems`. Act on the code;
`title` and `detail` are for people, in the language of `Accept-Language` (`en` or `ru`), and may change. After 429 and 503 wait
as long as `Retry-After` says; after 503, or none at all, send the same again.

## Caching, conditions, repetition

What has a version answers with a strong `ETag`: send it as `If-None-Match` to get 304 while nothing has changed, and as `If-Match` to
change only what you have seen. A POST that creates something takes an `Idempotency-Key`: the same request with the same key creates
nothing a second time.

## Lists and feeds

A list has `items` and `next_cursor`, to be asked for as `cursor`; the header `Link` has the address of the next page. Cursors are
opaque. A feed is resumed with what the answer before gave you, and skips nothing.

## Forms

JSON in UTF-8. Identifiers are opaque strings with a prefix. Times are RFC 3339 in UTC, durations ISO 8601 of days to seconds
(`P3D`, `PT12H`). The server's own time is the header `Date`.
"""

SCOPES = "`account`: what is mine; `games:read`: look with my eyes; `games:play`: play, host, talk; `webhooks`; `bots`; `admin`: this server."

OPTIONS: dict[str, Any] = {
    "info": {
        "summary": "Play «Эволюция» by post, by program, by hand.",
        "description": ABOUT,
        "license": {"name": "MIT", "identifier": "MIT"},
    },
    "servers": [{"url": "http://127.0.0.1:8000", "description": "A server of your own, as `make run` starts it."}],
    "security": [{SECURITY: []}],
}


def add_security(api: Api) -> None:
    scheme = {
        "type": "http",
        "scheme": "bearer",
        "bearerFormat": "gp_…",
        "description": "A token from `POST /v1/accounts/verification`. Kept by us as a hash only: whoever loses it signs in"
        " again. What an operation lists beside it are scopes: one of them is enough. " + SCOPES,
    }
    api.spec.components.security_scheme(SECURITY, scheme)
    for kind in GUARDED_BY:
        secret = {
            "type": "http",
            "scheme": kind,
            "description": "The secret of this server for mail that is handed in.",
        }
        api.spec.components.security_scheme(f"mail_server_{kind}", secret)
