"""IDA* for puzzles whose moves only permute the cells, with the largest of many pattern lookups."""

from collections.abc import Generator, Iterator
from functools import cache

from plansolve.bounds.registry import best_lower_bound
from plansolve.errors import InternalError
from plansolve.model.problem import Problem
from plansolve.patterns.permutation import PermutationLookups
from plansolve.patterns.permutation_choice import larger_patterns, prover_lookups
from plansolve.solvers.protocol import Budget, Incumbent, Report
from plansolve.solvers.search.automaton import EVERY_PLAN, ONE_PLAN, Keep
from plansolve.solvers.search.background import run_in_background
from plansolve.solvers.search.idastar.idastar import all_plans, count_plans, idastar, settled
from plansolve.solvers.search.idastar.larger import LargerTables
from plansolve.solvers.search.idastar.permutation_tree import PermutationTree
from plansolve.storage.store import Store, Tell

__all__ = ["permutation_all_plans", "permutation_count_plans", "permutation_idastar"]

_NAME = "idastar"


def permutation_idastar(
    problem: Problem,
    incumbent: Incumbent,
    budget: Budget,
    lookups: PermutationLookups | None = None,
) -> Iterator[Report]:
    """IDA* until a plan is found, or a table tells that there is none.

    No move of the problem may depend on where a blank is. `lookups` are made for its rules; None
    stands for those of `prover_lookups`.
    """
    if report := settled(problem):
        yield report
        return
    tree = yield from _tree(problem, budget, lookups)
    tree.initial_bound = max(tree.initial_bound, best_lower_bound(problem).value)
    larger = _larger_tables(problem, budget) if lookups is None else None
    yield from idastar(tree, incumbent, budget, larger=larger)


def permutation_all_plans(
    problem: Problem,
    incumbent: Incumbent,
    budget: Budget,
    lookups: PermutationLookups | None = None,
) -> Iterator[Report]:
    """Every shortest plan; their length is the incumbent's bound."""
    tree = yield from _tree(problem, budget, lookups, EVERY_PLAN)
    yield from all_plans(tree, incumbent.lower_bound, budget)


def permutation_count_plans(
    problem: Problem,
    incumbent: Incumbent,
    budget: Budget,
    lookups: PermutationLookups | None = None,
) -> Iterator[Report]:
    """How many shortest plans there are; their length is the incumbent's bound."""
    tree = yield from _tree(problem, budget, lookups, EVERY_PLAN)
    yield from count_plans(tree, incumbent.lower_bound, budget)


def _tree(
    problem: Problem, budget: Budget, lookups: PermutationLookups | None, keep: Keep = ONE_PLAN
) -> Generator[Report, None, PermutationTree]:
    """The tree with these lookups, or with those of tables that are built if they have to be."""
    lookups = lookups or (
        yield from run_in_background(lambda tell: _lookups(problem, budget, tell), _NAME)
    )
    return PermutationTree(problem, lookups, keep)


def _larger_tables(problem: Problem, budget: Budget) -> LargerTables:
    """Tables of one tile more than the usual ones, unless they are in use or too large."""

    # Asked for the effort, and once more to build them.
    @cache
    def planned() -> tuple[int, float] | None:
        return larger_patterns(
            problem.puzzle, store=Store(), memory=budget.memory // 2, threads=budget.threads
        )

    def effort() -> float | None:
        found = planned()
        return None if found is None else found[1]

    def make(tell: Tell) -> PermutationTree:
        found = planned()
        size = None if found is None else found[0]
        return PermutationTree(problem, _lookups(problem, budget, tell, size))

    return LargerTables(effort, make)


def _lookups(
    problem: Problem, budget: Budget, tell: Tell, size: int | None = None
) -> PermutationLookups:
    lookups = prover_lookups(
        problem.puzzle,
        store=Store(),
        tell=tell,
        size=size,
        memory=budget.memory // 2,
        threads=budget.threads,
    )
    if lookups is None:
        raise InternalError("a move depends on where the blank is")
    return lookups
