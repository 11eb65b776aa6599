"""What can go wrong, as nouns, and ONE table: error → status, code, title. Services raise these; only `server.problems` knows HTTP.

To add one: a class here, a line in the table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


class DomainError(Exception):
    """`detail` says what was expected and what came; `members` are further members of the answer."""

    def __init__(self, detail: str, **members: Any) -> None:
        super().__init__(detail)
        self.detail = detail
        self.members = members


# Requests that can't be read


class BadRequest(DomainError): ...


class MalformedJson(DomainError): ...


class BodyTooLarge(DomainError): ...


class UnsupportedMediaType(DomainError): ...


class NullBody(DomainError): ...


class InvalidBody(DomainError): ...


class UnknownBodyKey(DomainError): ...


class InvalidQuery(DomainError): ...


class UnknownQueryKey(DomainError): ...


class NotFound(DomainError): ...


class MethodNotAllowed(DomainError): ...


class RateLimited(DomainError): ...


# Who asks


class TokenMissing(DomainError): ...


class TokenUnknown(DomainError): ...


class TokenExpired(DomainError): ...


class TokenRevoked(DomainError): ...


class InsufficientScope(DomainError): ...


class WrongCode(DomainError): ...


class CodeExpired(DomainError): ...


class NameTaken(DomainError): ...


# The lobby


class UnknownGame(DomainError): ...


class BadOption(DomainError): ...


class InvitationNeeded(DomainError): ...


class AlreadySeated(DomainError): ...


class NoFreeSeat(DomainError): ...


class NotTheHost(DomainError): ...


class TooFewPlayers(DomainError): ...


class GameStarted(DomainError): ...


class SeatsStillFree(DomainError): ...


class NoEntropyCommitted(DomainError): ...


class WrongEntropy(DomainError): ...


class GameNotStarted(DomainError): ...


class GameOver(DomainError): ...


class GameNotOver(DomainError): ...


# Play


class NotAPlayer(DomainError): ...


class NoSpectators(DomainError): ...


class NotYourDecision(DomainError): ...


class DecisionClosed(DomainError): ...


class DecisionNotOpen(DomainError): ...


class IllegalMove(DomainError): ...


class BadNotation(DomainError): ...


# Webhooks


class UnknownWebhook(DomainError): ...


class BadWebhookUrl(DomainError): ...


class TooManyWebhooks(DomainError): ...


# Ours


class InternalError(DomainError): ...


class DatabaseUnavailable(DomainError): ...


@dataclass(frozen=True)
class Problem:
    status: int
    code: str
    title: str
    about: str  # for whoever writes a client


PROBLEMS: dict[type[DomainError], Problem] = {
    BadRequest: Problem(400, "bad-request", "Bad request", "The request is not HTTP as this server reads it."),
    MalformedJson: Problem(
        400, "malformed-json", "Malformed JSON", "The body is not JSON in UTF-8, or a key in it comes twice."
    ),
    TokenMissing: Problem(
        401,
        "token-missing",
        "A token is needed",
        "Send `Authorization: Bearer <token>`. POST /v1/accounts gets you one.",
    ),
    TokenUnknown: Problem(
        401, "token-unknown", "Unknown token", "No such token was ever given out; look for a copying error."
    ),
    TokenExpired: Problem(
        401, "token-expired", "Expired token", "Sign in again with POST /v1/accounts to get a fresh one."
    ),
    TokenRevoked: Problem(401, "token-revoked", "Revoked token", "Its owner has withdrawn this token."),
    InsufficientScope: Problem(
        403, "insufficient-scope", "The token lacks a scope", "`needed` names the scopes of which one is enough."
    ),
    NotAPlayer: Problem(
        403, "not-a-player", "Not a player of this game", "Only the seats of a game are asked for decisions."
    ),
    NotTheHost: Problem(
        403, "not-the-host", "Not the host of this game", "Only the account that made the game may do this."
    ),
    NoSpectators: Problem(
        403,
        "no-spectators",
        "This game is not for spectators",
        "It was made with `spectators: none`: only its players see the table.",
    ),
    InvitationNeeded: Problem(
        403, "invitation-needed", "An invitation is needed", "The game was made with `join: invited`."
    ),
    NotFound: Problem(404, "not-found", "No such resource", "Nothing lives at this path; GET /v1 is the way in."),
    UnknownGame: Problem(404, "unknown-game", "Unknown game", "There is no such game, or it is not shown to you."),
    UnknownWebhook: Problem(404, "unknown-webhook", "Unknown webhook", "You have no webhook with this id."),
    MethodNotAllowed: Problem(
        405, "method-not-allowed", "Method not allowed", "The header `Allow` lists the methods of this path."
    ),
    NameTaken: Problem(
        409,
        "name-taken",
        "The name is taken",
        "Somebody has it, or one that looks the same. Choose another one; the code is still valid.",
    ),
    AlreadySeated: Problem(409, "already-seated", "You already sit at this table", "A seat for each account."),
    NoFreeSeat: Problem(409, "no-free-seat", "No free seat", "The table is full."),
    TooFewPlayers: Problem(409, "too-few-players", "Too few players", "A game needs two players."),
    GameStarted: Problem(409, "game-started", "The game has started", "This can be done only before the start."),
    GameNotStarted: Problem(409, "game-not-started", "The game has not started", "There is no table to look at yet."),
    GameNotOver: Problem(
        409, "game-not-over", "The game is not over", "Until then nobody learns the seed, and there is no record."
    ),
    SeatsStillFree: Problem(
        409,
        "seats-still-free",
        "Seats are still free",
        "Entropy is revealed when nobody can join any more: whoever committed last must not have known it.",
    ),
    NoEntropyCommitted: Problem(
        409, "no-entropy-committed", "No entropy was committed to", "That is done when a seat is taken, and only then."
    ),
    GameOver: Problem(409, "game-over", "The game is over", "Nothing more is asked of anybody."),
    NotYourDecision: Problem(
        409,
        "not-your-decision",
        "Not your decision",
        "The server waits for another seat, or the number is of another seat's decision.",
    ),
    DecisionClosed: Problem(
        409, "decision-closed", "The decision is closed", "You answered it before, with another move."
    ),
    DecisionNotOpen: Problem(
        409, "decision-not-open", "No such decision yet", "The number lies ahead of the open decision."
    ),
    TooManyWebhooks: Problem(409, "too-many-webhooks", "Too many webhooks", "Delete one first."),
    CodeExpired: Problem(
        410,
        "code-expired",
        "The code is no longer valid",
        "It is too old, was used, was tried too often, or a newer one was sent.",
    ),
    BodyTooLarge: Problem(
        413, "body-too-large", "The body is too large", "`limit` is the number of bytes that are read."
    ),
    UnsupportedMediaType: Problem(
        415, "unsupported-media-type", "Unsupported media type", "Bodies are `application/json`."
    ),
    NullBody: Problem(422, "null-body", "The body is null", "An object is expected."),
    InvalidBody: Problem(
        422, "invalid-body", "Invalid body", "`errors` has a JSON pointer into the body for each value at fault."
    ),
    UnknownBodyKey: Problem(422, "unknown-body-key", "Unknown key in the body", "`errors` has a JSON pointer to each."),
    InvalidQuery: Problem(
        422, "invalid-query", "Invalid query", "`errors` has a JSON pointer to each parameter at fault."
    ),
    UnknownQueryKey: Problem(
        422, "unknown-query-key", "Unknown key in the query", "`errors` has a JSON pointer to each."
    ),
    BadOption: Problem(
        422,
        "bad-option",
        "Impossible option of the game",
        "An unknown house rule, an unknown value, or one that does not fit the seats.",
    ),
    WrongCode: Problem(
        422, "wrong-code", "Wrong code", "The code is not the one in the mail; after five tries it is void."
    ),
    WrongEntropy: Problem(
        422,
        "wrong-entropy",
        "This is not the entropy you committed to",
        "The SHA-256 of its UTF-8 bytes is another one; look for a line break at the end of what was hashed.",
    ),
    IllegalMove: Problem(422, "illegal-move", "Illegal move", "`reason` says which rule, as a word of a closed list."),
    BadNotation: Problem(
        422,
        "bad-notation",
        "Not a move",
        "The text or object can't be read as a move; `candidates` are what it may have meant.",
    ),
    BadWebhookUrl: Problem(
        422, "bad-webhook-url", "Webhooks can't go there", "An https address without user info is expected."
    ),
    RateLimited: Problem(
        429, "rate-limited", "Too many requests", "`Retry-After` says in how many seconds to try again."
    ),
    InternalError: Problem(
        500,
        "internal-error",
        "A fault of ours",
        "It is in our log. Either nothing was changed or all of it: look before you send it again.",
    ),
    DatabaseUnavailable: Problem(
        503, "database-unavailable", "The database is away or busy", "Send the same again a little later."
    ),
}
