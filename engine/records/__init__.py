"""Records of finished games: made, printed for people, replayed and checked. ``docs/fairness.md`` describes them."""

from engine.records.form import BadRecord, read_record
from engine.records.making import entropy_by_seat, make_record, result_of
from engine.records.printing import print_record
from engine.records.replaying import Difference, Left, play_again
from engine.records.verifying import verify

__all__ = [
    "BadRecord",
    "Difference",
    "Left",
    "entropy_by_seat",
    "make_record",
    "play_again",
    "print_record",
    "read_record",
    "result_of",
    "verify",
]
