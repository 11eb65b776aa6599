"""Why a move is refused. Nothing is decided here: a move is legal when it is offered (``flow.legal_moves``).

This file only finds the words for one that was not, with the same questions to the traits that the offer asks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from engine.cards import END_KIND, END_TRAIT, KIND_ENDS, End
from engine.feeding import Feed
from engine.flow import legal_moves
from engine.hunting import Defend
from engine.saying import Said, said
from engine.tokens import can_receive
from engine.vocabulary import HIBERNATING, Seat, animal_name, owner_of, seat_name

if TYPE_CHECKING:
    from engine.notation import Wanted
    from engine.questions import Question
    from engine.state import Animal, State

OFFERED: Final = 8  # moves that are named where none of them was given

# reason -> what it means. The list is closed: clients may rely on it.
REASONS: Final[dict[str, Said]] = {
    "already-attacked": said("this carnivore has used its attack of this turn"),
    "already-fed": said("this animal is fed, and only a hungry one may do that"),
    "already-grazed": said("this animal has grazed in this go"),
    "already-hibernating": said("this animal is hibernating already"),
    "already-mimicked": said("this mimicry has worked in this turn"),
    "already-ran": said("this animal has rolled its die in this attack"),
    "already-stolen": said("this pirate has used its theft of this turn"),
    "animal-hibernating": said("a hibernating animal takes no tokens"),
    "animal-full": said("this animal is fed and has no empty fat card"),
    "animal-lacks-trait": said("this animal does not have the trait for it"),
    "bank-empty": said("there is no food in the bank"),
    "card-not-there": said("there is no such card on this animal"),
    "defence-compulsory": said("a defence that works must be used"),
    "forfeited": said("a pass has forfeited this ability until the end of the phase"),
    "game-over": said("the game is over"),
    "hibernated-last-turn": said("no animal hibernates two turns running"),
    "last-turn": said("there is no hibernation in the last turn"),
    "main-action-made": said("the main action of this go is made: one token, one attack or one conversion a go"),
    "must-take-food": said("the bank has food and an animal of this seat can take it, so a main action is due"),
    "no-fat": said("this animal has no yellow token"),
    "no-such-animal": said("there is no such animal on the table"),
    "not-in-hand": said("this card is not in the hand"),
    "not-attacked": said("only the animal that is attacked defends itself"),
    "not-legal-now": said("this is not among the legal moves now"),
    "not-this-phase": said("this is not done in this phase"),
    "not-your-animal": said("this animal belongs to another seat"),
    "not-to-be-shared": said("no token is to pass that way now"),
    "other-question": said("another question is open"),
    "pair-exists": said("this paired trait joins these two animals already"),
    "pair-needs-two": said("a paired trait joins two different animals"),
    "prey-burrowed": said("the prey is burrowing and fed"),
    "prey-camouflaged": said("the prey is camouflaged, and the hunter has no sharp vision"),
    "prey-in-water": said("the prey swims, and the hunter does not"),
    "prey-is-the-hunter": said("a carnivore does not attack itself"),
    "prey-large": said("the prey is large, and the hunter is not"),
    "prey-on-land": said("the hunter swims, and the prey does not"),
    "prey-protected": said("the prey is protected by a living symbiont"),
    "symbiont-hungry": said("this animal receives nothing before its symbiont is fed"),
    "target-not-another-own": said("mimicry sends the attacker to another animal of the same owner"),
    "too-many-tokens": said("no more fat is turned into food than the animal has and needs"),
    "trait-for-others-only": said("this trait goes on another seat's animal only"),
    "trait-for-own-only": said("this trait goes on one's own animals only"),
    "trait-twice": said("this animal has this trait already"),
    "traits-exclude": said("this trait and one on the animal exclude each other"),
    "victim-fed": said("a fed animal cannot be robbed"),
    "victim-is-the-pirate": said("a pirate does not rob itself"),
    "victim-without-food": said("there is no food token to steal; fat does not count"),
}


def why_not(state: State, wanted: Wanted) -> tuple[str, Said]:
    """The reason (a key of REASONS) why that move is not legal now, and a sentence that says so."""
    reason = _reason(state, wanted)
    if reason == "other-question":
        return reason, _open_question(state, wanted)
    why = REASONS[reason]
    if wanted.animal is None:
        return reason, said("'{word}' is refused: {why}", word=wanted.word, why=why)
    animal = animal_name(wanted.animal)
    return reason, said("'{word}' is refused: {animal}: {why}", word=wanted.word, animal=animal, why=why)


def _open_question(state: State, wanted: Wanted) -> Said:
    moves = [str(move) for move in legal_moves(state)]
    return said(
        "'{word}' does not answer the open question: {seat} may answer {moves}",
        word=wanted.word,
        seat=seat_name(state.stack[-1].seat),
        moves=moves[:OFFERED] + ["…"] * (len(moves) > OFFERED),
    )


def _reason(state: State, wanted: Wanted) -> str:
    if state.is_over:
        return "game-over"
    question = state.stack[-1]
    for animal in (wanted.animal, wanted.target, wanted.partner):
        if animal is not None and state.find(animal) is None:
            return "no-such-animal"
    if question.kind == "develop":
        return _why_not_developing(state, question.seat, wanted) or "not-legal-now"
    if isinstance(question, Feed):
        return _why_not_feeding(state, question, wanted) or "not-legal-now"
    if isinstance(question, Defend):
        return _why_not_defending(state, question, wanted) or "not-legal-now"
    return _why_not_chosen(state, question, wanted)


def _why_not_developing(state: State, seat: Seat, wanted: Wanted) -> str:
    if wanted.word not in ("animal", "play"):
        return "not-this-phase"
    held = state.players[seat].hand
    ends = [end for end in _ends_meant(wanted) if END_KIND[end] in held]
    if not ends:
        return "not-in-hand"
    return _why_not_placed(state, seat, ends[0], wanted)


def _ends_meant(wanted: Wanted) -> list[End]:
    if wanted.end is not None:
        return [wanted.end]
    if wanted.kind is not None:
        return list(KIND_ENDS[wanted.kind])
    return [end for end, trait in enumerate(END_TRAIT) if trait == wanted.trait]


def _why_not_placed(state: State, seat: Seat, end: End, wanted: Wanted) -> str:
    if wanted.animal is None:
        return ""
    animal = state.animal(wanted.animal)
    trait = state.book.by_code[END_TRAIT[end]]
    own = owner_of(animal.id) == seat and (wanted.partner is None or owner_of(wanted.partner) == seat)
    if own is trait.on_foreign:
        return "trait-for-others-only" if trait.on_foreign else "trait-for-own-only"
    if trait.paired:
        if wanted.partner is None or wanted.partner == animal.id:
            return "pair-needs-two"
        return "pair-exists" if animal.link_to(wanted.partner, trait.code) else ""
    if animal.traits & trait.bit and not trait.repeatable:
        return "trait-twice"
    return "traits-exclude" if animal.traits & state.book.blocked_by[end] else ""


def _why_not_feeding(state: State, go: Feed, wanted: Wanted) -> str:
    if wanted.word in ("animal", "play"):
        return "not-this-phase"
    if wanted.word in ("end", "pass"):
        return "must-take-food"
    if wanted.animal is None or wanted.word not in _actions(state):
        return "other-question"
    animal = state.animal(wanted.animal)
    if owner_of(animal.id) != go.seat:
        return "not-your-animal"
    if wanted.word == "feed":
        return _why_not_fed(state, go, animal)
    return _why_not_acting(state, go, animal, wanted)


def _actions(state: State) -> set[str]:
    return {"feed"} | {trait.action for trait in state.book.having[state.book.acting]}


def _why_not_fed(state: State, go: Feed, animal: Animal) -> str:
    if go.main:
        return "main-action-made"
    return _why_closed(state, animal) if state.bank else "bank-empty"


def _why_closed(state: State, animal: Animal) -> str:
    """Why no token may come to that animal."""
    if can_receive(state, animal):
        return ""
    if animal.marks & HIBERNATING:
        return "animal-hibernating"
    full = animal.is_fed() and animal.fat == animal.fat_slots
    return "animal-full" if full else "symbiont-hungry"


def _why_not_acting(state: State, go: Feed, animal: Animal, wanted: Wanted) -> str:
    trait = next(trait for trait in state.book.traits if trait.action == wanted.word)
    if not animal.traits & trait.bit:
        return "animal-lacks-trait"
    if trait.main and go.main:
        return "main-action-made"
    reason = trait.refuses(state, go, animal, wanted)
    return _why_closed(state, animal) if reason == "cannot-receive" else reason


def _why_not_defending(state: State, attack: Defend, wanted: Wanted) -> str:
    if wanted.word not in {"yield"} | {trait.defence for trait in state.book.having[state.book.defending]}:
        return "other-question"
    if wanted.animal != attack.prey:
        return "not-attacked"
    if wanted.word == "yield":
        return "defence-compulsory"
    prey = state.animal(attack.prey)
    trait = next(trait for trait in state.book.traits if trait.defence == wanted.word)
    if not prey.traits & trait.bit:
        return "animal-lacks-trait"
    return trait.refuses_answer(state, attack, prey, wanted)


def _why_not_chosen(state: State, question: Question, wanted: Wanted) -> str:
    """Which scavenger eats, which pair fires: one of those that are named, and no other."""
    if wanted.animal is None or wanted.word != question.kind:
        return "other-question"
    if owner_of(wanted.animal) != question.seat:
        return "not-your-animal"
    if wanted.word == "share":
        return "not-to-be-shared"
    return _why_closed(state, state.animal(wanted.animal)) or "animal-lacks-trait"
