"""The lemmas by name, in the order in which encodings add their clauses."""

from collections.abc import Collection, Mapping
from types import MappingProxyType

from plansolve.encoders.lemmas.distance import DISTANCE
from plansolve.encoders.lemmas.duplicate_sequences import DUPLICATE_SEQUENCES
from plansolve.encoders.lemmas.lemma import ClauseLemma, Lemma
from plansolve.encoders.lemmas.linear_conflict import LINEAR_CONFLICT
from plansolve.encoders.lemmas.move_order import MOVE_ORDER
from plansolve.encoders.lemmas.no_undo import NO_UNDO
from plansolve.encoders.lemmas.pair_mutex import PAIR_MUTEX
from plansolve.encoders.lemmas.perimeter import DEEP_PERIMETER, PERIMETER, SEARCH_TREE
from plansolve.encoders.lemmas.tile_blank import TILE_BLANK
from plansolve.encoders.lemmas.triple_mutex import TRIPLE_MUTEX
from plansolve.encoders.lemmas.waste_counter import WASTE_COUNTER
from plansolve.encoders.lemmas.waste_excess import WASTE_EXCESS
from plansolve.model.problem import Problem

__all__ = ["LEMMAS", "RENAMED", "keeps_every_plan", "keeps_shortest_plans", "prepare"]

LEMMAS: Mapping[str, Lemma] = MappingProxyType(
    {
        lemma.name: lemma
        for lemma in (
            DISTANCE,
            TILE_BLANK,
            NO_UNDO,
            PERIMETER,
            DEEP_PERIMETER,
            SEARCH_TREE,
            WASTE_COUNTER,
            LINEAR_CONFLICT,
            WASTE_EXCESS,
            DUPLICATE_SEQUENCES,
            MOVE_ORDER,
            PAIR_MUTEX,
            TRIPLE_MUTEX,
        )
    }
)

RENAMED: Mapping[str, str] = MappingProxyType(
    {
        "away-counter": WASTE_COUNTER.name,
        "pattern-excess": WASTE_EXCESS.name,
        "duplicate-words": DUPLICATE_SEQUENCES.name,
    }
)
"""Names of earlier versions, and the lemmas that have taken their place."""


def keeps_every_plan(name: str) -> bool:
    """Whether the lemma leaves all plans of exactly T moves."""
    return LEMMAS[name].keeps == "every plan"


def keeps_shortest_plans(name: str) -> bool:
    """Whether the lemma leaves all plans of exactly T moves where no shorter plan exists."""
    return LEMMAS[name].keeps != "one plan"


def prepare(
    problem: Problem, names: Collection[str], *, is_first: bool = False
) -> list[ClauseLemma]:
    """The lemmas of these names that write clauses of their own, made ready for a problem.

    Those that come before everything else, or the others.
    """
    chosen = [lemma for lemma in LEMMAS.values() if lemma.name in names]
    return [
        lemma.clauses(problem, [other for other in chosen if other.base == lemma.name])
        for lemma in chosen
        if lemma.clauses and lemma.is_first == is_first
    ]
