"""Bots: accounts without an address, each owned by a person, with limits to what they let themselves in for.

An owner and his bots count as one person: they sit together only at a table made for that (`own_bots`)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from server import clock
from server.database import reading, transaction
from server.errors import BotDeclines, NotTheOwner, SamePerson, TooManyBots, UnknownBot
from server.ids import is_id, new_id
from server.models import Account, Bot, Game, Seat, Token
from server.said import said
from server.services import accounts, names, repeating, tokens
from server.services.accounts import Caller
from server.services.looking import Expects, Known, Version, Versioned
from server.services.repeating import Made

MOST = 10
SCOPES = ("games:read", "games:play", "webhooks")
OWN = ("engine", "description")


def create(caller: Caller, name: str, **about: Any) -> Made:
    """`about`: engine, description, accepts, as the columns of that name."""
    with transaction() as session:
        again = repeating.earlier(session, caller)
        if again is not None:
            return Made(_shown(session, repeating.found(session, Bot, again)), again=True)
        owner = accounts.lock(session, caller)
        _check_number(session, owner)
        account = _account_for(session, owner, name)
        bot = Bot(account_id=account.id, owner_id=owner.id, **about)
        session.add(bot)
        repeating.remember(session, caller, bot.account_id)
        return Made(described(bot, account, owner))


def _check_number(session: Session, owner: Account) -> None:
    if (session.scalar(select(func.count()).where(Bot.owner_id == owner.id)) or 0) >= MOST:
        raise TooManyBots(said("an account has at most {most:bot|bots}", most=MOST))


def _account_for(session: Session, owner: Account, name: str) -> Account:
    names.check(name)
    about = {"language": owner.language, "time_zone": owner.time_zone, "created_at": clock.now()}
    account = Account(id=new_id("u"), kind="bot", version=1, **about)
    names.give(session, account, name)
    return account


def show(bot_id: str, known: Known) -> Versioned:
    """What is public about a bot, which is all there is."""
    with reading() as session:
        bot = _find(session, bot_id)
        account, owner = session.get_one(Account, bot.account_id), session.get_one(Account, bot.owner_id)
        version = version_of(account, owner)
        return Versioned(version, None if known(version) else described(bot, account, owner))


def change(caller: Caller, bot_id: str, changes: dict[str, Any], expects: Expects) -> Versioned:
    """`changes`: of name, engine, description and accepts those that are to be another; of `accepts`, too, only those."""
    with transaction() as session:
        bot, account = lock_own(session, caller, bot_id)
        owner = session.get_one(Account, bot.owner_id)
        expects(version_of(account, owner))
        for what in OWN:
            setattr(bot, what, changes.get(what, getattr(bot, what)))
        bot.accepts = bot.accepts | changes.get("accepts", {})
        if "name" in changes:
            names.check(changes["name"])
            names.give(session, account, changes["name"])
        account.version += 1
        return Versioned(version_of(account, owner), described(bot, account, owner))


def _find(session: Session, bot_id: str) -> Bot:
    bot = session.get(Bot, bot_id) if is_id("u", bot_id) else None
    if bot is None:
        raise UnknownBot(said("there is no bot {bot}", bot=bot_id[:40]))
    return bot


def lock_own(session: Session, caller: Caller, bot_id: str) -> tuple[Bot, Account]:
    """A bot of the caller's, whose account nobody else changes until the end of the transaction."""
    check_owner(session, caller, bot_id)
    account = session.get_one(Account, bot_id, with_for_update=True, populate_existing=True)
    bot = session.get(Bot, bot_id, populate_existing=True)
    if bot is None:
        raise UnknownBot(said("there is no bot {bot}", bot=bot_id))
    return bot, account


def check_owner(session: Session, caller: Caller, bot_id: str) -> None:
    if _find(session, bot_id).owner_id != caller.account_id:
        raise NotTheOwner(said("only its owner may do this to a bot"))


def create_token(caller: Caller, bot_id: str, name: str, scopes: list[str], expires_in: timedelta) -> Made:
    """A token of the bot's, which its owner alone gets to see."""
    with transaction() as session:
        again = repeating.earlier(session, caller)
        if again is not None:
            return Made(tokens.with_secret(repeating.found(session, Token, again), None, caller), again=True)
        _, account = lock_own(session, caller, bot_id)
        token, text = tokens.add(session, account.id, name, scopes, expires_in, clock.now())
        repeating.remember(session, caller, token.id)
    return Made(tokens.with_secret(token, text, caller))


def revoke_token(caller: Caller, bot_id: str, token_id: str) -> None:
    with transaction() as session:
        check_owner(session, caller, bot_id)
        tokens.withdraw(session, bot_id, token_id, clock.now())


def check_accepts(session: Session, account: Account, game: Game) -> None:
    """Whether a bot lets itself in for the game; a person does always. Locks the account: two games at once shall not
    both be its last."""
    bot = session.get(Bot, account.id)
    if bot is None:
        return
    session.refresh(account, with_for_update=True)
    if game.seats not in bot.accepts["seats"]:
        raise BotDeclines(
            said(
                "{bot} plays at tables of {accepted} seats, not of {seats}",
                bot=account.name,
                accepted=bot.accepts["seats"],
                seats=game.seats,
            )
        )
    if _games_of(session, account, game) >= bot.accepts["games_at_once"]:
        raise BotDeclines(
            said(
                "{bot} plays {most:game|games} at once, and no more",
                bot=account.name,
                most=bot.accepts["games_at_once"],
            )
        )


def _games_of(session: Session, account: Account, but: Game) -> int:
    """Those that it sits in, begun or not."""
    others = select(func.count()).select_from(Seat).join(Game, Game.id == Seat.game_id)
    busy = (Seat.account_id == account.id, Seat.played_by == "player", Game.id != but.id)
    return session.scalar(others.where(*busy, Game.status.in_(("open", "running")))) or 0


def check_persons(session: Session, account: Account, game: Game) -> None:
    """Whether nobody would sit at the table twice, in his own seat and in those of his bots."""
    if not game.own_bots and person_of(session, account.id) in persons_of(session, game):
        raise SamePerson(said("a bot and its owner, or two bots of one owner, can't sit together at this table"))


def persons_of(session: Session, game: Game) -> set[str]:
    """The accounts of the people behind the seats."""
    return {person_of(session, seat.account_id) for seat in game.players}


def person_of(session: Session, account_id: str) -> str:
    """The account of a person: his own, or of the owner of a bot."""
    bot = session.get(Bot, account_id)
    return account_id if bot is None else bot.owner_id


def version_of(account: Account, owner: Account) -> Version:
    return ("bot", account.id, account.version, owner.name)


def _shown(session: Session, bot: Bot) -> dict[str, Any]:
    return described(bot, session.get_one(Account, bot.account_id), session.get_one(Account, bot.owner_id))


def described(bot: Bot, account: Account, owner: Account) -> dict[str, Any]:
    return {
        "id": account.id,
        "name": account.name,
        "owner": owner.name,
        "engine": bot.engine,
        "description": bot.description,
        "accepts": bot.accepts,
        "created_at": account.created_at,
    }
