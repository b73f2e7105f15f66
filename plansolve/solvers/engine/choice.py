"""The engine `auto`: which engines work on a problem, side by side and one after the other."""

from collections import Counter
from dataclasses import dataclass, replace
from math import factorial, prod
from typing import TypeAlias

from plansolve.certcheck.elementary import LowerBound
from plansolve.model.problem import Problem
from plansolve.model.puzzle import FEW_CELLS, WORD_CELLS, Puzzle
from plansolve.model.structure import PuzzleKind
from plansolve.solvers.engine.registry import ENGINES, Engine
from plansolve.text import counted

_FEW_BOARDS = 100_000
"""Boards with like pieces may be few even on more cells: all are visited in a second or two, which
also shows that a board has no plan."""
# A formula engine that is not done by then has hard horizons to refute, and a plan saves it the
# last and often hardest one; the search for plans lasts at most that long.
SECONDS_ALONE = 2.0
_SECONDS_BESIDE = 15.0
# With its tables IDA* proves short plans in a second, and two cores are too few for all. If it
# makes tables first, the others begin at once.
_SECONDS_FOR_IDASTAR = 1.0
_BEAM_SECONDS = 1.5
"""The time that a beam runs alone before a proof. By then it has usually found a plan that saves
the proof its last round; if it continued to share two cores, a proof would take half as long again.
Construction stops at its first plan, which hardly ever saves a round.
"""
# A plan comes at once; construction by groups then makes it shorter, and a beam that finds its way
# makes it shorter still.
_CONSTRUCTIVE_SECONDS, _CONSTRUCTIVE_SHARE = 5.0, 1 / 2
# Whatever the limit, a first beam must find its plan; without one, the plan is several times too
# long.
_PLANNING_SECONDS = 6.0
# SAT has no hope of long plans: it takes part for so many seconds.
_SAT_SECONDS = 6.0
SAT_MOVES = 34
"""SAT has some hope if the bound before any search is no larger."""


@dataclass(frozen=True)
class Stage:
    """A run of `engine`, for at most `seconds` seconds, with `threads` threads.

    `memory` is its share of all that there is. The first stage of a track begins `after` so many
    seconds. With `plans_only` what the engine proves does not count, so that another one's proof
    stands by itself. It `yields_after` so many seconds, once there is a plan: then it works if
    cores are left.
    """

    engine: Engine
    seconds: float | None = None
    threads: int = 1
    memory: float = 0.25
    after: float = 0.0
    plans_only: bool = False
    yields_after: float | None = None

    @property
    def is_distributed(self) -> bool:
        """Return True if other workers may take its units: it proves, and has no time limit."""
        return self.engine.proves and self.seconds is None and not self.plans_only


Track: TypeAlias = tuple[Stage, ...]
"""Stages that follow each other in time; several tracks run side by side."""


@dataclass(frozen=True)
class Choice:
    """The tracks to run, and the reason for the choice."""

    tracks: tuple[Track, ...]
    reason: str

    @property
    def names(self) -> tuple[tuple[str, ...], ...]:
        """The names of each track's engines."""
        return tuple(tuple(stage.engine.name for stage in track) for track in self.tracks)


def choose(
    problem: Problem, bound: LowerBound, *, optimal: bool, seconds: float | None, threads: int
) -> Choice:
    """Choose by structure, size and the lower bound that is known before any search.

    With `optimal` the proof has all threads, and the search for short plans a small part of the
    time; otherwise both get equal shares.
    """
    kind, cells = problem.structure.kind, problem.puzzle.cells
    if cells <= FEW_CELLS or _has_few_boards(problem.puzzle):
        # The start-up time of an engine decides.
        few = f"{cells} cells" if cells <= FEW_CELLS else "few boards"
        return Choice(
            ((Stage(ENGINES["breadth-first"], memory=0.8),),),
            f"{few}: breadth-first search needs no tables",
        )
    if kind == PuzzleKind.NEEDS:
        return Choice(
            ((Stage(ENGINES["breadth-first"], memory=0.8),),),
            "moves that need pieces in certain cells: breadth-first search of all boards",
        )
    planning = _planning_seconds(optimal, seconds)
    if not optimal:
        # The search for short plans has a core for itself, if there is one to spare.
        threads = max(1, threads - 1)
    if kind == PuzzleKind.PERMUTATIONS:
        return _for_permutations(_plans(planning, seconds), threads)
    if kind == PuzzleKind.ANY:
        return _for_any_puzzle(cells, bound, _plans(planning, seconds), threads)
    return _for_blank_graph(cells, bound, planning, _beam(planning, seconds), threads)


def _has_few_boards(puzzle: Puzzle) -> bool:
    """Return True if there are few placements, because many pieces are alike."""
    if puzzle.cells > WORD_CELLS:
        return False
    alike = prod(map(factorial, Counter(puzzle.pieces).values()))
    return factorial(puzzle.cells) // alike <= _FEW_BOARDS


def _planning_seconds(optimal: bool, seconds: float | None) -> float | None:
    """Return the seconds for the search for short plans if a proof is the aim."""
    if not optimal:
        return None
    return 60.0 if seconds is None else max(_PLANNING_SECONDS, seconds / 10)


def _plans(planning: float | None, seconds: float | None) -> tuple[Track, ...]:
    """Return the tracks of plans: if these are the aim, construction has a part of the time.

    If the proof is, construction waits: the beam has a plan as soon, and most boards are done.
    """
    if planning is not None:
        late = replace(_construction(planning), after=_SECONDS_FOR_IDASTAR)
        return (late,), (_beam(planning, seconds),)
    share = 0.0 if seconds is None else seconds * _CONSTRUCTIVE_SHARE
    return ((_construction(planning, share), _beam(planning, seconds)),)


def _construction(planning: float | None, seconds: float = 0.0) -> Stage:
    """Return the stage that has a plan at once, and makes it shorter for `seconds` or a few."""
    yields_after = None if planning is None else 0.0
    limit = max(_CONSTRUCTIVE_SECONDS, seconds)
    return Stage(ENGINES["constructive"], limit, yields_after=yields_after)


def _beam(planning: float | None, seconds: float | None) -> Stage:
    """Return the beam's stage; it has `planning` seconds if the proof is the aim.

    With a limit of `seconds` it never yields: its plan may be what remains when the limit comes.
    """
    yields_after = None if planning is None or seconds is not None else _BEAM_SECONDS
    return Stage(ENGINES["beam"], planning, yields_after=yields_after)


def _for_permutations(plans: tuple[Track, ...], threads: int) -> Choice:
    return Choice(
        ((Stage(ENGINES["idastar"], memory=0.4, threads=threads),), *plans),
        "permutations: IDA* with pattern databases raises the bound, a beam search shortens plans",
    )


def _for_any_puzzle(
    cells: int, bound: LowerBound, plans: tuple[Track, ...], threads: int
) -> Choice:
    if cells > WORD_CELLS:
        what, proof = "many cells and moves of no special kind", Stage(ENGINES["astar"], memory=0.5)
        if bound.value > SAT_MOVES:
            return Choice((*plans, (proof,)), f"{what}: A* beside a beam search")
        return Choice(
            ((Stage(ENGINES["cnf"]),), (proof,), *plans), f"{what}: SAT and A* side by side"
        )
    return Choice(
        (
            (Stage(ENGINES["idastar"], memory=0.4, threads=threads),),
            *plans,
            (Stage(ENGINES["cnf"], _SAT_SECONDS, after=_SECONDS_FOR_IDASTAR),),
        ),
        "moves of no special kind: IDA* with pattern databases raises the bound, a beam search "
        "shortens plans",
    )


def _for_blank_graph(
    cells: int, bound: LowerBound, planning: float | None, beam: Stage, threads: int
) -> Choice:
    construction = _construction(planning)
    if cells > WORD_CELLS:
        return Choice(
            ((construction, beam), (Stage(ENGINES["idastar"], memory=0.3),)),
            f"{cells} cells: a grid beam shortens plans, IDA* raises the bound a little",
        )
    after = 0.0 if planning is None else _SECONDS_FOR_IDASTAR
    proof = Stage(ENGINES["idastar"], memory=0.4, threads=threads)
    # With one thread there is more to do than cores, and most boards are done in a moment.
    first = construction if threads > 1 else replace(construction, after=after)
    tracks: tuple[Track, ...] = (proof,), (first,), (replace(beam, after=after),)
    what, how = f"a blank on {cells} cells", "IDA* with pattern databases"
    if bound.value > SAT_MOVES:
        return Choice(tracks, f"{what}: {how} beside a beam search")
    return Choice(
        (*tracks, (Stage(ENGINES["cnf"], _SAT_SECONDS, after=after),)),
        f"{what}, {counted(bound.value, 'move')} or more: {how}, SAT and a beam search",
    )


def refute_by(engine: Engine, problem: Problem, *, seconds: float | None, threads: int) -> Choice:
    """Let a formula engine raise the bound alone, beside a search that may find a plan sooner."""
    proof: Track = (Stage(engine, threads=threads, memory=0.6),)
    kind, cells = problem.structure.kind, problem.puzzle.cells
    if kind == PuzzleKind.ANY or cells <= FEW_CELLS:
        return Choice((proof,), f"{engine.name} was requested")
    limit = _SECONDS_BESIDE if seconds is None else min(_SECONDS_BESIDE, seconds / 4)
    plans: Track = (
        Stage(ENGINES["constructive"], _CONSTRUCTIVE_SECONDS, after=SECONDS_ALONE, plans_only=True),
        Stage(ENGINES["beam"], limit, plans_only=True),
    )
    return Choice((proof, plans), f"{engine.name} was requested; a beam search may find the plan")
