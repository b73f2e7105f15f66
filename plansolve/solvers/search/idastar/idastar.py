"""IDA*: proves a shortest plan by raising an f-limit (Korf 1985).

    limit := h(start)
    repeat
        search depth first all paths with f = g + h <= limit        (a round: `Round`)
        if one of them ends in the goal: return it
        limit := the least f beyond the limit                       (proved by the round)

If all plans are odd or all are even, the limit steps by two. What follows when the length of
the shortest plans is known uses the same rounds: a plan of least penalty among them, all of them,
or their number. The engine's functions, at the end, choose the tree that fits a problem.
"""

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import chain
from typing import Any, Literal, TypeAlias

from plansolve.analysis.duplicate_sequences import EVERY_PLAN
from plansolve.bounds.registry import best_lower_bound
from plansolve.formats.json_document import problem_text
from plansolve.model.problem import Problem
from plansolve.model.structure import UNREACHABLE, PuzzleKind, raised_to_parity
from plansolve.patterns.choose import Chooser, ReachChooser, permutation_chooser
from plansolve.patterns.goal_tables import dear_arcs, goal_tables_size, priced_effort, priced_sets
from plansolve.patterns.partition import goal_chooser, is_worth_tables, table_choice
from plansolve.patterns.rules import placement_rules
from plansolve.solvers.protocol import NO_PLAN, Budget, Incumbent, Report
from plansolve.solvers.search.background import run_in_background
from plansolve.solvers.search.idastar import registers as reg
from plansolve.solvers.search.idastar.larger_tables import Pace, Planned, RecordedSizes, TreeChoice
from plansolve.solvers.search.idastar.path_trees import (
    BlankRecipe,
    BoundRecipe,
    PatternTree,
    PlacementRecipe,
    bound_fits,
    named_bound,
)
from plansolve.solvers.search.idastar.permutation_tree import PermutationRecipe
from plansolve.solvers.search.idastar.round import Goals, Round, prepare, search_with_team
from plansolve.solvers.search.idastar.tree import Path, Recipe, SearchTree
from plansolve.solvers.units.team import Team, open_team
from plansolve.storage.store import Store, Tell

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
    nodes whose children were generated, if the kernel counts them. Ends without a plan if the
    incumbent's bounds meet, or if the tree ends without one. `larger` tables are built once,
    before a round that would take longer than that, going by the growth of the rounds so far. They
    and a `team`, which searches large rounds, need a tree with a recipe.
    """
    by = f"{NAME} with {tree.name}"
    if report := _told_by_tables(tree, by):
        yield report
        return
    parity = tree.problem.structure.plan_parity(tree.problem.start)
    limit = raised_to_parity(max(tree.initial_bound, incumbent.lower_bound), parity)
    counts, deepest, pace = _Counts(), dict[Path, int](), Pace()
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
            pace.tables_grew(_FEWER_NODES)
            if report := _told_by_tables(tree, by):
                yield report
                return
            limit = raised_to_parity(max(limit, tree.initial_bound), parity)
            continue
        tree = choice.settle(tree, limit).for_round(pace.nodes)
        work = Round(tree, limit, before=deepest)
        for _ in _searched(work, budget.threads, pace.nodes, team):
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
        pace.round_ended(counts.update(limit, work), work.seconds)
        deepest = work.deepest
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
    """Find plans of `length` moves, the shortest length, each with a lower penalty than the last.

    When the search ends, the last plan has the lowest penalty.

    The tree must have been made with penalties. `below` is the penalty of a plan that is known:
    only better ones are reported. A `priced` tree takes over if the search is a long one. If
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

    If the tree bounds the penalty, a round costs several times as much as that with one unit
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


def all_plans(
    tree: SearchTree, length: int, budget: Budget, *, count_only: bool = False
) -> Iterator[Report]:
    """Yield all plans of `length` moves, which must be the shortest; or only count them: "plans" in
    the counts is the number so far, and the exact one in the last report, which is complete.

    The tree's automaton must let every shortest plan through. A plan is told by what its moves do
    to the cells: of operators with the same effect it holds one.
    """
    by = f"{NAME} for {'the number of' if count_only else 'all'} plans"
    if not length:
        yield Report(by, None if count_only else (), counts={"plans": 1}, is_complete=True)
        return
    work = Round(tree, length, Goals.COUNT if count_only else Goals.EACH)
    for is_over in chain((False for _ in work.run(budget.threads)), [True]):
        counts = {"nodes": work.nodes} | ({"plans": work.plans} if count_only else {})
        while work.found:
            yield Report(by, tree.plan(work.found.popleft()), counts=counts)
        yield Report(by, counts=counts, is_complete=is_over and work.is_exhausted)


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


_NAME = "idastar"

_NODES_A_SECOND = 10_000_000
"""Of one thread that looks at penalties."""

Kind: TypeAlias = Literal["walks", "permutations", "placements", "bound"]


@dataclass(frozen=True)
class TreeKind:
    """The recipe of trees of one kind, with their part of the memory: one of so many `shares`.

    `choosers(problem, memory)` are those of its tables: of the usual ones first, then of what may
    follow in the middle of a proof. `size` is that of the patterns to begin with.
    """

    recipe: type[Recipe]
    choosers: Callable[[Problem, int], Sequence[Chooser]] = lambda problem, memory: ()
    size: Callable[[Problem, int], int] = lambda problem, memory: 0
    shares: int = 1


def _permutation_choosers(problem: Problem, memory: int) -> tuple[Chooser, Chooser]:
    """Return the choosers of tables, and of reach sets, which short proofs do not load."""
    tables = permutation_chooser(problem.puzzle, memory)
    return tables, ReachChooser(tables, memory)


def _placement_choosers(problem: Problem, memory: int) -> tuple[Chooser]:
    rules = placement_rules(problem.puzzle)
    assert rules is not None
    return (table_choice(problem.puzzle, rules, memory),)


TREES: dict[Kind, TreeKind] = {
    "walks": TreeKind(
        BlankRecipe,
        lambda problem, memory: (goal_chooser(problem),),
        lambda problem, memory: goal_tables_size(problem),
    ),
    "permutations": TreeKind(
        PermutationRecipe,
        _permutation_choosers,
        lambda problem, memory: _permutation_choosers(problem, memory)[0].built(Store()),
        shares=2,
    ),
    "placements": TreeKind(
        PlacementRecipe,
        _placement_choosers,
        lambda problem, memory: _placement_choosers(problem, memory)[0].built(Store()),
        shares=2,
    ),
    "bound": TreeKind(BoundRecipe),
}


def tree_kind(problem: Problem, bound: str | None = None) -> Kind:
    """Return the kind of tree with tables if that is better; with the named `bound` if any."""
    if bound is None:
        kind = problem.structure.kind
        if kind == PuzzleKind.PERMUTATIONS:
            return "permutations"
        if kind == PuzzleKind.BLANK_GRAPH and is_worth_tables(problem.puzzle.cells):
            return "walks"
        rules = None if kind == PuzzleKind.BLANK_GRAPH else placement_rules(problem.puzzle)
        if rules is not None and not rules.relaxed:
            return "placements"
    return "bound"


def shortest_plan(problem: Problem, incumbent: Incumbent, budget: Budget) -> Iterator[Report]:
    """Run IDA* until a plan is found, or it is proved that there is none.

    The bound of the options has to be admissible, and need not be consistent. Like the other
    searches of this module it ends at once if the tables do not fit into the memory.
    """
    name, least = budget.options.bound, best_lower_bound(problem).value
    kind = tree_kind(problem, name)
    by = f"{_NAME} with {named_bound(name, problem).title}" if kind == "bound" else _NAME
    if problem.is_solved:
        yield Report(NAME, plan=())
    elif least >= UNREACHABLE:
        yield Report(NAME, lower_bound=NO_PLAN)
    elif kind != "bound" or bound_fits(problem, budget.memory):
        make, memory = TREES[kind], budget.memory // TREES[kind].shares
        with open_team(budget, problem, by) as team:
            usual = partial(make.size, problem, memory)
            size = usual() if team is None else RecordedSizes(team).first(usual)
            tree = yield from _made(problem, make, size, budget, bound=name)
            tree.initial_bound = max(tree.initial_bound, least)
            prepare(tree, team)
            choosers = make.choosers(problem, memory)
            larger = [cache(partial(_larger, chooser, tree, budget)) for chooser in choosers]
            yield from idastar(tree, incumbent, budget, larger, team)


def _larger(chooser: Chooser, tree: SearchTree, budget: Budget) -> tuple[int, float] | None:
    """Return the size of larger patterns and the seconds to build tables; None if too large."""
    larger = chooser.larger(Store(), budget.threads)
    if larger is None:
        return None
    # Other choosers know the memory limit themselves.
    if isinstance(tree, PatternTree) and larger.memory + tree.table_bytes > budget.memory:
        return None
    return larger.size, larger.seconds


def least_penalty(problem: Problem, incumbent: Incumbent, budget: Budget) -> Iterator[Report]:
    """Find shortest plans of ever lower penalty; their length is the incumbent's bound."""
    tree = yield from _known_length(problem, budget, with_penalties=True)
    if tree is not None:
        length, below = incumbent.lower_bound, incumbent.penalty
        priced = _priced_tree(tree, budget)
        yield from fewest_penalty(tree, length, budget, below=below, priced=priced)


def every_plan(problem: Problem, incumbent: Incumbent, budget: Budget) -> Iterator[Report]:
    """Find every shortest plan; their length is the incumbent's bound."""
    tree = yield from _known_length(problem, budget, keep=EVERY_PLAN)
    if tree is not None:
        yield from all_plans(tree, incumbent.lower_bound, budget)


def plan_count(problem: Problem, incumbent: Incumbent, budget: Budget) -> Iterator[Report]:
    """Count the shortest plans; their length is the incumbent's bound."""
    tree = yield from _known_length(problem, budget, keep=EVERY_PLAN)
    if tree is not None:
        yield from all_plans(tree, incumbent.lower_bound, budget, count_only=True)


def _known_length(
    problem: Problem, budget: Budget, **paths: Any
) -> Generator[Report, None, SearchTree | None]:
    """Return the tree for what is asked once the length is known; None if none fits."""
    kind = tree_kind(problem)
    if kind == "bound" and not bound_fits(problem, budget.memory):
        return None
    size = TREES[kind].size(problem, budget.memory // TREES[kind].shares)
    return (yield from _made(problem, TREES[kind], size, budget, **paths))


def _made(
    problem: Problem, kind: TreeKind, size: int, budget: Budget, **paths: Any
) -> Generator[Report, None, SearchTree]:
    """Make a tree in the background; `paths` are what a `Recipe` says of its paths."""
    recipe = kind.recipe(problem_text(problem), size, budget.memory // kind.shares, **paths)
    return (yield from run_in_background(partial(recipe.tree, threads=budget.threads), _NAME))


def _priced_tree(tree: SearchTree, budget: Budget) -> PricedTree | None:
    """Return how to make the same tree with priced tables; None if there are none that fit."""
    if not isinstance(tree, PatternTree) or not dear_arcs(tree.problem):
        return None
    problem, automaton, sets = tree.problem, tree.automaton, tree.plain_sets
    effort = priced_effort(problem, threads=budget.threads)
    if effort is None or effort.memory + 2 * tree.table_bytes > budget.memory:
        return None

    def make(tell: Tell) -> PatternTree:
        priced = priced_sets(problem, tell, threads=budget.threads)
        return PatternTree(problem, sets, automaton, with_penalties=True, priced=priced)

    return PricedTree(int(effort.seconds * _NODES_A_SECOND * budget.threads), make)
