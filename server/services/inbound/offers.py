"""Letters that answer an invitation. Whoever reads the mail of an address has proven it, so accepting makes an account."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session

from server import kicking
from server.database import transaction
from server.errors import PROBLEMS, AlreadySeated, DomainError, InvitationForAnother
from server.ids import new_id
from server.models import Account, Game, Invitation
from server.said import Said, said
from server.services import addresses, games, invitations, names, seating
from server.services.accounts import Caller
from server.services.inbound import replying
from server.services.inbound.verdicts import Case, Verdict

WORDS = ("accept", "decline", "never")


def act(case: Case) -> Verdict:
    word = next((command.word for command in case.commands if command.word in WORDS), None)
    if word is None:
        return replying.unclear(case, replying.note(case, help="invitation"))
    try:
        verdict = _accept(case) if word == "accept" else _refuse(case, never=word == "never")
    except DomainError as refusal:
        answer = said("{command}: {why}", command=word, why=refusal.detail)
        return Verdict("settled", "refused", PROBLEMS[type(refusal)].code, mails=(replying.note(case, [answer]),))
    kicking.kick()
    return verdict


def _accept(case: Case) -> Verdict:
    with transaction() as session:
        offer, game = _locked(session, case)
        account = _account_of(session, case, offer)
        caller = Caller(account.id, frozenset({"games:play"}))
        seat = games.letter_of(game, caller)
        if offer.state != "accepted" or seat is None:  # else it was done, and the answer lost
            invitations.check_stands(offer, case.now)
            if seat is not None:
                raise AlreadySeated(said("you have seat {letter}", letter=seat))
            seating.sit_down(session, game, caller, offer, None, case.now)
            seat = games.own_letter(game, caller)
        answers = [said("you have seat {letter}", letter=seat), _called(account), _goes_on(game)]
    answered = Case(case.letter, case.token, account, case.read, case.commands, case.now)
    mail = replying.of_table(answered, game.id, seat, answers)
    return Verdict("settled", "accepted", mails=(mail,), account_id=account.id)


def _called(account: Account) -> Said:
    return said("the others see you as {name}", name=account.name)


def _goes_on(game: Game) -> Said:
    free = game.seats - len(game.players)
    if game.status == "running":
        return said("the game has begun")
    if free:
        return said("the game begins when {free:more seat is|more seats are} taken", free=free)
    return said("the game begins when its host starts it")


def _refuse(case: Case, never: bool) -> Verdict:
    """The same once more changes nothing; the wish for no more counts however old the invitation is."""
    with transaction() as session:
        offer, _ = _locked(session, case)
        if never:
            digest = offer.email_digest or addresses.digest(case.address or "")
            addresses.never_again(session, digest, case.now)
        if invitations.state_of(offer, case.now) == "open":
            invitations.settle(offer, "refused", case.now)
        elif not never and offer.state != "refused":
            invitations.check_stands(offer, case.now)
    if never:
        answer = said("the invitation is refused, and no other is sent to this address")
    else:
        answer = said("the invitation is refused")
    return Verdict("settled", "never" if never else "declined", mails=(replying.note(case, [answer]),))


def _locked(session: Session, case: Case) -> tuple[Invitation, Game]:
    """With its game, as both are under the lock of the game."""
    offer = session.get_one(Invitation, case.token.about)
    game = games.locked(session, offer.game_id)
    assert game is not None  # a row that others point at is not deleted
    session.refresh(offer)
    return offer, game


def _account_of(session: Session, case: Case, offer: Invitation) -> Account:
    account = session.scalar(select(Account).where(Account.email == case.token.address))
    if offer.account_id is not None and (account is None or offer.account_id != account.id):
        raise InvitationForAnother(said("this seat was offered to another account"))
    if account is not None:
        return account
    invitations.check_stands(offer, case.now)  # for what can't be accepted nobody gets an account
    account = Account(
        id=new_id("u"), email=case.token.address, language=case.language, kind="person", created_at=case.now,
        verified_at=case.now,
    )  # fmt: skip
    names.give(session, account, names.of_a_new_account())
    return account
