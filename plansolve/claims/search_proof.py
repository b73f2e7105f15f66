"""Make search proofs: choose patterns, cut the search into units, and write both.

The solver has searched already; the proof lets others repeat the search. A small tree is searched
here too, so that its proof is known to hold. Other processes and machines can search the units of a
proof, and a store can keep their answers. Each worker makes the tables itself, by the checker's
code. The answers in a store are as trustworthy as their writer, usually this machine.
"""

import json
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any

from plansolve.certcheck.files import SEARCH, UNITS
from plansolve.certcheck.options import CheckFailed, SearchedUnits
from plansolve.certcheck.pattern_tables import KindPlacements
from plansolve.certcheck.search.check import built_tables
from plansolve.certcheck.search.moves import OperatorMoves, PlanMoves, WalkMoves, moves_of
from plansolve.certcheck.search.proof import PatternLookup, SearchProof, read_search_proof
from plansolve.certcheck.search.search_kernel import DONE, GOAL, NODES
from plansolve.certcheck.search.tree import ProofTree
from plansolve.certcheck.search.tree_kinds import tree_of
from plansolve.certcheck.search.units import found_plan, frontier, search_unit, units_text
from plansolve.certcheck.search.words import fitting_length
from plansolve.certcheck.threads import Unwanted, never, require_wanted, while_wanted
from plansolve.checker import check_plan
from plansolve.errors import InternalError, ProofError
from plansolve.formats import read_problem
from plansolve.formats.json_document import problem_text
from plansolve.json_reader import Whole
from plansolve.model.problem import Problem
from plansolve.model.puzzle import BLANK, Plan
from plansolve.patterns.choose import PlacementChooser, permutation_chooser
from plansolve.patterns.partition import SumChooser, additive_chooser, default_size, patterns_of
from plansolve.patterns.rules import placement_rules
from plansolve.patterns.table import Pattern
from plansolve.solvers.limits import is_unwanted
from plansolve.solvers.protocol import Distribution
from plansolve.solvers.units.team import UnitAnswer, team_of
from plansolve.storage.files import write_lines

_VERSION = 2
"""Raised when the checker's search changes, so that older answers are no longer valid."""
_PARTS = 512
"""The most jobs for a team: each takes seconds if the whole proof takes long."""


@dataclass(frozen=True)
class PathsAnswer(UnitAnswer):
    """The number of boards entered, and the plans found."""

    boards: Whole
    plans: tuple[Plan, ...]


@dataclass(frozen=True)
class PathsUnit:
    """Some units of a search proof: the canonical text of the problem, `search.json`, and paths."""

    problem: str
    proof: str
    paths: tuple[tuple[int, ...], ...]

    @property
    def key(self) -> str:
        parts = [_VERSION, self.problem, self.proof, self.paths]
        return sha256(json.dumps(parts).encode()).hexdigest()

    def run(self) -> PathsAnswer:
        begin, boards, plans = time.perf_counter(), 0, list[Plan]()
        try:
            with _making:
                tree = _tree(self.problem, self.proof)
        except TimeoutError:
            return PathsAnswer(boards, (), is_done=False)
        for path in self.paths:
            found = search_unit(tree, path, is_unwanted)
            if found is None:
                return PathsAnswer(boards, (), is_done=False)
            boards += found.boards
            plans += found.plans
        return PathsAnswer(boards, tuple(plans), seconds=time.perf_counter() - begin)

    def answer(self, document: dict[str, Any], seconds: float) -> PathsAnswer:
        """Return the answer in a document; raise `ValueError` if no search gives it."""
        found = PathsAnswer.of(document, seconds)
        if found.plans:
            problem = read_problem(self.problem)
            if not all(check_plan(problem, plan).solves for plan in found.plans):
                raise ValueError("one of its plans does not reach the goal")
        return found


@dataclass(frozen=True)
class SearchingTeam:
    """Searches the units of a proof with an executor and a store."""

    distribution: Distribution
    threads: int
    deadline: float | None
    tell: Callable[[str], None]

    def __call__(
        self, tree: ProofTree, paths: Sequence[tuple[int, ...]]
    ) -> Iterator[SearchedUnits]:
        """Yield finished units, as `certcheck.search.units.run_units` does."""
        problem, proof = problem_text(tree.problem), json.dumps(tree.proof.document())
        size = -(-len(paths) // _PARTS)
        parts = [tuple(paths[begin : begin + size]) for begin in range(0, len(paths), size or 1)]
        units = [PathsUnit(problem, proof, part) for part in parts]
        name = f"check {sha256(f'{problem} {proof}'.encode()).hexdigest()}"
        with team_of(
            self.distribution, name, self.threads, lambda: self.deadline, self.tell
        ) as team:
            done = 0
            for answered in team.run(units, tree.proof.bound):
                if answered is None:
                    continue
                done, answer = done + 1, answered.answer
                units_of_part = len(parts[answered.number])
                yield SearchedUnits(units_of_part, answer.boards, done <= team.known, answer.plans)
            if done < len(units):
                raise TimeoutError("the deadline passed before all units were searched")


# Without the lock, threads that need the same tree would each make it.
_making = Lock()


@lru_cache(maxsize=2)
def _tree(problem: str, proof: str) -> ProofTree:
    posed = read_problem(problem)
    tree = tree_of(posed, read_search_proof(proof.encode(), posed.puzzle.cells), is_unwanted)
    tree.use(built_tables(tree, 1, is_unwanted))
    return tree


# Longer words leave out a little more, and make an automaton slower by its size.
_WALK_WORDS, _FREE_WORDS, _OPERATOR_WORDS = 10, 4, 6
# On boards of 16 cells, tables of patterns of 5 tiles are made in a third of a second.
_SMALL_PATTERN = 5
_FEW_ENTRIES, _MOST_ENTRIES = 1 << 21, 1 << 25
"""Of all tables together: what is built in half a second, and half of what the check builds."""
_SMALL_TREE = 20_000_000
"""Boards; to search them takes about as long as to make larger tables."""
_UNIT, _FEWEST, _MOST = 500_000, 200, 20_000
"""About so many boards make a unit of a large tree, as long as there are not too many units."""


def write_search_proof(
    problem: Problem,
    bound: int,
    folder: Path,
    *,
    plans: int | None = None,
    nodes: int = 0,
    threads: int = 1,
    is_unwanted: Unwanted = never,
) -> SearchProof:
    """Write the proof that no plan has at most `bound` moves, and return what it states.

    With `plans`, prove that there are only so many of just that length. `nodes` is the number of
    nodes of the search that showed it, or 0. Raise `ProofError` if tables or words are too many for
    the check, `TimeoutError` once the work is unwanted, and `InternalError` if a search finds a
    plan that should not exist.
    """
    moves = moves_of(problem)
    try:
        for proof in while_wanted(_proofs(moves, bound), is_unwanted):
            words = fitting_length(
                moves, proof.words, every_plan=plans is not None, is_unwanted=is_unwanted
            )
            proof = replace(proof, words=words, every_plan=plans is not None)
            tree = tree_of(problem, proof, is_unwanted)
            tree.use(built_tables(tree, threads, is_unwanted))
            if is_small := _is_small(tree, plans or 0, is_unwanted):
                break
        paths = frontier(tree, 0)
        wanted = 1 if is_small else max(_FEWEST, min(_MOST, nodes // _UNIT))
        while len(paths) < wanted and proof.depth + 1 < bound:
            if not (deeper := frontier(tree, proof.depth + 1, is_unwanted)):
                break
            proof, paths = replace(proof, depth=proof.depth + 1), deeper
    except CheckFailed as error:
        raise InternalError(f"{bound} moves were proved too few, but there is {error}") from None
    write_lines(folder / UNITS, units_text(moves, paths).splitlines())
    (folder / SEARCH).write_text(json.dumps(proof.document()) + "\n", encoding="utf-8")
    return proof


def _is_small(tree: ProofTree, plans: int, is_unwanted: Unwanted) -> bool:
    """Return True if the tree has few boards, all of which are then searched.

    Raise `CheckFailed` if there are more than `plans` plans.
    """
    position = tree.position((tree.moves.start,))
    while (left := _SMALL_TREE - int(position.numbers[NODES])) > 0:
        require_wanted(is_unwanted)
        status = tree.search(position, min(left, tree.slice), tree.proof.bound + 1)
        if status == GOAL:
            plans -= 1
            if plans < 0:
                raise found_plan(tree.moves.names(tree.path(position)))
        elif status == DONE:
            if plans:
                raise InternalError(f"the search found {plans} plans fewer than before")
            return True
    return False


def _proofs(moves: PlanMoves, bound: int) -> Iterator[SearchProof]:
    """Yield proofs in one unit, each with larger tables than the one before."""
    if isinstance(moves, OperatorMoves):
        if moves.is_free:
            yield _free_proof(moves, bound)
            return
        for sums in _sums(moves):
            yield _operator_proof(moves, bound, sums)
        return
    assert isinstance(moves, WalkMoves)
    usual = default_size(moves.cells)
    for size in sorted({min(usual, _SMALL_PATTERN), usual}):
        yield _walk_proof(moves, bound, size)


def _walk_proof(moves: WalkMoves, bound: int, size: int) -> SearchProof:
    """Return the proof with the additive patterns that IDA* uses, of up to `size` tiles."""
    plan = additive_chooser(moves.arcs, moves.problem.goal.index(BLANK))
    shared = plan.tables(plan.partitions(size))
    images = list(dict.fromkeys(placed.image for row in shared.sets for placed in row))
    sets = (
        [PatternLookup(placed.number, images.index(placed.image), False) for placed in row]
        for row in shared.sets
    )
    tables = (table.pattern for table in shared.tables)
    return _proof(bound, _WALK_WORDS, tables, images, sets)


def _operator_proof(
    moves: OperatorMoves, bound: int, sums: Sequence[Sequence[Pattern]]
) -> SearchProof:
    """Return the proof with the patterns of these sums.

    The first goal cell of a kind stands for it.
    """
    puzzle = moves.problem.puzzle
    cell = {kind: puzzle.goal.index(kind) for kind in puzzle.kinds if kind in puzzle.goal}
    patterns = list(dict.fromkeys(pattern for patterns in sums for pattern in patterns))
    if (BLANK,) in patterns and BLANK not in cell:
        raise ProofError("no table of this puzzle's pieces is small enough")
    tables = (tuple(cell[kind] for kind in pattern) for pattern in patterns)
    sets = (
        [PatternLookup(patterns.index(pattern), 0, False) for pattern in patterns_of_sum]
        for patterns_of_sum in sums
    )
    return _proof(bound, _OPERATOR_WORDS, tables, [moves.identity], sets)


def _sums(moves: OperatorMoves) -> Iterator[list[list[Pattern]]]:
    """Yield sums of patterns as IDA* uses them, each with larger tables than the one before.

    If moves of several patterns do not add up, each pattern is a sum of its own.
    """
    puzzle = moves.problem.puzzle
    rules = placement_rules(puzzle)
    if rules is None:
        # Tables of all other kinds are too large, or these have no goal cells.
        yield [[(BLANK,)]]
        return
    added, small, large = SumChooser(puzzle, rules), 0, 0
    if moves.moves_one_piece and len(added.parts) > 1:
        for size in range(1, puzzle.cells):
            entries = _entries(moves, patterns_of(added.sums(size)))
            if not entries or entries > _MOST_ENTRIES:
                break
            large = size
            small = size if entries <= _FEW_ENTRIES else small
    if large:
        yield from (added.sums(size) for size in sorted({small or large, large}))
        return
    choice = PlacementChooser(puzzle, rules)
    size = choice.usual
    while size > 1 and _entries(moves, choice.patterns(size)) > _MOST_ENTRIES:
        size -= 1
    yield [[pattern] for pattern in choice.patterns(size)]


def _entries(moves: OperatorMoves, patterns: Sequence[Pattern]) -> int:
    """Return the number of entries in the check's tables of these patterns."""
    puzzle, has_blank = moves.problem.puzzle, moves.with_gaps
    return sum(KindPlacements.of(puzzle, kinds, has_blank=has_blank).entries for kinds in patterns)


def _free_proof(moves: PlanMoves, bound: int) -> SearchProof:
    """Return the proof with the lookups that IDA* uses."""
    chooser = permutation_chooser(moves.problem.puzzle)
    patterns, images = chooser.images(chooser.usual)
    symmetries = list(dict.fromkeys(image for _, image in images))
    sides = (False, True) if moves.problem.structure.is_inverse_closed else (False,)
    sets = (
        [PatternLookup(number, symmetries.index(image), is_inverse)]
        for is_inverse in sides
        for number, image in images
    )
    return _proof(bound, _FREE_WORDS, patterns, symmetries, sets)


def _proof(
    bound: int,
    words: int,
    tables: Iterable[Pattern],
    symmetries: Sequence[tuple[int, ...]],
    sets: Iterable[Sequence[PatternLookup]],
) -> SearchProof:
    """Return the proof in one unit, with the longest words that may be worth it."""
    return SearchProof(bound, tuple(tables), tuple(symmetries), tuple(map(tuple, sets)), words, 0)
