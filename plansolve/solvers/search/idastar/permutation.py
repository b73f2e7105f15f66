"""IDA* for puzzles whose moves only permute the cells, with the largest of many pattern lookups."""

from collections.abc import Generator, Iterator

from plansolve.bounds.registry import best_lower_bound
from plansolve.errors import InternalError
from plansolve.model.problem import Problem
from plansolve.model.structure import UNREACHABLE
from plansolve.patterns.permutation import PermutationLookups
from plansolve.patterns.permutation_choice import prover_lookups
from plansolve.solvers.protocol import NO_PLAN, Budget, Incumbent, Report
from plansolve.solvers.search.automaton import EVERY_PLAN
from plansolve.solvers.search.background import run_in_background
from plansolve.solvers.search.idastar.idastar import all_plans, count_plans, idastar
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
    if problem.start == problem.goal:
        yield Report(_NAME, plan=())
        return
    known = best_lower_bound(problem).value
    if known >= UNREACHABLE:
        yield Report(_NAME, lower_bound=NO_PLAN)
        return
    lookups = lookups or (yield from _tables(problem, budget))
    tree = PermutationTree(problem, lookups)
    tree.initial_bound = max(tree.initial_bound, known)
    if tree.initial_bound >= UNREACHABLE:
        yield Report(_NAME, lower_bound=NO_PLAN)
        return
    yield from idastar(tree, incumbent, budget)


def permutation_all_plans(
    problem: Problem,
    incumbent: Incumbent,
    budget: Budget,
    lookups: PermutationLookups | None = None,
) -> Iterator[Report]:
    """Every shortest plan; their length is the incumbent's bound."""
    lookups = lookups or (yield from _tables(problem, budget))
    yield from all_plans(
        PermutationTree(problem, lookups, EVERY_PLAN), incumbent.lower_bound, budget
    )


def permutation_count_plans(
    problem: Problem,
    incumbent: Incumbent,
    budget: Budget,
    lookups: PermutationLookups | None = None,
) -> Iterator[Report]:
    """How many shortest plans there are; their length is the incumbent's bound."""
    lookups = lookups or (yield from _tables(problem, budget))
    yield from count_plans(
        PermutationTree(problem, lookups, EVERY_PLAN), incumbent.lower_bound, budget
    )


def _tables(problem: Problem, budget: Budget) -> Generator[Report, None, PermutationLookups]:
    """The lookups of the prover, from tables that are built if they have to be."""

    def work(tell: Tell) -> PermutationLookups | None:
        return prover_lookups(
            problem.puzzle,
            store=Store(),
            tell=tell,
            memory=budget.memory // 2,
            threads=budget.threads,
        )

    lookups = yield from run_in_background(work, _NAME)
    if lookups is None:
        raise InternalError("a move depends on where the blank is")
    return lookups
