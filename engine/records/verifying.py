"""A record held against its own seed: everything that can be computed is computed again."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

from engine.chance import stream_key
from engine.game import new_game, question
from engine.leaving import CANCELLATION
from engine.records.form import BadRecord, shown
from engine.records.making import BY_THE_RULES, deal_of, entropy_by_seat, final_of, result_of
from engine.records.replaying import Difference, Left, compare, play_again
from engine.rulebooks.options import OPTIONS, BadOption, check_options
from engine.vocabulary import SEAT_LETTERS


def verify(record: dict[str, Any]) -> Iterator[str]:
    """A line for each thing that was checked; raises Difference at the first that does not hold, or BadRecord.

    ``record`` comes from ``read_record``. What lies in ``about`` cannot be checked.
    """
    yield f"form: {record['format']} {record['schema']}, rules {record['rules']}, {record['seats']} seats"
    seed = bytes.fromhex(record["seed"])
    _check_options(record)
    compare(record["commitment"], hashlib.sha256(seed).hexdigest(), "the commitment")
    yield f"commitment: it is the SHA-256 of the seed, {record['commitment']}"
    yield from _check_entropy(record)
    yield from _check_deal(record, seed)
    yield from _check_play(record, seed)


def _check_options(record: dict[str, Any]) -> None:
    for option in OPTIONS:
        if option not in record["options"]:  # a default may change one day; a record stands for itself
            raise BadRecord(f"'options' lacks {shown(option)}: every house rule is named, at its default, too")
    try:
        check_options(record["options"], record["seats"])
    except BadOption as fault:
        raise BadRecord(f"'options': {ascii(str(fault))[1:-1][:200]}") from fault


def _check_entropy(record: dict[str, Any]) -> Iterator[str]:
    letters = [addition["seat"] for addition in record["entropy"]]
    if letters != sorted(set(letters) & set(SEAT_LETTERS[: record["seats"]])):
        raise Difference(f"entropy: each seat once, in order, was expected, came {shown(letters)}")
    for addition in record["entropy"]:
        if addition["revealed"] is None:
            yield f"entropy: {addition['seat']} committed and did not reveal; it is left out"
        else:
            digest = hashlib.sha256(_utf8(addition)).hexdigest()
            compare(addition["commitment"], digest, f"entropy of {addition['seat']}, the commitment")
            yield f"entropy: {addition['seat']} revealed what hashes to {digest}"


def _utf8(addition: dict[str, Any]) -> bytes:
    text: str = addition["revealed"]
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise Difference(f"entropy of {addition['seat']}: {shown(text)} is no Unicode text") from None


def _check_deal(record: dict[str, Any], seed: bytes) -> Iterator[str]:
    deal = deal_of(stream_key(seed, entropy_by_seat(record["entropy"])), record["seats"], record["options"])
    compare(record["deal"], deal, "the deal")
    yield f"deal: a deck of {len(deal['deck'])} cards, the hands, first player {deal['first']}"


def _check_play(record: dict[str, Any], seed: bytes) -> Iterator[str]:
    state = new_game(seed, record["seats"], record["options"], entropy_by_seat(record["entropy"]))
    play_again(state, record["moves"], record["events"], left_of(record))
    if question(state) is not None:
        raise Difference("this is the last move, and the game was not over", len(record["moves"]))
    ended = {"by": state.ended or BY_THE_RULES, "after": len(record["moves"])}
    compare(record.get("ended", ended), ended, "how it ended", len(record["moves"]))
    yield f"moves: {len(record['moves'])}, each an answer to what was asked, and legal"
    yield f"events: {len(record['events'])}, with {_count_dice(record['events'])} dice"
    compare(record["result"], result_of(state), "the result")
    yield from _told_of_leaving(record)
    yield f"result: {' and '.join(record['result']['winners']) or 'nobody'} won"
    compare(record["final"], final_of(state), "the final state")
    yield f"final state: its lines hash to {record['final']['sha256']}"


def left_of(record: dict[str, Any]) -> list[Left]:
    """Who left after how many moves, in order; a record of a game that nobody left says nothing of it."""
    moves, left = len(record["moves"]), list[Left]()
    for resignation in record.get("resignations", ()):
        seat, after = resignation["seat"], resignation["after"]
        if seat not in tuple(SEAT_LETTERS[: record["seats"]]) or not (left[-1][0] if left else 0) <= after <= moves:
            raise Difference(f"the resignations: a seat, and moves in order, were expected, came {shown(resignation)}")
        left.append((after, SEAT_LETTERS.index(seat)))
    if record.get("ended", {}).get("by") == CANCELLATION:
        left.append((moves, None))
    return left


def _told_of_leaving(record: dict[str, Any]) -> Iterator[str]:
    for resignation in record.get("resignations", ()):
        yield f"resignations: {resignation['seat']}, after move {resignation['after']}"
    if "ended" in record:
        yield f"end: by {record['ended']['by']}, after move {record['ended']['after']}"


def _count_dice(events: list[dict[str, Any]]) -> int:
    facts = [event["facts"] for event in events]
    return sum(len(fact.get("dice", ())) + ("die" in fact) for fact in facts)
