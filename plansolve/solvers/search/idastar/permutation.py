"""IDA* for puzzles whose moves only permute the cells (Korf 1985).

Each round searches all sequences of exactly as many moves as the bound, cut off by the largest of
many pattern lookups; a round that ends without a plan proves the next bound.
"""

from collections.abc import Generator, Iterator
from typing import Any

from plansolve.bounds.registry import best_lower_bound
from plansolve.errors import InternalError
from plansolve.model.problem import Problem
from plansolve.model.structure import UNREACHABLE, raised_to_parity
from plansolve.patterns.permutation import NO_WAY, PermutationLanes
from plansolve.patterns.permutation_choice import prover_lanes
from plansolve.patterns.permutation_rules import permutation_rules
from plansolve.solvers.protocol import NO_PLAN, Budget, Incumbent, Report
from plansolve.solvers.search.automaton import EVERY_PLAN, ONE_PLAN, Keep, operator_automaton
from plansolve.solvers.search.background import run_in_background
from plansolve.solvers.search.idastar.permutation_round import PermutationRound, PermutationTree
from plansolve.storage.store import Store, Tell

__all__ = ["permutation_all_plans", "permutation_count_plans", "permutation_idastar"]

NAME = "IDA*"

# The length of the words from which the automaton is made. Longer ones leave out a little more, and
# take some tenths of a second, which pays when the round before had many children.
_WORDS, _LONG_WORDS = 3, 4
_WORTH_LONG_WORDS = 2_000_000
# Below so many children in the round before, threads cost more than they bring.
_WORTH_THREADS = 100_000


def permutation_idastar(
    problem: Problem,
    incumbent: Incumbent,
    budget: Budget,
    lanes: PermutationLanes | None = None,
) -> Iterator[Report]:
    """Raises the lower bound until a plan is found, which is then a shortest one.

    No move of the problem may depend on where a blank is. `lanes` are made for its rules; None
    stands for those of `prover_lanes`. The counts are "nodes", the boards generated so far,
    "nodes_by_bound", and "expansions", the boards whose children were generated. Ends without a
    plan where the incumbent's bounds meet. Where there is no plan it ends only if a table tells so.
    """
    if problem.start == problem.goal:
        yield Report(NAME, plan=())
        return
    known = best_lower_bound(problem).value
    if known < UNREACHABLE:
        if lanes is None:
            lanes = yield from _tables(problem, budget)
        value = lanes.value(problem.puzzle.arrangement(problem.start))
        known = UNREACHABLE if value == NO_WAY else max(value, known)
    if known >= UNREACHABLE:
        yield Report(NAME, lower_bound=NO_PLAN)
        return
    assert lanes is not None
    tree = _tree(problem, lanes, ONE_PLAN)
    parity = problem.structure.plan_parity(problem.start)
    bound = raised_to_parity(max(known, incumbent.lower_bound), parity)
    counts: dict[str, Any] = {"nodes": 0, "nodes_by_bound": {}, "expansions": 0}
    nodes = 0
    while True:
        yield Report(NAME, lower_bound=bound, counts=_copied(counts), trying=bound)
        if bound >= incumbent.upper_bound:
            return
        if nodes > _WORTH_LONG_WORDS and tree.automaton.length < _LONG_WORDS:
            tree = _tree(problem, lanes, ONE_PLAN, _LONG_WORDS)
        work = PermutationRound(tree, bound)
        before = counts["nodes"], counts["expansions"]
        for _ in work.run(budget.threads if nodes > _WORTH_THREADS else 1):
            # Read once: other threads may still be adding to it.
            nodes = work.children
            counts["nodes"], counts["expansions"] = before[0] + nodes, before[1] + work.expanded
            counts["nodes_by_bound"][str(bound)] = nodes
            if work.found:
                plan = work.found.popleft()
                yield Report(NAME, plan=plan, lower_bound=bound, counts=_copied(counts))
                return
            if incumbent.is_closed:
                return
            if incumbent.lower_bound > bound:
                break
            yield Report(NAME, counts=_copied(counts))
        nodes = work.children
        counts["nodes"], counts["expansions"] = before[0] + nodes, before[1] + work.expanded
        counts["nodes_by_bound"][str(bound)] = nodes
        bound = raised_to_parity(max(bound + work.is_exhausted, incumbent.lower_bound), parity)


def permutation_all_plans(
    problem: Problem,
    incumbent: Incumbent,
    budget: Budget,
    lanes: PermutationLanes | None = None,
) -> Iterator[Report]:
    """Every shortest plan; their length is the incumbent's bound.

    A plan is told by the boards that it passes: of operators with the same effect it holds the
    first.
    """
    length = incumbent.lower_bound
    if not length:
        yield Report(NAME, plan=(), is_complete=True)
        return
    if lanes is None:
        lanes = yield from _tables(problem, budget)
    tree = _tree(problem, lanes, EVERY_PLAN)
    work = PermutationRound(tree, length)
    for _ in work.run(budget.threads):
        while work.found:
            yield Report(NAME, plan=work.found.popleft(), counts=_nodes(work))
        yield Report(NAME, counts=_nodes(work))
    yield Report(NAME, counts=_nodes(work), is_complete=work.is_exhausted)


def permutation_count_plans(
    problem: Problem,
    incumbent: Incumbent,
    budget: Budget,
    lanes: PermutationLanes | None = None,
) -> Iterator[Report]:
    """How many shortest plans there are; their length is the incumbent's bound.

    Plans that pass the same boards count once, whatever operators have the same effect. "plans" in
    the counts is the number so far, and the exact one in the last report, which is complete.
    """
    counts: dict[str, Any] = {}
    plans = 0
    for report in permutation_all_plans(problem, incumbent, budget, lanes):
        counts, plans = dict(report.counts) or counts, plans + (report.plan is not None)
        yield Report(
            NAME,
            counts={**counts, "plans": plans},
            note=report.note,
            is_complete=report.is_complete,
        )


def _tables(problem: Problem, budget: Budget) -> Generator[Report, None, PermutationLanes]:
    """The lanes of the prover, from tables that are built if they have to be."""

    def work(tell: Tell) -> PermutationLanes | None:
        return prover_lanes(
            problem.puzzle,
            store=Store(),
            tell=tell,
            memory=budget.memory // 2,
            threads=budget.threads,
        )

    lanes = yield from run_in_background(work, NAME)
    if lanes is None:
        raise InternalError("a move depends on where the blank is")
    return lanes


def _tree(
    problem: Problem, lanes: PermutationLanes, keep: Keep, words: int = _WORDS
) -> PermutationTree:
    rules = permutation_rules(problem.puzzle)
    if rules is None:
        raise InternalError("a move depends on where the blank is")
    automaton = operator_automaton(rules.destinations, length=words, keep=keep)
    return PermutationTree(rules, automaton, lanes, problem.puzzle.arrangement(problem.start))


def _nodes(work: PermutationRound) -> dict[str, Any]:
    return {"nodes": work.children, "expansions": work.expanded}


def _copied(counts: dict[str, Any]) -> dict[str, Any]:
    return {**counts, "nodes_by_bound": dict(counts["nodes_by_bound"])}
