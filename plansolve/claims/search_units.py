"""The units of a search proof as work for others: processes, machines, and a store of answers.

Each worker makes the tables itself, by the sceptic's code. What a store has is the word of whoever
wrote it, as a rule this machine's own earlier work.
"""

import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from threading import Lock
from typing import TYPE_CHECKING, Any

from plansolve.certcheck.options import SearchedUnits
from plansolve.checker import check_plan
from plansolve.formats import read_problem
from plansolve.formats.json_document import problem_text
from plansolve.json_reader import Whole
from plansolve.model.puzzle import Plan
from plansolve.solvers.limits import is_unwanted
from plansolve.solvers.protocol import Distribution
from plansolve.solvers.units.team import UnitAnswer, team_of

if TYPE_CHECKING:
    # A check without others does without numba until it searches.
    from plansolve.certcheck.search.tree import ProofTree

_VERSION = 2
"""Raised where the sceptic's search looks at other boards, so that answers of before say less."""
_PARTS = 512
"""The most units for a team: each takes seconds, if all of them take long."""


@dataclass(frozen=True)
class PathsAnswer(UnitAnswer):
    """The number of boards that were entered, and the plans that were met."""

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
        """The SHA-256 of all that the answer depends on."""
        parts = [_VERSION, self.problem, self.proof, self.paths]
        return sha256(json.dumps(parts).encode()).hexdigest()

    def run(self) -> PathsAnswer:
        """Search below the paths, one after the other."""
        # With numba, in the process that does the work.
        from plansolve.certcheck.search.units import search_unit

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
        """Return the answer of a document; raise `ValueError` for one that no search gives."""
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
        self, tree: "ProofTree", paths: Sequence[tuple[int, ...]]
    ) -> Iterator[SearchedUnits]:
        """Yield what was searched as it comes, as `certcheck.search.units.run_units` does."""
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


# Threads that ask for the same tree at the same time would each make it.
_making = Lock()


@lru_cache(maxsize=2)
def _tree(problem: str, proof: str) -> "ProofTree":
    from plansolve.certcheck.search.check import built_tables, tree_of
    from plansolve.certcheck.search.proof import read_search_proof

    posed = read_problem(problem)
    tree = tree_of(posed, read_search_proof(proof.encode(), posed.puzzle.cells), is_unwanted)
    tree.use(built_tables(tree, 1, is_unwanted))
    return tree
