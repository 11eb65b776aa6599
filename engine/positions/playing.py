"""From a position to a state that can be played."""

from __future__ import annotations

from collections.abc import Mapping

from engine.chance import stream_key
from engine.errors import BadPosition
from engine.feeding import Feed, link_key
from engine.hunting import Defend
from engine.positions.dealing import Dealing
from engine.positions.faults import faults_of
from engine.positions.lines import Awaiting, Item, Position
from engine.positions.parsing import parse_position
from engine.rulebooks.book import rulebook
from engine.rulebooks.options import FEWEST_SEATS, OPTIONS, BadOption, check_options, full_options
from engine.sharing import SHARE, Sharing
from engine.state import Animal, Link, State
from engine.table import add_card, add_link
from engine.traits.scavenger import Scavenging
from engine.vocabulary import SEAT_LETTERS, number_of, owner_of


def playable(
    position: Position, seed: bytes, options: Mapping[str, str] | None = None, seats: int | None = None
) -> State:
    """The state that the position describes; what it does not name is dealt from the seed.

    ``options`` and ``seats`` hold where the header says nothing. The state is not settled: loading does not move a
    game. Raises BadPosition with every fault.
    """
    rules, faults = _house_rules(position, options or {})
    seats = _seats(position, seats)
    try:
        check_options(rules, seats)
    except BadOption as fault:
        faults.append(fault.detail)
    state = State(rulebook(rules), min(max(seats, FEWEST_SEATS), len(SEAT_LETTERS)), stream_key(seed))
    dealing = Dealing(state, position)
    _lay_out(state, position, dealing)
    _open_questions(state, position)
    faults += dict.fromkeys([*faults_of(state, position), *dealing.faults])
    if faults:
        raise BadPosition(faults)
    return state


def read_playable(text: str, seed: bytes, options: Mapping[str, str] | None = None, seats: int | None = None) -> State:
    """The state that a text describes. Raises BadPosition with the faults of reading and those against the rules."""
    try:
        return playable(parse_position(text), seed, options, seats)
    except BadPosition as fault:
        if fault.readable is None:
            raise
        unread = fault.faults
        readable = fault.readable
    try:
        playable(readable, seed, options, seats)
    except BadPosition as fault:
        raise BadPosition([*unread, *fault.faults]) from None
    raise BadPosition(unread)


def _seats(position: Position, given: int | None) -> int:
    """As many as the header says, else as given, else up to the highest with a line, at least two."""
    highest = max([*position.players, *(owner_of(animal) for animal in position.animals)], default=0)
    said = given if position.seats is None else position.seats
    return max(highest + 1, FEWEST_SEATS) if said is None else said


def _house_rules(position: Position, options: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
    """The house rules that can be played, and the faults of those that cannot."""
    rules: dict[str, str] = {}
    faults = []
    said = dict(position.rules)
    if len(said) < len(position.rules):
        faults.append("a house rule is said twice")
    for option, value in {**options, **said}.items():
        try:
            full_options({option: value})
            rules[option] = value
        except BadOption as fault:
            faults.append(fault.detail)
    return {option: rules[option] for option in OPTIONS if option in rules}, faults


def _lay_out(state: State, position: Position, dealing: Dealing) -> None:
    """Put on the table what has a place there; cards are dealt in the order of NOTATION.md."""
    state.turn, state.phase, state.bank = position.turn, position.phase, position.bank
    state.first, state.idle, state.last_turn = position.first, position.idle, position.last_turn
    state.seat = position.first if position.go is None else position.go
    _lay_out_animals(state, position, dealing)
    for seat, line in sorted(position.players.items()):
        if seat < len(state.players):
            state.players[seat].pile = dealing.cards(line.discard)
    for seat, line in sorted(position.players.items()):
        if seat < len(state.players):
            player = state.players[seat]
            player.hand, player.passed = dealing.cards(line.hand), line.passed
            player.born = max(player.born, line.born or 0)
    state.deck = dealing.take(position.deck)


def _lay_out_animals(state: State, position: Position, dealing: Dealing) -> None:
    for id, line in sorted(position.animals.items()):
        if owner_of(id) < len(state.players):
            card, *_ = dealing.take(1) or (0,)
            animal = Animal(id, card)
            player = state.players[owner_of(id)]
            player.animals[id] = animal
            player.born = number_of(id)
            for end in dealing.ends[id]:
                add_card(state, animal, end)
            animal.food, animal.fat = line.food, sum(line.full)
            animal.marks, animal.forfeited = line.marks, line.forfeited
    for pair, end in zip(position.pairs, dealing.ends[None], strict=True):
        if pair.first != pair.second and state.find(pair.first) and state.find(pair.second):
            add_link(state, Link(end, pair.first, pair.second))


def _open_questions(state: State, position: Position) -> None:
    """The go that has begun, and what is asked above it."""
    grazed = tuple(id for id, line in sorted(position.animals.items()) if line.grazed)
    spent = [link_key(pair.trait, pair.first, pair.second) for pair in position.pairs if pair.spent]
    if not (position.acted or position.used or grazed or spent or position.awaiting):
        return
    go = Feed(state.seat)
    go.main, go.extra, go.grazed, go.spent = position.acted, position.used, grazed, tuple(sorted(spent))
    state.stack.append(go)
    if position.pending:
        state.stack.append(_sharing(position.pending))
    if position.awaiting is not None:
        state.stack.append(_awaited(position.awaiting))


def _awaited(awaiting: Awaiting) -> Defend | Scavenging | Sharing:
    if awaiting.kind == "defend":
        carnivore, prey = awaiting.animals
        return Defend(carnivore, prey, awaiting.ran)
    if awaiting.kind == "scavenge":
        return Scavenging(awaiting.seat)
    sharing = _sharing(awaiting.items)
    sharing.seat = awaiting.seat
    return sharing


def _sharing(items: tuple[Item, ...]) -> Sharing:
    return Sharing(tuple(SHARE[trait][giver][partner] for trait, giver, partner in items))
