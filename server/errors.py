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


class UriTooLong(DomainError): ...


class HeadersTooLarge(DomainError): ...


class ExpectationFailed(DomainError): ...


class InvalidHeader(DomainError): ...


class PreconditionFailed(DomainError): ...


class KeyReused(DomainError): ...


class MadeAndGone(DomainError): ...


# Who asks


class TokenMissing(DomainError): ...


class TokenUnknown(DomainError): ...


class TokenExpired(DomainError): ...


class TokenRevoked(DomainError): ...


class InsufficientScope(DomainError): ...


class WrongCode(DomainError): ...


class CodeExpired(DomainError): ...


class NameTaken(DomainError): ...


class AddressTaken(DomainError): ...


class NoSuchToken(DomainError): ...


class TooManyTokens(DomainError): ...


class UnknownUser(DomainError): ...


# Bots


class UnknownBot(DomainError): ...


class NotTheOwner(DomainError): ...


class TooManyBots(DomainError): ...


class BotDeclines(DomainError): ...


class SamePerson(DomainError): ...


# The lobby


class UnknownGame(DomainError): ...


class BadOption(DomainError): ...


class InvitationNeeded(DomainError): ...


class AlreadySeated(DomainError): ...


class NoFreeSeat(DomainError): ...


class NotTheHost(DomainError): ...


class UnknownSeat(DomainError): ...


class HostKeepsSeat(DomainError): ...


class RulesFixed(DomainError): ...


class SeatsTaken(DomainError): ...


class UnknownInvitation(DomainError): ...


class UnknownSubscription(DomainError): ...


class InvitationForAnother(DomainError): ...


class InvitationClosed(DomainError): ...


class AlreadyInvited(DomainError): ...


class TooManyInvitations(DomainError): ...


class NotInvitedByMail(DomainError): ...


class TooFewPlayers(DomainError): ...


class GameStarted(DomainError): ...


class SeatsStillFree(DomainError): ...


class NoEntropyCommitted(DomainError): ...


class WrongEntropy(DomainError): ...


class EntropyCommitted(DomainError): ...


class EntropyRevealed(DomainError): ...


class GameNotStarted(DomainError): ...


class GameOver(DomainError): ...


class GameNotOver(DomainError): ...


class HasResigned(DomainError): ...


class TalkOver(DomainError): ...


# Play


class NotAPlayer(DomainError): ...


class NoSpectators(DomainError): ...


class NotYourDecision(DomainError): ...


class DecisionClosed(DomainError): ...


class DecisionNotOpen(DomainError): ...


class UnknownDecision(DomainError): ...


class IllegalMove(DomainError): ...


class BadNotation(DomainError): ...


class BadOrders(DomainError): ...


# Webhooks


class UnknownWebhook(DomainError): ...


class UnknownRuleSet(DomainError): ...


class BadWebhookUrl(DomainError): ...


class TooManyWebhooks(DomainError): ...


class WebhookDisabled(DomainError): ...


class UnknownDelivery(DomainError): ...


class NotSendable(DomainError): ...


class NoWayToSend(DomainError): ...


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
    BadRequest: Problem(
        400,
        "bad-request",
        "Bad request",
        "The request is not HTTP as this server reads it, or less of its body came than was announced.",
    ),
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
    NotTheOwner: Problem(
        403, "not-the-owner", "Not the owner of this bot", "Only the account that made the bot may do this."
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
    InvitationForAnother: Problem(
        403, "invitation-for-another", "The invitation is for another account", "It was made for one account alone."
    ),
    NotFound: Problem(404, "not-found", "No such resource", "Nothing lives at this path; GET /v1 is the way in."),
    UnknownGame: Problem(404, "unknown-game", "Unknown game", "There is no such game, or it is not shown to you."),
    NoSuchToken: Problem(
        404, "no-such-token", "No such token", "There is none with this id, or it is revoked already."
    ),
    UnknownUser: Problem(404, "unknown-user", "Unknown user", "Nobody is called so, or not any more."),
    UnknownBot: Problem(404, "unknown-bot", "Unknown bot", "There is no bot with this id, or not any more."),
    UnknownRuleSet: Problem(404, "unknown-rule-set", "Unknown rule set", "GET /v1/rules lists those that there are."),
    UnknownSeat: Problem(404, "unknown-seat", "Unknown seat", "Nobody has a seat with this letter."),
    UnknownInvitation: Problem(
        404,
        "unknown-invitation",
        "Unknown invitation",
        "There is none with this token; its id is good only for the account or the address that it is for.",
    ),
    UnknownSubscription: Problem(
        404, "unknown-subscription", "Unknown subscription", "No mail of the last year has this token in it."
    ),
    UnknownDecision: Problem(
        404, "unknown-decision", "No such decision", "The game has not come to a decision with this number."
    ),
    UnknownWebhook: Problem(404, "unknown-webhook", "Unknown webhook", "You have no webhook with this id."),
    UnknownDelivery: Problem(
        404, "unknown-delivery", "Unknown delivery", "Nothing with this id was ever to be sent there."
    ),
    MethodNotAllowed: Problem(
        405, "method-not-allowed", "Method not allowed", "The header `Allow` lists the methods of this path."
    ),
    NameTaken: Problem(
        409,
        "name-taken",
        "The name is taken",
        "Somebody has it, or one that looks the same. Choose another one; a code that came with it is still valid.",
    ),
    AddressTaken: Problem(
        409,
        "address-taken",
        "The address belongs to another account",
        "You have proven that you read its mail: sign in with it to get at that account.",
    ),
    TooManyTokens: Problem(409, "too-many-tokens", "Too many tokens", "Revoke one first."),
    TooManyBots: Problem(409, "too-many-bots", "Too many bots", "Delete one first."),
    BotDeclines: Problem(
        409, "bot-declines", "The bot declines", "The game is beyond what the bot accepts: see GET /v1/bots/{bot_id}."
    ),
    SamePerson: Problem(
        409,
        "same-person",
        "One person, two seats",
        "An owner and his bots count as one person; only a game with `own_bots: true` takes several of them.",
    ),
    AlreadySeated: Problem(409, "already-seated", "You already sit at this table", "A seat for each account."),
    NoFreeSeat: Problem(409, "no-free-seat", "No free seat", "The table is full."),
    TooFewPlayers: Problem(409, "too-few-players", "Too few players", "A game needs two players."),
    HostKeepsSeat: Problem(
        409, "host-keeps-seat", "The host keeps his seat", "A table without its host is none: delete the game instead."
    ),
    RulesFixed: Problem(
        409,
        "rules-fixed",
        "Others sit there already",
        "`options`, `own_bots` and `spectators` are what they sat down to.",
    ),
    SeatsTaken: Problem(
        409,
        "seats-taken",
        "More seats are taken",
        "A table has a seat for everybody who sits there: unseat somebody first.",
    ),
    InvitationClosed: Problem(
        409,
        "invitation-closed",
        "The invitation is closed",
        "An invitation is good for one answer, before the start. `state`: accepted, refused, withdrawn or expired.",
    ),
    AlreadyInvited: Problem(409, "already-invited", "Already invited", "Withdraw the earlier invitation first."),
    TooManyInvitations: Problem(
        409,
        "too-many-invitations",
        "Too many invitations are unanswered",
        "Wait for answers. A withdrawn invitation by e-mail counts as unanswered for 14 days.",
    ),
    NotInvitedByMail: Problem(
        409, "not-invited-by-mail", "No mail went out for this invitation", "There is no address to be left alone."
    ),
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
    EntropyCommitted: Problem(
        409, "entropy-committed", "You have committed to a text", "A commitment that can be changed is none."
    ),
    EntropyRevealed: Problem(
        409,
        "entropy-revealed",
        "Somebody has revealed his entropy",
        "Whoever commits now would know it, and could choose among deals.",
    ),
    HasResigned: Problem(409, "resigned", "You have resigned", "How the game ends is up to those who still play it."),
    TalkOver: Problem(
        409, "talk-over", "The table has broken up", "Messages are taken until seven days after the end of a game."
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
    WebhookDisabled: Problem(
        409,
        "webhook-disabled",
        "The webhook is switched off",
        "`disabled_reason` says why; PATCH `active` to true first.",
    ),
    NotSendable: Problem(
        409, "not-sendable", "It can't be sent again", "It is not true any more, or its text is no longer kept."
    ),
    NoWayToSend: Problem(
        409,
        "no-way-to-send",
        "There is nowhere to send it",
        "The account has no address, or no webhook that is active.",
    ),
    CodeExpired: Problem(
        410,
        "code-expired",
        "The code is no longer valid",
        "It is too old, was used, was tried too often, or a newer one was sent.",
    ),
    MadeAndGone: Problem(
        410,
        "made-and-gone",
        "What this request made is gone",
        "It was made when the same `Idempotency-Key` came first, and has been deleted since.",
    ),
    PreconditionFailed: Problem(
        412,
        "precondition-failed",
        "It has changed",
        "No ETag in `If-Match` is that of the present version: get it again, and look what you would overwrite.",
    ),
    BodyTooLarge: Problem(
        413, "body-too-large", "The body is too large", "`limit` is the number of bytes that are read."
    ),
    UriTooLong: Problem(414, "uri-too-long", "The address is too long", "Cursors and ids are far shorter."),
    UnsupportedMediaType: Problem(
        415, "unsupported-media-type", "Unsupported media type", "Bodies are `application/json`."
    ),
    ExpectationFailed: Problem(
        417, "expectation-failed", "The expectation can't be met", "Of `Expect` only `100-continue` is known."
    ),
    NullBody: Problem(422, "null-body", "The body is null", "An object is expected."),
    InvalidBody: Problem(
        422, "invalid-body", "Invalid body", "`errors` has a JSON pointer into the body for each value at fault."
    ),
    UnknownBodyKey: Problem(422, "unknown-body-key", "Unknown key in the body", "`errors` has a JSON pointer to each."),
    InvalidHeader: Problem(
        422, "invalid-header", "Invalid header", "`errors` names each header at fault, and what was expected."
    ),
    KeyReused: Problem(
        422,
        "key-reused",
        "The key was used for another request",
        "The same `Idempotency-Key` came with another body within 48 hours.",
    ),
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
    BadOrders: Problem(
        422,
        "bad-orders",
        "These are no orders",
        "`errors` says which line, at which column, and what was expected there. Nothing was changed.",
    ),
    BadWebhookUrl: Problem(
        422, "bad-webhook-url", "Webhooks can't go there", "An https address without user info is expected."
    ),
    RateLimited: Problem(
        429, "rate-limited", "Too many requests", "`Retry-After` says in how many seconds to try again."
    ),
    HeadersTooLarge: Problem(
        431, "headers-too-large", "The headers are too large", "There are too many of them, or one is too long."
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
