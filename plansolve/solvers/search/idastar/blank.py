"""IDA*: proves a shortest plan on a blank graph by raising a bound (Korf 1985).

Each round searches the tree of the blank's walks below a bound. A round that ends without a plan
proves the next bound. What follows when the length of the shortest plans is known uses the same
rounds: a plan of least penalty among them, all of them, or their number.
"""

from collections.abc import Iterator
from typing import Any

from plansolve.model.problem import Problem
from plansolve.model.structure import UNREACHABLE, raised_to_parity
from plansolve.patterns.additive import AdditiveSets
from plansolve.solvers.protocol import Budget, Incumbent, Report
from plansolve.solvers.search.automaton import EVERY_PLAN, MOST_WORDS, ONE_PLAN, Keep
from plansolve.solvers.search.idastar.blank_round import BoundedRound, Goals
from plansolve.solvers.search.idastar.blank_tree import (
    FAR,
    DistanceTree,
    PatternTree,
    Walk,
    WalkTree,
    walk_automaton,
)
from plansolve.solvers.search.idastar.distance_kernel import NO_BOUND

__all__ = ["all_plans", "count_plans", "fewest_penalty", "idastar"]

NAME = "IDA*"

# Below so many nodes in the round before, threads and cutting cost more than they bring.
_LARGE_ROUND = 1_000_000
_MOST_CELLS = 10_000


def idastar(
    problem: Problem,
    incumbent: Incumbent,
    budget: Budget,
    sets: AdditiveSets | None = None,
    *,
    length: int = 10,
    most_words: int = MOST_WORDS,
) -> Iterator[Report]:
    """Raises the lower bound until a plan is found, which is then a shortest one.

    The problem must have a blank graph. `sets` are the pattern databases; None stands for the sum
    of the tiles' distances, which works on boards of any size. `length` and `most_words` say from
    which words the pruning automaton is made. The counts are "nodes", entered by the search so
    far, and "nodes_by_bound". Ends without a plan where the incumbent's bounds meet, where there
    is none, or where the tables do not fit into the memory.
    """
    tree = _tree(problem, sets, ONE_PLAN, False, budget, length, most_words)
    if tree is None:
        return
    by = f"{NAME} with {tree.name}"
    if problem.start == problem.goal:
        yield Report(by, plan=())
        return
    parity = problem.structure.plan_parity(problem.start)
    bound = raised_to_parity(max(tree.initial_bound, incumbent.lower_bound), parity)
    counts: dict[str, Any] = {"nodes": 0, "nodes_by_bound": {}}
    nodes, deepest = 0, dict[Walk, int]()
    while tree.initial_bound < UNREACHABLE:
        yield Report(by, lower_bound=bound, counts=_copied(counts))
        if bound >= incumbent.upper_bound:
            return
        work = BoundedRound(tree, bound, before=deepest)
        before = counts["nodes"]
        is_large = nodes > _LARGE_ROUND
        for _ in work.run(budget.threads, is_large=is_large, nodes_before=nodes):
            nodes = work.nodes
            counts["nodes"] = before + nodes
            counts["nodes_by_bound"][str(bound)] = nodes
            if work.found:
                plan = tree.plan(work.found.popleft())
                yield Report(by, plan=plan, lower_bound=bound, counts=_copied(counts))
                return
            if incumbent.is_closed:
                return
            if incumbent.lower_bound > bound:
                work.stop()
            yield Report(by, counts=_copied(counts))
        deepest = work.deepest
        if work.is_exhausted:
            if work.next_bound == NO_BOUND or work.next_bound > bound + FAR // 2:
                return
            bound = raised_to_parity(work.next_bound, parity)
        bound = raised_to_parity(max(bound, incumbent.lower_bound), parity)


def fewest_penalty(
    problem: Problem,
    length: int,
    budget: Budget,
    sets: AdditiveSets | None = None,
    *,
    below: int | None = None,
) -> Iterator[Report]:
    """Plans of `length` moves, which must be the shortest, each with less total penalty than the
    one before; when it ends, the last one has the least.

    `below` is the penalty of a plan that is known: only better ones are told. Where several
    operators have the same effect, the penalty is that of the one that the blank graph names.
    """
    tree = _tree(problem, sets, ONE_PLAN, True, budget)
    if tree is None:
        return
    by = f"{NAME} for the least penalty"
    most = UNREACHABLE if below is None else below - 1 - length * tree.least_penalty
    if most < 0:
        yield Report(by, is_complete=True)
        return
    work = BoundedRound(tree, length, Goals.LEAST_PENALTY, most)
    for _ in work.run(budget.threads):
        while work.found:
            yield Report(by, tree.plan(work.found.popleft()), counts={"nodes": work.nodes})
        if work.most_penalty < 0:
            break
        yield Report(by, counts={"nodes": work.nodes})
    is_complete = work.is_exhausted or work.most_penalty < 0
    yield Report(by, counts={"nodes": work.nodes}, is_complete=is_complete)


def all_plans(
    problem: Problem,
    length: int,
    budget: Budget,
    sets: AdditiveSets | None = None,
    *,
    limit: int | None = None,
) -> Iterator[Report]:
    """All plans of `length` moves, which must be the shortest, or `limit` of them.

    A plan is told by the boards that it passes: of operators with the same effect it holds the one
    that the blank graph names.
    """
    tree = _tree(problem, sets, EVERY_PLAN, False, budget)
    if tree is None:
        return
    by, told = f"{NAME} for all plans", 0
    if not length:
        yield Report(by, (), is_complete=True)
        return
    work = BoundedRound(tree, length, Goals.EACH)
    for _ in work.run(budget.threads):
        while work.found:
            if told == limit:
                return
            told += 1
            yield Report(by, tree.plan(work.found.popleft()), counts={"nodes": work.nodes})
        yield Report(by, counts={"nodes": work.nodes})
    yield Report(by, counts={"nodes": work.nodes}, is_complete=work.is_exhausted)


def count_plans(
    problem: Problem, length: int, budget: Budget, sets: AdditiveSets | None = None
) -> Iterator[Report]:
    """Counts the plans of `length` moves, which must be the shortest.

    Plans that pass the same boards count once, whatever operators have the same effect. "plans" in
    the counts is the number so far, and the exact one in the last report, which is complete; that
    report is missing where the tables do not fit into the memory.
    """
    tree = _tree(problem, sets, EVERY_PLAN, False, budget)
    if tree is None:
        return
    by = f"{NAME} for the number of plans"
    if not length:
        yield Report(by, counts={"nodes": 0, "plans": 1}, is_complete=True)
        return
    work = BoundedRound(tree, length, Goals.COUNT)
    for _ in work.run(budget.threads):
        yield Report(by, counts={"nodes": work.nodes, "plans": work.plans})
    counts = {"nodes": work.nodes, "plans": work.plans}
    yield Report(by, counts=counts, is_complete=work.is_exhausted)


def _tree(
    problem: Problem,
    sets: AdditiveSets | None,
    keep: Keep,
    with_penalties: bool,
    budget: Budget,
    length: int = 10,
    most_words: int = MOST_WORDS,
) -> WalkTree | None:
    """The tree with the heuristic asked for, or None where its tables are too large."""
    too_large = (
        problem.puzzle.cells > _MOST_CELLS or DistanceTree.nbytes(problem) > budget.memory // 2
    )
    if sets is None and too_large:
        return None
    automaton = walk_automaton(problem, keep, length, most_words, budget.memory)
    if sets is not None:
        return PatternTree(problem, sets, automaton, with_penalties)
    return DistanceTree(problem, automaton, with_penalties)


def _copied(counts: dict[str, Any]) -> dict[str, Any]:
    return {"nodes": counts["nodes"], "nodes_by_bound": dict(counts["nodes_by_bound"])}
