"""One round of IDA* searched by a team: processes, machines, and a store that keeps the parts.

A work unit is some subtrees, searched by any process that makes the same tree. The plan is that of
the first unit, in their order, that has one. The units before it come to their end, and those after
it do not count: so plan and nodes are the same for any number of workers, and after any number of
interruptions.
"""

import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import Any

import numpy as np

from plansolve.checker import check_plan
from plansolve.errors import InternalError
from plansolve.solvers.limits import is_unwanted
from plansolve.solvers.search.idastar.round import Round, parts_of
from plansolve.solvers.search.idastar.tree import Path, Recipe, SearchTree
from plansolve.solvers.units.team import Team, host

_UNIT_NODES = 30_000_000
"""The nodes of a unit, a second or two, as far as the round before foretells them."""
_GROWTH = 8
"""The factor by which the nodes of a round grow, roughly."""
_FEWEST_UNITS = 64
_FRONT = 10
"""The subtrees that come first are the largest, and as a rule one of them holds the plan: a tenth
of them makes as many units as the rest."""
_SECONDS_TO_TELL = 0.1


@dataclass(frozen=True)
class SubtreesAnswer:
    """The outcome of a search of subtrees within an f-limit.

    `next_limit` is the least f beyond the limit, `deepest` the largest depth of a node of each
    subtree. With a `plan`, a path, the search has ended at it: the counts go that far.
    """

    nodes: int
    expanded: int
    next_limit: int
    deepest: tuple[int, ...]
    plan: Path | None
    is_done: bool = True
    seconds: float = 0.0
    host: str = field(default_factory=host)

    def document(self) -> dict[str, Any]:
        """Return what the work came to, ready for JSON."""
        return {
            "nodes": self.nodes,
            "expanded": self.expanded,
            "next_limit": self.next_limit,
            "deepest": list(self.deepest),
            "plan": None if self.plan is None else list(self.plan),
        }


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
        counts = [document[name] for name in ("nodes", "expanded", "next_limit")]
        deepest, plan = document["deepest"], document["plan"]
        if not all(map(_is_count, counts)) or counts[2] <= self.limit:
            raise ValueError("its counts make no sense")
        if not isinstance(deepest, list) or len(deepest) != self.count:
            raise ValueError("its depths are not those of its subtrees")
        if not all(map(_is_count, deepest)):
            raise ValueError("a depth is no number")
        path = None if plan is None else self._replayed(plan)
        nodes, expanded, next_limit = counts
        return SubtreesAnswer(nodes, expanded, next_limit, tuple(deepest), path, seconds=seconds)

    def _replayed(self, plan: object) -> Path:
        """Return a path that leads to the goal; raise `ValueError` for anything else."""
        if isinstance(plan, list) and all(map(_is_count, plan)):
            path = tuple(plan)
            tree = self.recipe.tree()
            with suppress(LookupError):
                if check_plan(tree.problem, tree.plan(path)).solves:
                    return path
        raise ValueError("its plan does not reach the goal")


def packed_paths(paths: Sequence[Path]) -> bytes:
    """Return paths of one length as bytes, two for each of their numbers."""
    return np.array(paths, np.uint16).tobytes()


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 62


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
