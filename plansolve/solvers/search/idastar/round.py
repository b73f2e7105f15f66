"""One round of IDA*: the tree within one f-limit, searched to its end by threads or by a team.

A large tree is cut at some depth, and its subtrees are searched one by one, by several threads if
there are some (root splitting). Those in which the round before got deepest come first, and among
equals those that seem nearest to the goal. If one plan is looked for, subtrees are left out that a
symmetry turns into others. The kernels run without the interpreter's lock.

A team are processes, machines, and a store that keeps the parts. A work unit is some subtrees,
searched by any process that makes the same tree. The plan is that of the first unit, in their
order, that has one. The units before it come to their end, and those after it do not count: so plan
and nodes are the same for any number of workers, and after any number of interruptions.
"""

import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from hashlib import sha256
from math import inf
from threading import Lock
from types import MappingProxyType
from typing import Any

import numpy as np

from plansolve.checker import check_plan
from plansolve.errors import InternalError
from plansolve.json_reader import Whole
from plansolve.model.structure import UNREACHABLE
from plansolve.solvers.limits import is_unwanted
from plansolve.solvers.search.idastar import registers as reg
from plansolve.solvers.search.idastar.tree import Path, Position, Recipe, SearchTree
from plansolve.solvers.units.executors import thread_executor
from plansolve.solvers.units.team import Failed, Team, UnitAnswer

_MOST_SUBTREES = 60_000
_THREAD_UNITS = 1000


class Goals(Enum):
    """The consequences of a plan that is found."""

    FIRST = "the round ends"
    EACH = "the search goes on"
    COUNT = "it is counted, and not told"
    LEAST_PENALTY = "the search goes on for plans of less penalty"


class Round:
    """The paths whose f is within `limit`.

    `found` holds the paths of the plans found, for the caller to take away, `plans` their number
    with `Goals.COUNT`; `nodes` counts the nodes entered, `expanded` those whose children were
    generated, if the kernel counts them. `stop()` ends the round early. When `run` has ended and
    the round `is_exhausted`, `next_limit` is the least f beyond the limit, `NO_LIMIT` if there
    was none: no path beyond the limit ends in the goal sooner. `deepest` is the largest
    depth below the root of each subtree; `before` that of a round with a lower limit. `roots` are
    the subtrees to search if that is not the whole tree. `seconds` is how long the search took.
    """

    def __init__(
        self,
        tree: SearchTree,
        limit: int,
        goals: Goals = Goals.FIRST,
        most_penalty: int = UNREACHABLE,
        before: Mapping[Path, int] = MappingProxyType({}),
        roots: Sequence[Path] | None = None,
    ) -> None:
        self.tree, self.limit, self._goals = tree, limit, goals
        self.most_penalty = most_penalty
        self.found: deque[Path] = deque()
        self.nodes, self.expanded, self.plans, self.next_limit = 0, 0, 0, reg.NO_LIMIT
        self.deepest: dict[Path, int] = {}
        self._before = before
        self.seconds = 0.0
        self._jobs: deque[Path] = deque([tree.root] if roots is None else roots)
        self._is_whole = roots is None
        self._unfinished = len(self._jobs)
        self.is_stopped = False
        self._lock = Lock()

    @property
    def is_exhausted(self) -> bool:
        return self._unfinished == 0

    def stop(self) -> None:
        """End the round at the end of the slices that are running."""
        self.is_stopped = True

    def run(self, threads: int = 1, *, nodes_before: int | None = None) -> Iterator[None]:
        """Return searches; yields several times a second, and when a plan was found.

        `nodes_before` are those of the round before, if there was one. If they are few, the tree
        is searched in one piece and by one thread.
        """
        begin = time.perf_counter()
        is_large = (yield from self.subtrees(nodes_before)) is not None
        if is_large and threads > 1:
            yield from self._run_by_threads(threads)
        else:
            yield from self._steps(self._jobs)
        self.seconds = time.perf_counter() - begin

    def subtrees(self, nodes_before: int | None) -> Generator[None, None, list[Path] | None]:
        """Cut the tree if it pays, and return the roots of all subtrees; None if not."""
        cutting = self.tree.cutting
        before = inf if nodes_before is None else nodes_before
        if not self._is_whole or before <= cutting.large_round:
            return None
        wanted = cutting.subtrees
        if nodes_before is not None:
            wanted = nodes_before // cutting.nodes_a_subtree
        yield from self._cut(min(wanted, _MOST_SUBTREES))
        self._is_whole = False
        return list(self._jobs)

    def finish(self, deepest: Mapping[Path, int], next_limit: int) -> None:
        """Take in that others have searched some subtrees to their end, and how deep."""
        self._unfinished -= len(deepest)
        self.deepest |= deepest
        self.next_limit = min(self.next_limit, next_limit)

    def search(self, roots: Sequence[Path]) -> None:
        """Search the subtrees below some roots, beside threads that search others."""
        for _ in self._steps(deque(roots)):
            pass

    def _run_by_threads(self, threads: int) -> Iterator[None]:
        units = (_Part(self, part) for part in parts_of(list(self._jobs), _THREAD_UNITS))
        with thread_executor(threads) as executor:
            try:
                for ended in Team(executor).each(units):
                    if isinstance(ended, Failed):
                        raise ended.error
                    yield
                    if self.is_stopped:
                        return
            finally:
                self.stop()

    def _steps(self, jobs: deque[Path]) -> Iterator[None]:
        while jobs and not self.is_stopped:
            path = jobs.popleft()
            position = self._enter(path)
            status = reg.LEAF_REACHED
            while not self.is_stopped and status != reg.EXHAUSTED:
                position.registers[reg.MOST_PENALTY] = self.most_penalty
                position.registers[[reg.NODES, reg.EXPANDED, reg.PLANS]] = 0
                status = self.tree.advance(position, self.tree.cutting.slice_nodes)
                self._account(position, status)
                yield
            self.deepest[path] = int(position.registers[reg.DEEPEST])

    def _enter(self, path: Path, leaf: int = reg.NO_LEAF) -> Position:
        """Return a position at the root of a subtree to be searched down to the depth `leaf`."""
        depth = self.tree.depth(path)
        position: Position = self.tree.position(path, max(self.limit, depth) + 2)
        registers = position.registers
        registers[[reg.DEPTH, reg.FLOOR]], registers[reg.LEAF] = depth, leaf
        registers[reg.LIMIT] = self.limit
        registers[reg.NEXT_LIMIT], registers[reg.MOST_PENALTY] = reg.NO_LIMIT, self.most_penalty
        registers[reg.COUNTING] = self._goals == Goals.COUNT
        return position

    def _account(self, position: Position, status: int) -> None:
        registers = position.registers
        with self._lock:
            self.nodes += int(registers[reg.NODES])
            self.expanded += int(registers[reg.EXPANDED])
            self.plans += int(registers[reg.PLANS])
            self.next_limit = min(self.next_limit, int(registers[reg.NEXT_LIMIT]))
            if status == reg.EXHAUSTED:
                self._unfinished -= 1
            elif status == reg.FOUND:
                self._tell(self.tree.path(position))

    def _tell(self, path: Path) -> None:
        if self._goals == Goals.FIRST:
            self.is_stopped = True
        elif self._goals == Goals.LEAST_PENALTY:
            penalty = self.tree.penalty(path)
            if penalty > self.most_penalty:
                return  # Another thread was faster.
            self.most_penalty = penalty - 1
        self.found.append(path)

    def _cut(self, wanted: int) -> Iterator[None]:
        """Replace the tree by its subtrees at a depth at which there are as many as wanted."""
        (root,) = self._jobs
        leaf, leaves, status = 0, [(0, root)], reg.EXHAUSTED
        while leaves and len(leaves) < wanted:
            leaf += self.tree.cutting.step
            position, leaves = self._enter(root, leaf), []
            status = reg.LEAF_REACHED
            while status == reg.LEAF_REACHED:
                status = self.tree.advance(position, 1 << 40)
                if status == reg.LEAF_REACHED and self._is_wanted(self.tree.path(position)):
                    leaves.append((self.tree.estimate(position), self.tree.path(position)))
            if status == reg.FOUND:
                # So near the start that the tree is small: it is searched in one piece.
                return
            yield
        if leaf:
            self._account(position, status)
            depths = self._depths_before(leaf)
            ranked = sorted((-depths(path), estimate, path) for estimate, path in leaves)
            self._jobs = deque(path for _, _, path in ranked)
            self._unfinished += len(leaves)
        yield

    def _is_wanted(self, path: Path) -> bool:
        return self._goals != Goals.FIRST or not self.tree.has_smaller_image(path)

    def _depths_before(self, leaf: int) -> Callable[[Path], int]:
        """Return how deep the round before got below a path of `leaf` moves; 0 for one that is new.

        Its subtrees may have been smaller or larger than those of this round.
        """
        depths: dict[Path, int] = {}
        for path, depth in self._before.items():
            root = path[: len(self.tree.root) + leaf]
            depths[root] = max(depth, depths.get(root, 0))
        lengths = sorted({len(root) for root in depths}, reverse=True)
        return lambda path: next((depths[p] for n in lengths if (p := path[:n]) in depths), 0)


@dataclass(frozen=True)
class _Part:
    """Some subtrees of a round, for a thread."""

    round: Round
    roots: Sequence[Path]

    def run(self) -> None:
        self.round.search(self.roots)


def parts_of(paths: Sequence[Path], most: int) -> list[Sequence[Path]]:
    """Cut a list into at most so many pieces of nearly the same length."""
    size = -(-len(paths) // most)
    return [paths[begin : begin + size] for begin in range(0, len(paths), max(1, size))]


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
            raise InternalError("a worker has another tree: compare the plansolve versions")
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
