"""One round of IDA* searched by a team: processes, machines, and a store that keeps the parts.

A work unit is some subtrees, searched by any process that makes the same tree. The plan is that of
the first unit, in their order, that has one. The units before it come to their end, and those after
it do not count: so plan and nodes are the same for any number of workers, and after any number of
interruptions.
"""

import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Any

import numpy as np

from plansolve.checker import check_plan
from plansolve.errors import InternalError
from plansolve.json_reader import Whole
from plansolve.solvers.limits import is_unwanted
from plansolve.solvers.search.idastar.round import Round, parts_of
from plansolve.solvers.search.idastar.tree import Path, Recipe, SearchTree
from plansolve.solvers.units.team import Team, UnitAnswer

_UNIT_NODES = 30_000_000
"""The nodes of a unit, a second or two, as far as the round before foretells them."""
_GROWTH = 8
"""The factor by which the nodes of a round grow, roughly."""
_FEWEST_UNITS = 64
_FRONT = 10
"""The subtrees that come first are the largest, and as a rule one of them holds the plan: a tenth
of them makes as many units as the rest."""
_SECONDS_TO_TELL = 0.1
_MOST_COUNTED = 1 << 62


@dataclass(frozen=True)
class SubtreesAnswer(UnitAnswer):
    """The outcome of a search of subtrees within an f-limit.

    `next_limit` is the least f beyond the limit, `deepest` the largest depth of a node of each
    subtree. With a `plan`, a path, the search has ended at it: the counts go that far.
    """

    nodes: Whole
    expanded: Whole
    next_limit: Whole
    deepest: tuple[Whole, ...]
    plan: tuple[Whole, ...] | None


@dataclass(frozen=True)
class SubtreesUnit:
    """The subtrees below some paths of the tree of `recipe`, within the f-limit `limit`.

    `identity` is that of the tree, so that all who work on a round prune alike. `paths` holds
    `count` paths of one length, see `packed_paths`.
    """

    recipe: Recipe
    identity: str
    limit: int
    count: int
    paths: bytes

    @cached_property
    def key(self) -> str:
        """The SHA-256 of the tree, the limit and the paths."""
        begin = f"subtrees {self.identity} {self.limit} {self.count} ".encode()
        return sha256(begin + self.paths).hexdigest()

    def run(self) -> SubtreesAnswer:
        """Search the subtrees one after the other, until a plan is found."""
        begin = time.perf_counter()
        tree = self.recipe.tree()
        if tree.identity != self.identity:
            raise InternalError("a worker has made another tree, of another version of plansolve?")
        numbers = np.frombuffer(self.paths, np.uint16)
        numbers = numbers.reshape(self.count, len(numbers) // self.count)
        roots = [tuple(row) for row in numbers.tolist()]
        work = Round(tree, self.limit, roots=roots)
        for _ in work.run():
            if is_unwanted():
                work.stop()
        plan = work.found[0] if work.found else None
        return SubtreesAnswer(
            nodes=work.nodes,
            expanded=work.expanded,
            next_limit=work.next_limit,
            deepest=tuple(work.deepest.get(root, 0) for root in roots),
            plan=plan,
            is_done=plan is not None or work.is_exhausted,
            seconds=time.perf_counter() - begin,
        )

    def answer(self, document: dict[str, Any], seconds: float) -> SubtreesAnswer:
        """Return the answer of a document; raise `ValueError` for one that no search gives."""
        found = SubtreesAnswer.of(document, seconds)
        counts = (found.nodes, found.expanded, found.next_limit, *found.deepest)
        if max(counts) >= _MOST_COUNTED or found.next_limit <= self.limit:
            raise ValueError("its counts are impossible")
        if len(found.deepest) != self.count:
            raise ValueError("its depths are not those of its subtrees")
        if found.plan is not None and not self._leads_to_goal(found.plan):
            raise ValueError("its plan does not reach the goal")
        return found

    def _leads_to_goal(self, path: Path) -> bool:
        tree = self.recipe.tree()
        with suppress(LookupError, OverflowError):
            return check_plan(tree.problem, tree.plan(path)).solves
        return False


def packed_paths(paths: Sequence[Path]) -> bytes:
    """Return paths of one length as bytes, two for each of their numbers."""
    return np.array(paths, np.uint16).tobytes()


def prepare(tree: SearchTree, team: Team | None) -> None:
    """Have a team's processes make the tree while small rounds are searched without them."""
    if team is not None and tree.recipe is not None:
        team.executor.prepare(_make, tree.recipe)


def _make(recipe: Recipe) -> None:
    tree = recipe.tree()
    # Nothing is within this limit, but the kernel is loaded.
    for _ in Round(tree, 0).run():
        pass


def search_with_team(work: Round, team: Team, nodes_before: int) -> Iterator[None]:
    """Search a round to its end, or to a plan; yield several times a second.

    Small rounds, going by the nodes of the one before, are searched here in one piece. The tree
    must have a recipe, and the goal of the round must be a first plan. Raise what `Team.run` does.
    """
    roots = yield from work.subtrees(nodes_before)
    if roots is None:
        yield from work.run(nodes_before=nodes_before)
        return
    recipe, identity = work.tree.recipe, work.tree.identity
    assert recipe is not None
    count, front = max(_FEWEST_UNITS, _GROWTH * nodes_before // _UNIT_NODES), len(roots) // _FRONT
    parts = [*parts_of(roots[:front], count), *parts_of(roots[front:], count)]
    units = [
        SubtreesUnit(recipe, identity, work.limit, len(part), packed_paths(part)) for part in parts
    ]
    answers: dict[int, SubtreesAnswer] = {}
    above, last, told = (work.nodes, work.expanded), len(units), time.monotonic()
    for answered in team.run(units, work.limit):
        if answered is not None:
            answer = answers[answered.number] = answered.answer
            work.nodes += answer.nodes
            work.expanded += answer.expanded
            if answer.plan is not None and answered.number < last:
                last = answered.number
                team.drop(last)
        if work.is_stopped:
            team.drop()
        if answered is None or time.monotonic() > told + _SECONDS_TO_TELL:
            told = time.monotonic()
            yield
    counted = [answer for number, answer in answers.items() if number <= last]
    work.nodes = above[0] + sum(answer.nodes for answer in counted)
    work.expanded = above[1] + sum(answer.expanded for answer in counted)
    for number, answer in answers.items():
        work.finish(dict(zip(parts[number], answer.deepest, strict=True)), answer.next_limit)
    work.seconds = sum(a.seconds for a in answers.values()) / max(1, team.executor.width())
    if last < len(units) and (plan := answers[last].plan) is not None:
        work.found.append(plan)
    yield
