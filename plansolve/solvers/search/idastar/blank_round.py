"""One round of IDA*: the tree below one bound, searched to its end by one thread or several.

A large tree is cut at some depth, and its subtrees are searched one by one, by several threads if
there are some (root splitting). Those in which the round before got deepest come first, and among
equals those that seem nearest to the goal. The kernels run without the interpreter's lock.
"""

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from enum import Enum
from threading import Lock
from types import MappingProxyType

from plansolve.model.structure import UNREACHABLE
from plansolve.solvers.search.idastar.blank_tree import Cursor, Walk, WalkTree
from plansolve.solvers.search.idastar.distance_kernel import (
    DEEPEST,
    EXHAUSTED,
    FOUND,
    LEAF_REACHED,
    MOST_PENALTY,
    NEXT_BOUND,
    NO_BOUND,
    NODES,
    PLANS,
)

__all__ = ["BoundedRound", "Goals"]

# Nodes of a kernel call, some hundredths of a second, where a node has up to four children.
_SLICE = 1 << 20
_WAIT = 0.1  # seconds
_SUBTREES = 2000
_MOST_SUBTREES = 60_000
_NODES_A_SUBTREE = 5_000
"""How many subtrees there should be: `_SUBTREES` where nothing tells how large the tree is, else
one for so many nodes of the round before. The more there are the better their order, but to enter
one costs as much as some thousand nodes; of one depth they differ much in size and in promise.
"""


class Goals(Enum):
    """What happens when a plan is found."""

    FIRST = "the round ends"
    EACH = "the search goes on"
    COUNT = "it is counted, and not told"
    LEAST_PENALTY = "the search goes on for plans of less penalty"


class BoundedRound:
    """The walks whose f is within `bound`.

    `found` holds the walks of the plans found, for the caller to take away, `plans` their number
    with `Goals.COUNT`; `nodes` counts the nodes entered. `stop()` ends the round early. When `run`
    has ended and the round `is_exhausted`, `next_bound` is the least f that was cut off, `NO_BOUND`
    where there was none: no walk that the bound has cut off ends in the goal sooner. `deepest` is
    the largest depth below the root of each subtree; `before` that of a round with a lower bound.
    """

    def __init__(
        self,
        tree: WalkTree,
        bound: int,
        goals: Goals = Goals.FIRST,
        most_penalty: int = UNREACHABLE,
        slice_nodes: int = _SLICE,
        before: Mapping[Walk, int] = MappingProxyType({}),
    ) -> None:
        self._tree, self._bound, self._goals = tree, bound, goals
        self.most_penalty = most_penalty
        self.found: deque[Walk] = deque()
        self.nodes, self.plans, self.next_bound = 0, 0, NO_BOUND
        self.deepest: dict[Walk, int] = {}
        self._before = before
        self._slice = max(1, slice_nodes * 4 // max(tree.degree, 4))
        start = tree.problem.start.index(0)
        self._jobs: deque[Walk] = deque([(start,)])
        self._unfinished = 1
        self._stopped = False
        self._lock = Lock()

    @property
    def is_exhausted(self) -> bool:
        """Whether nothing is left of the tree."""
        return self._unfinished == 0

    def stop(self) -> None:
        """Ends the round at the end of the slices that are running."""
        self._stopped = True

    def run(
        self, threads: int, *, is_large: bool = True, nodes_before: int | None = None
    ) -> Iterator[None]:
        """Searches; yields several times a second, and when a plan was found.

        A tree that is not large is searched in one piece and by one thread. `nodes_before` are
        those of the round before, if there was one.
        """
        if is_large:
            of_nodes = _SUBTREES if nodes_before is None else nodes_before // _NODES_A_SUBTREE
            yield from self._cut(min(of_nodes, _MOST_SUBTREES))
        if threads == 1 or not is_large:
            yield from self._steps()
            return
        with ThreadPoolExecutor(threads) as pool:
            try:
                workers = [pool.submit(self._work) for _ in range(threads)]
                running = set(workers)
                while running:
                    done, running = wait(running, _WAIT, FIRST_EXCEPTION)
                    for worker in done:
                        worker.result()
                    yield
            finally:
                self.stop()

    def _work(self) -> None:
        for _ in self._steps():
            pass

    def _steps(self) -> Iterator[None]:
        while not self._stopped:
            with self._lock:
                if not self._jobs:
                    return
                walk = self._jobs.popleft()
            cursor = self._enter(walk)
            status = LEAF_REACHED
            while not self._stopped and status != EXHAUSTED:
                cursor.registers[MOST_PENALTY] = self.most_penalty
                cursor.registers[[NODES, PLANS]] = 0
                status = self._tree.advance(cursor, self._slice)
                self._account(cursor, status)
                yield
            self.deepest[walk] = int(cursor.registers[DEEPEST])

    def _enter(self, walk: Walk, leaf: int | None = None) -> Cursor:
        options = {} if leaf is None else {"leaf": leaf}
        return self._tree.enter(
            walk,
            self._bound,
            most_penalty=self.most_penalty,
            counting=self._goals == Goals.COUNT,
            **options,
        )

    def _account(self, cursor: Cursor, status: int) -> None:
        with self._lock:
            self.nodes += int(cursor.registers[NODES])
            self.plans += int(cursor.registers[PLANS])
            self.next_bound = min(self.next_bound, int(cursor.registers[NEXT_BOUND]))
            if status == EXHAUSTED:
                self._unfinished -= 1
            elif status == FOUND:
                self._tell(cursor.walk)

    def _tell(self, walk: Walk) -> None:
        if self._goals == Goals.FIRST:
            self._stopped = True
        elif self._goals == Goals.LEAST_PENALTY:
            penalty = self._tree.penalty(walk)
            if penalty > self.most_penalty:
                return  # Another thread was faster.
            self.most_penalty = penalty - 1
        self.found.append(walk)

    def _cut(self, wanted: int) -> Iterator[None]:
        """Replaces the tree by its subtrees at a depth at which there are as many as wanted."""
        (root,) = self._jobs
        leaf, leaves, status = 0, [(0, root)], EXHAUSTED
        while leaves and len(leaves) < wanted:
            leaf += 2
            cursor, leaves = self._enter(root, leaf), []
            status = LEAF_REACHED
            while status == LEAF_REACHED:
                status = self._tree.advance(cursor, 1 << 40)
                if status == LEAF_REACHED:
                    leaves.append((self._tree.estimate(cursor), cursor.walk))
            if status == FOUND:
                # So near the start that the tree is small: it is searched in one piece.
                return
            yield
        if leaf:
            self._account(cursor, status)
            depths = self._depths_before(leaf)
            ranked = sorted((-depths(walk), estimate, walk) for estimate, walk in leaves)
            self._jobs = deque(walk for _, _, walk in ranked)
            self._unfinished += len(leaves)
        yield

    def _depths_before(self, leaf: int) -> Callable[[Walk], int]:
        """How deep the round before got below a walk of `leaf` moves; 0 for one that is new.

        Its subtrees may have been smaller or larger than those of this round.
        """
        depths: dict[Walk, int] = {}
        for walk, depth in self._before.items():
            root = walk[: leaf + 1]
            depths[root] = max(depth, depths.get(root, 0))
        lengths = sorted({len(root) for root in depths}, reverse=True)
        return lambda walk: next((depths[w] for n in lengths if (w := walk[:n]) in depths), 0)
