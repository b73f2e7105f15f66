"""The lemmas by name, in the order in which encodings add their clauses."""

from collections.abc import Collection, Mapping

from plansolve.encoders.lemmas.distance import DISTANCE, TILE_BLANK
from plansolve.encoders.lemmas.duplicate_sequences import DUPLICATE_SEQUENCES, MOVE_ORDER, NO_UNDO
from plansolve.encoders.lemmas.lemma import ClauseLemma, Lemma
from plansolve.encoders.lemmas.pair_mutex import PAIR_MUTEX
from plansolve.encoders.lemmas.perimeter import DEEP_PERIMETER, PERIMETER
from plansolve.encoders.lemmas.waste_counter import LINEAR_CONFLICT, WASTE_COUNTER
from plansolve.model.problem import Problem

LEMMAS: Mapping[str, Lemma] = {
    lemma.name: lemma
    for lemma in (
        DISTANCE,
        TILE_BLANK,
        NO_UNDO,
        PERIMETER,
        DEEP_PERIMETER,
        WASTE_COUNTER,
        LINEAR_CONFLICT,
        DUPLICATE_SEQUENCES,
        MOVE_ORDER,
        PAIR_MUTEX,
    )
}


def prepare(
    problem: Problem, names: Collection[str], *, is_first: bool = False
) -> list[ClauseLemma]:
    """Return the lemmas of these names that write clauses of their own, made ready for a problem.

    Return either those that `is_first`, or the others.
    """
    chosen = [lemma for lemma in LEMMAS.values() if lemma.name in names]
    return [
        lemma.clauses(problem, [other for other in chosen if other.base == lemma.name])
        for lemma in chosen
        if lemma.clauses and lemma.is_first == is_first
    ]
