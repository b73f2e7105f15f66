"""IDA* with a bound that is chosen by name, or else tile distances, on puzzles of any kind."""

from collections.abc import Iterator
from dataclasses import dataclass

from plansolve.bounds.bound import Bound
from plansolve.bounds.distance import TileDistances
from plansolve.bounds.registry import admissible_bound
from plansolve.errors import InternalError
from plansolve.formats.identity import problem_key, problem_text
from plansolve.model.problem import Problem
from plansolve.solvers.protocol import Budget, Incumbent, Report
from plansolve.solvers.search.idastar.bound_tree import BoundTree, bound_tree
from plansolve.solvers.search.idastar.idastar import idastar, settled
from plansolve.solvers.search.idastar.recipe import Recipe
from plansolve.solvers.search.idastar.team_round import prepare
from plansolve.solvers.units.team import open_team
from plansolve.storage.store import Tell

__all__ = ["BoundRecipe", "bounded_idastar"]


def bounded_idastar(problem: Problem, incumbent: Incumbent, budget: Budget) -> Iterator[Report]:
    """IDA* with the bound of the options until a plan is found.

    The bound has to be admissible, and need not be consistent. The search ends at once where the
    tables do not fit into the memory.
    """
    name = budget.options.bound
    bound = _bound(name, problem)
    if report := settled(problem):
        yield report
    elif (tree := bound_tree(problem, bound, budget)) is not None:
        with open_team(budget, f"{problem_key(problem)} idastar with {tree.name}") as team:
            if team is not None:
                BoundRecipe(problem_text(problem), 0, budget.memory, name).has_made(tree)
                prepare(tree, team)
            yield from idastar(tree, incumbent, budget, team=team)


def _bound(name: str | None, problem: Problem) -> Bound:
    return TileDistances() if name is None else admissible_bound(name, problem)


@dataclass(frozen=True)
class BoundRecipe(Recipe):
    """A tree with the admissible bound of that name, tile distances where it is None; it has no
    patterns.
    """

    bound: str | None

    def make(self, tell: Tell, threads: int) -> BoundTree:
        """Make the tree."""
        problem = self.problem
        tree = bound_tree(problem, _bound(self.bound, problem), Budget(memory=self.memory))
        if tree is None:
            raise InternalError("a tree that fitted into the memory does not fit any more")
        tree.recipe = self
        return tree
