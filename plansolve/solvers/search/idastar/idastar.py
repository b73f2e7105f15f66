"""IDA*: proves a shortest plan by raising an f-limit (Korf 1985).

    limit := h(start)
    repeat
        search depth first all paths with f = g + h <= limit        (a round: `Round`)
        if one of them ends in the goal: return it
        limit := the least f beyond the limit                       (proved by the round)

Where all plans are odd or all are even, the limit steps by two. What follows when the length of
the shortest plans is known uses the same rounds: a plan of least penalty among them, all of them,
or their number. The tree is that of a blank's walks or of free operators, see `SearchTree`.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from plansolve.model.structure import UNREACHABLE, raised_to_parity
from plansolve.solvers.protocol import NO_PLAN, Budget, Incumbent, Report
from plansolve.solvers.search.background import run_in_background
from plansolve.solvers.search.idastar import registers as reg
from plansolve.solvers.search.idastar.larger_tables import Pace, Planned, RecordedSizes, TreeChoice
from plansolve.solvers.search.idastar.round import Goals, Round
from plansolve.solvers.search.idastar.team_round import search_with_team
from plansolve.solvers.search.idastar.tree import Path, SearchTree
from plansolve.solvers.units.team import Team
from plansolve.storage.store import Tell

NAME = "IDA*"

# So many times fewer nodes has a round with tables of one tile more.
_FEWER_NODES = 10

# Up to twice as many sums of penalties are allowed one by one, of more several at a time.
_ROUNDS_OF_PENALTY = 16


@dataclass(frozen=True)
class PricedTree:
    """A tree that also bounds the penalty of what is left, which `make` makes.

    To make it takes about as long as to search `nodes_before` nodes without it.
    """

    nodes_before: int
    make: Callable[[Tell], SearchTree]


def idastar(
    tree: SearchTree,
    incumbent: Incumbent,
    budget: Budget,
    larger: Sequence[Planned] = (),
    team: Team | None = None,
) -> Iterator[Report]:
    """Raise the lower bound until a plan is found, which is then a shortest one.

    The counts are "nodes", entered by the search so far, "nodes_by_bound", and "expansions", the
    nodes whose children were generated, where the kernel counts them. Ends without a plan where the
    incumbent's bounds meet, or where the tree ends without one. `larger` tables are built once,
    before a round that would take longer than that, going by the growth of the rounds so far. They
    and a `team`, which searches large rounds, need a tree with a recipe.
    """
    by = f"{NAME} with {tree.name}"
    if report := _told_by_tables(tree, by):
        yield report
        return
    parity = tree.problem.structure.plan_parity(tree.problem.start)
    limit = raised_to_parity(max(tree.initial_bound, incumbent.lower_bound), parity)
    counts, nodes, deepest, pace = _Counts(), 0, dict[Path, int](), Pace()
    choice = TreeChoice(larger, None if team is None else RecordedSizes(team), budget)
    while True:
        yield Report(by, lower_bound=limit, counts=counts.report(team), trying=limit)
        if limit >= incumbent.upper_bound:
            return
        is_last = limit + (1 if parity is None else 2) >= incumbent.upper_bound
        make = choice.another(tree, limit, pace, is_last=is_last)
        if make is not None:
            tree = choice.settle((yield from run_in_background(make, by)), limit)
            # The next round visits fewer nodes than it would with the smaller tables.
            nodes //= _FEWER_NODES
            pace.tables_grew(_FEWER_NODES)
            if report := _told_by_tables(tree, by):
                yield report
                return
            limit = raised_to_parity(max(limit, tree.initial_bound), parity)
            continue
        tree = choice.settle(tree, limit).for_round(nodes)
        work = Round(tree, limit, before=deepest)
        for _ in _searched(work, budget.threads, nodes, team):
            counts.update(limit, work)
            if work.found:
                plan = tree.plan(work.found.popleft())
                yield Report(by, plan=plan, lower_bound=limit, counts=counts.report(team))
                return
            if incumbent.is_closed:
                return
            if incumbent.lower_bound > limit:
                work.stop()
            yield Report(by, counts=counts.report(team))
        nodes, deepest = counts.update(limit, work), work.deepest
        pace.round_ended(nodes, work.seconds)
        if work.is_exhausted:
            if work.next_limit >= reg.NO_LIMIT:
                return
            limit = work.next_limit
        limit = raised_to_parity(max(limit, incumbent.lower_bound), parity)


def _told_by_tables(tree: SearchTree, by: str) -> Report | None:
    """Return the answer if the root already settles it: solved, or unreachable."""
    if tree.problem.is_solved:
        return Report(by, plan=())
    return Report(by, lower_bound=NO_PLAN) if tree.initial_bound >= UNREACHABLE else None


def _searched(work: Round, threads: int, nodes: int, team: Team | None) -> Iterator[None]:
    if team is None:
        return work.run(threads, nodes_before=nodes)
    return search_with_team(work, team, nodes)


def fewest_penalty(
    tree: SearchTree,
    length: int,
    budget: Budget,
    *,
    below: int | None = None,
    priced: PricedTree | None = None,
) -> Iterator[Report]:
    """Plans of `length` moves, which must be the shortest, each with less total penalty than the
    one before; when it ends, the last one has the least.

    The tree must have been made with penalties. `below` is the penalty of a plan that is known:
    only better ones are told. A `priced` tree takes over where the search is a long one. Where
    several operators have the same effect, the penalty is that of the one that the blank graph
    names.
    """
    by = f"{NAME} for the least penalty"
    most = UNREACHABLE if below is None else below - 1 - length * tree.least_penalty
    if most < 0:
        yield Report(by, is_complete=True)
        return
    work = Round(tree, length, Goals.LEAST_PENALTY, most)
    for _ in work.run(budget.threads):
        yield from _lighter_plans(work, by)
        if work.most_penalty < 0 or (priced is not None and work.nodes > priced.nodes_before):
            work.stop()
    yield from _lighter_plans(work, by)
    is_complete = work.is_exhausted or work.most_penalty < 0
    if priced is None or is_complete:
        yield Report(by, counts={"nodes": work.nodes}, is_complete=is_complete)
        return
    tree = yield from run_in_background(priced.make, by)
    yield from _fewest_from_below(tree, length, work.most_penalty, work.nodes, budget)


def _fewest_from_below(
    tree: SearchTree, length: int, most: int, nodes: int, budget: Budget
) -> Iterator[Report]:
    """Return a plan of least penalty, if one has `most` or less; more and more is allowed.

    Where the tree bounds the penalty, a round costs several times as much as that with one unit
    less: from above, the most costly ones would come first. `nodes` were searched before.
    """
    by = f"{NAME} for the least penalty"
    least, before, deepest = 0, None, dict[Path, int]()
    while least <= most:
        allowed = least + (most - least) // _ROUNDS_OF_PENALTY
        work = Round(tree, length, Goals.LEAST_PENALTY, allowed, deepest)
        for _ in work.run(budget.threads, nodes_before=before):
            yield from _lighter_plans(work, by, nodes)
            if work.most_penalty < least:
                work.stop()
        yield from _lighter_plans(work, by, nodes)
        nodes += work.nodes
        if not work.is_exhausted and work.most_penalty >= least:
            return
        if work.most_penalty < allowed:
            break
        before, deepest, least = work.nodes, work.deepest, allowed + 1
    yield Report(by, counts={"nodes": nodes}, is_complete=True)


def _lighter_plans(work: Round, by: str, nodes_before: int = 0) -> Iterator[Report]:
    """Return the plans that a round has found, and how far it is."""
    counts = {"nodes": nodes_before + work.nodes}
    while work.found:
        yield Report(by, work.tree.plan(work.found.popleft()), counts=counts)
    yield Report(by, counts=counts)


def all_plans(tree: SearchTree, length: int, budget: Budget) -> Iterator[Report]:
    """All plans of `length` moves, which must be the shortest.

    The tree's automaton must let every shortest plan through. A plan is told by what its moves do
    to the cells: of operators with the same effect it holds one.
    """
    by = f"{NAME} for all plans"
    if not length:
        yield Report(by, (), is_complete=True)
        return
    work = Round(tree, length, Goals.EACH)
    for _ in work.run(budget.threads):
        while work.found:
            yield Report(by, tree.plan(work.found.popleft()), counts={"nodes": work.nodes})
        yield Report(by, counts={"nodes": work.nodes})
    yield Report(by, counts={"nodes": work.nodes}, is_complete=work.is_exhausted)


def count_plans(tree: SearchTree, length: int, budget: Budget) -> Iterator[Report]:
    """Count the plans of `length` moves, which must be the shortest.

    Plans whose moves do the same to the cells count once, whatever operators there are. "plans" in
    the counts is the number so far, and the exact one in the last report, which is complete.
    """
    by = f"{NAME} for the number of plans"
    if not length:
        yield Report(by, counts={"nodes": 0, "plans": 1}, is_complete=True)
        return
    work = Round(tree, length, Goals.COUNT)
    for _ in work.run(budget.threads):
        yield Report(by, counts={"nodes": work.nodes, "plans": work.plans})
    counts = {"nodes": work.nodes, "plans": work.plans}
    yield Report(by, counts=counts, is_complete=work.is_exhausted)


class _Counts:
    """The nodes of the rounds so far, by f-limit."""

    def __init__(self) -> None:
        self._nodes: dict[str, int] = {}
        self._expansions: dict[str, int] = {}

    def update(self, limit: int, work: Round) -> int:
        """Take over the counts of a round, and return its nodes."""
        # Read once: other threads may still be adding to it.
        nodes = work.nodes
        self._nodes[str(limit)] = nodes
        self._expansions[str(limit)] = work.expanded
        return nodes

    def report(self, team: Team | None = None) -> dict[str, Any]:
        """Return a copy of the counts as reports hold them, with those of a team's units."""
        counts = {"nodes": sum(self._nodes.values()), "nodes_by_bound": dict(self._nodes)}
        if expansions := sum(self._expansions.values()):
            counts["expansions"] = expansions
        return counts if team is None else counts | team.counts()
