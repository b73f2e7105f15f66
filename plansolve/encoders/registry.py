"""The encodings by name, and the choice among them by structure."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Protocol

from plansolve.encoders.builder import Builder, Decoder
from plansolve.encoders.full_layer import FullLayer
from plansolve.encoders.half_layer import HalfLayer
from plansolve.encoders.lemmas.registry import (
    AWAY_COUNTER,
    DISTANCE,
    DUPLICATE_WORDS,
    LEMMAS,
    LINEAR_CONFLICT,
    MOVE_ORDER,
    NO_UNDO,
    PAIR_MUTEX,
    PATTERN_EXCESS,
    PERIMETER,
    TILE_BLANK,
    TRIPLE_MUTEX,
    WASTE_COUNTER,
    WASTE_EXCESS,
)
from plansolve.encoders.permutation import PermutationLayer
from plansolve.errors import OptionError
from plansolve.model.problem import Problem
from plansolve.model.puzzle import FEW_CELLS
from plansolve.model.structure import Structure

__all__ = ["ENCODINGS", "Encoder", "Encoding", "choose_encoding", "choose_lemmas"]


class Encoder(Protocol):
    """One problem made ready to be encoded with one choice of lemmas."""

    def encode(self, builder: Builder, horizon: int) -> Decoder:
        """Writes "there is a plan of exactly `horizon` moves"; returns the decoder of models."""


@dataclass(frozen=True)
class Encoding:
    """One encoding: what it needs of a puzzle's structure and which lemmas it knows.

    `prepare(problem, lemmas)` works out the tables that all horizons share. `default` are the
    lemmas that measure best with SAT solvers, on boards of more than nine cells together with
    `large_default`; `cpsat_default` those with CP-SAT.

    How long a SAT solver may take to refute all lengths below a plan's is one of these, within a
    factor of three: (scale, power) of `seconds_by_nodes` mean scale * nodes ** power seconds, for
    the boards that IDA* with pattern databases visits in the rounds below it; or it is a minute at
    `waste_of_a_minute` moves beyond the first bound, and ten times that for two more.
    """

    name: str
    needs: str
    fits: Callable[[Structure], bool]
    prepare: Callable[[Problem, Collection[str]], Encoder]
    lemmas: frozenset[str]
    default: frozenset[str]
    cpsat_default: frozenset[str]
    large_default: frozenset[str] = frozenset()
    seconds_by_nodes: tuple[float, float] | None = None
    waste_of_a_minute: int | None = None


def _is_two_coloured(structure: Structure) -> bool:
    return structure.blank_graph is not None and structure.blank_graph.colouring is not None


_TABLE_LEMMAS = frozenset({PATTERN_EXCESS, DUPLICATE_WORDS, PERIMETER})
_WALK_LEMMAS = frozenset({DISTANCE, TILE_BLANK, NO_UNDO})

ENCODINGS: Mapping[str, Encoding] = MappingProxyType(
    {
        encoding.name: encoding
        for encoding in (
            Encoding(
                name="half-layer",
                needs="a blank graph with two colours",
                fits=_is_two_coloured,
                prepare=HalfLayer,
                lemmas=_WALK_LEMMAS
                | {AWAY_COUNTER, LINEAR_CONFLICT, PATTERN_EXCESS, DUPLICATE_WORDS, PERIMETER},
                default=_WALK_LEMMAS | {AWAY_COUNTER, LINEAR_CONFLICT},
                cpsat_default=_WALK_LEMMAS | {AWAY_COUNTER, LINEAR_CONFLICT},
                large_default=_TABLE_LEMMAS,
                # Fitted to `plansolve generate --size 4x4 --count 20 --seed 6`, on two cores.
                seconds_by_nodes=(0.05, 0.6),
            ),
            Encoding(
                name="full-layer",
                needs="a blank graph",
                fits=lambda structure: structure.blank_graph is not None,
                prepare=FullLayer,
                lemmas=_WALK_LEMMAS | {WASTE_COUNTER, WASTE_EXCESS},
                default=_WALK_LEMMAS | {WASTE_COUNTER, WASTE_EXCESS},
                cpsat_default=_WALK_LEMMAS,
                # As several tiles' moves are counted together, the waste decides: Lloyd's square.
                waste_of_a_minute=9,
            ),
            Encoding(
                name="permutation",
                needs="nothing",
                fits=lambda structure: True,
                prepare=PermutationLayer,
                lemmas=frozenset({DISTANCE, NO_UNDO, MOVE_ORDER, PAIR_MUTEX, TRIPLE_MUTEX}),
                # Mutexes of triples halve the conflicts and save no time.
                default=frozenset({DISTANCE, NO_UNDO, MOVE_ORDER, PAIR_MUTEX}),
                # Hundreds of thousands of mutexes take CP-SAT longer to read than they save.
                cpsat_default=frozenset({DISTANCE, NO_UNDO, MOVE_ORDER}),
                # Fitted to boards of the 2023 contest of 8 to 11 moves.
                seconds_by_nodes=(0.012, 0.9),
            ),
        )
    }
)


def choose_encoding(structure: Structure, name: str | None = None) -> Encoding:
    """The encoding called `name`, or else the first that fits the structure.

    Raises `OptionError` for an unknown name, or for one that does not fit.
    """
    if name is None:
        return next(encoding for encoding in ENCODINGS.values() if encoding.fits(structure))
    if name not in ENCODINGS:
        raise OptionError(f"unknown encoding {name!r}: choose from {', '.join(ENCODINGS)}")
    if not ENCODINGS[name].fits(structure):
        fitting = ", ".join(e.name for e in ENCODINGS.values() if e.fits(structure))
        raise OptionError(
            f"the {name} encoding needs {ENCODINGS[name].needs}; for this puzzle: {fitting}"
        )
    return ENCODINGS[name]


def choose_lemmas(
    encoding: Encoding, names: Iterable[str] | None = None, engine: str = "cnf", *, cells: int = 0
) -> frozenset[str]:
    """The lemmas to use: `names`, or else the default for boards of so many cells.

    The empty tuple is the plain variant.

    Raises `OptionError` for a lemma that does not exist, or that the encoding does not know.
    """
    if names is None:
        if engine == "cp-sat":
            return encoding.cpsat_default
        return encoding.default | (encoding.large_default if cells > FEW_CELLS else frozenset())
    chosen = frozenset(names)
    for name in sorted(chosen - encoding.lemmas):
        what = f"the {encoding.name} encoding has no lemma" if name in LEMMAS else "unknown lemma"
        raise OptionError(f"{what} {name!r}: choose from {', '.join(sorted(encoding.lemmas))}")
    for name in sorted(chosen):
        base = LEMMAS[name].base
        if base is not None and base not in chosen:
            raise OptionError(f"lemma {name} works on top of {base}: add it")
    return chosen
