"""IDA* as an engine: the tree that fits a problem, and what is asked about its plans."""

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, Literal, TypeAlias

from plansolve.analysis.duplicate_sequences import EVERY_PLAN
from plansolve.bounds.registry import best_lower_bound
from plansolve.formats.json_document import problem_text
from plansolve.model.problem import Problem
from plansolve.model.structure import UNREACHABLE, PuzzleKind
from plansolve.patterns.choose import Chooser, ReachChooser, permutation_chooser
from plansolve.patterns.goal_tables import dear_arcs, goal_tables_size, priced_effort, priced_sets
from plansolve.patterns.partition import goal_chooser, is_worth_tables, table_choice
from plansolve.patterns.rules import placement_rules
from plansolve.solvers.protocol import NO_PLAN, Budget, Incumbent, Report
from plansolve.solvers.search.background import run_in_background
from plansolve.solvers.search.idastar import idastar
from plansolve.solvers.search.idastar.blank_tree import BlankRecipe, PatternTree
from plansolve.solvers.search.idastar.larger_tables import RecordedSizes
from plansolve.solvers.search.idastar.operator_tree import (
    BoundRecipe,
    PlacementRecipe,
    bound_fits,
    named_bound,
)
from plansolve.solvers.search.idastar.permutation_tree import PermutationRecipe
from plansolve.solvers.search.idastar.team_round import prepare
from plansolve.solvers.search.idastar.tree import Recipe, SearchTree
from plansolve.solvers.units.team import open_team
from plansolve.storage.store import Store, Tell

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
    """Return the kind of tree with tables where that is better; with the named `bound` if any."""
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
    """IDA* until a plan is found, or it is proved that there is none.

    The bound of the options has to be admissible, and need not be consistent. Like the other
    searches of this module it ends at once where the tables do not fit into the memory.
    """
    name, least = budget.options.bound, best_lower_bound(problem).value
    kind = tree_kind(problem, name)
    by = f"{_NAME} with {named_bound(name, problem).title}" if kind == "bound" else _NAME
    if problem.is_solved:
        yield Report(idastar.NAME, plan=())
    elif least >= UNREACHABLE:
        yield Report(idastar.NAME, lower_bound=NO_PLAN)
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
            yield from idastar.idastar(tree, incumbent, budget, larger, team)


def _larger(chooser: Chooser, tree: SearchTree, budget: Budget) -> tuple[int, float] | None:
    """Return the size of larger patterns and the seconds to build tables; None if too large."""
    larger = chooser.larger(Store(), budget.threads)
    if larger is None:
        return None
    # Other choosers are told how much memory there is.
    if isinstance(tree, PatternTree) and larger.memory + tree.table_bytes > budget.memory:
        return None
    return larger.size, larger.seconds


def least_penalty(problem: Problem, incumbent: Incumbent, budget: Budget) -> Iterator[Report]:
    """Shortest plans of less and less penalty; their length is the incumbent's bound."""
    tree = yield from _known_length(problem, budget, with_penalties=True)
    if tree is not None:
        length, below = incumbent.lower_bound, incumbent.penalty
        priced = _priced_tree(tree, budget)
        yield from idastar.fewest_penalty(tree, length, budget, below=below, priced=priced)


def every_plan(problem: Problem, incumbent: Incumbent, budget: Budget) -> Iterator[Report]:
    """Every shortest plan; their length is the incumbent's bound."""
    tree = yield from _known_length(problem, budget, keep=EVERY_PLAN)
    if tree is not None:
        yield from idastar.all_plans(tree, incumbent.lower_bound, budget)


def plan_count(problem: Problem, incumbent: Incumbent, budget: Budget) -> Iterator[Report]:
    """Count the shortest plans; their length is the incumbent's bound."""
    tree = yield from _known_length(problem, budget, keep=EVERY_PLAN)
    if tree is not None:
        yield from idastar.count_plans(tree, incumbent.lower_bound, budget)


def _known_length(
    problem: Problem, budget: Budget, **paths: Any
) -> Generator[Report, None, SearchTree | None]:
    """Return the tree for what is asked once the length is known; None where none fits."""
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


def _priced_tree(tree: SearchTree, budget: Budget) -> idastar.PricedTree | None:
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

    return idastar.PricedTree(int(effort.seconds * _NODES_A_SECOND * budget.threads), make)
