"""Additive pattern databases for blank graphs, as one lower bound over several partitions.

The tiles are divided into patterns. Each has a table with the least number of moves of its own
tiles; since a move moves one tile, the patterns' numbers add up (Korf and Felner 2002). Several
partitions, images of one another under the symmetries of the arcs, give several sums, of which
the largest counts. Patterns that a symmetry takes into each other share one table.

A sum is *admissible*, but not *consistent*: a table holds the least distance over all cells of the
blank, so a move may open a region in which the way is shorter by three or more. A search that
closes nodes for good must not rely on it.

In *priced* tables a dear move counts twice: a plan of m moves, d of them dear, has m + d of these
steps. So where no more than d dear moves are allowed, sum - d is a lower bound on all moves.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from plansolve.errors import OptionError
from plansolve.model.problem import Problem
from plansolve.model.puzzle import BLANK, State
from plansolve.model.structure import reverse
from plansolve.patterns.additive_build import build_tables
from plansolve.patterns.additive_kernel import AdditiveSets as AdditiveSets
from plansolve.patterns.choose import Needs
from plansolve.patterns.partition import (
    AdditiveChooser,
    Partition,
    SharedTables,
    additive_chooser,
    goal_chooser,
)
from plansolve.patterns.table import Table
from plansolve.storage.notices import UsedTable, note_used, used_tables
from plansolve.storage.store import Store, Tell

_MOST_BYTES, _MOST_PRICED = 1 << 32, 1 << 30
_MOST_LOADED = 2
"""Sizes of one goal's tables that a process keeps: a proof goes on from one to the next."""


def additive_sets(
    plan: AdditiveChooser,
    board: State,
    partitions: Sequence[Partition],
    *,
    store: Store,
    tell: Tell,
    title: str,
    reflected: bool = True,
    threads: int | None = None,
) -> AdditiveSets:
    """Return lower bounds on the number of moves that bring each tile to its cell in `board`.

    The blank moves along the arcs of `plan`, whose blank is that of `board`; with reversed arcs and
    the start as `board` these are bounds on the distance from the start. `partitions` hold home
    cells; if `reflected`, their images under the plan's reflections are further sets. Tables come
    from `store`, where `title` is shown, or are built by so many `threads`, None for all cores.

    Raise `OptionError` where the tables would exceed 4 GiB.
    """
    shared = plan.tables(partitions, reflected=reflected)
    if shared.length >= _MOST_BYTES:
        raise OptionError(
            f"patterns of {max(map(len, partitions[0]))} tiles need tables of "
            f"{shared.length >> 20} MB on {len(board)} cells: choose smaller ones"
        )
    table = Table(
        shared.key(title),
        shared.length,
        lambda: build_tables(plan.arcs, shared.tables, tell, threads=threads),
    )
    return _assembled(board, shared, table.load(store, tell, kept_above=0))


def goal_sets(
    problem: Problem,
    *,
    size: int | None = None,
    store: Store,
    tell: Tell,
    threads: int | None = None,
) -> AdditiveSets:
    """Return lower bounds on the distance to the goal; the problem must have a blank graph.

    `size` is the number of tiles of the largest pattern, None for the usual one, or a larger one
    whose tables the store holds. Raise `OptionError` where the board has too many cells, or the
    tables would exceed 4 GiB.
    """
    plan = goal_chooser(problem)
    partitions = plan.partitions(plan.built(store) if size is None else size)
    board, title = problem.goal, plan.title
    return additive_sets(
        plan, board, partitions, store=store, tell=tell, title=title, threads=threads
    )


def goal_tables(
    problem: Problem, tell: Tell, *, size: int | None = None, threads: int | None = None
) -> AdditiveSets:
    """Return the `goal_sets` from the user's store, loaded once in a process.

    Where `size` is None they are those of `goal_tables_size`.
    """
    loaded = _loaded(problem.blank_graph.successors, problem.goal)
    if size is None:
        size = goal_tables_size(problem)
    if size not in loaded.sets:
        sets = goal_sets(problem, size=size, store=Store(), tell=tell, threads=threads)
        loaded.sets[size] = sets, used_tables()
        for earlier in [*loaded.sets][:-_MOST_LOADED]:
            del loaded.sets[earlier]
        if loaded.size is not None:
            loaded.size = max(loaded.size, size)
    sets, used = loaded.sets[size]
    note_used(*used)
    return sets


def goal_tables_size(problem: Problem) -> int:
    """Return the number of tiles of the largest pattern that `goal_tables` takes unasked.

    A process looks into the store once. Afterwards it is what it has loaded or built itself.
    """
    loaded = _loaded(problem.blank_graph.successors, problem.goal)
    if loaded.size is None:
        loaded.size = goal_chooser(problem).built(Store())
    return loaded.size


@dataclass
class _Loaded:
    """One goal's sets by their size, with the kept tables behind them, and the largest size."""

    sets: dict[int, tuple[AdditiveSets, tuple[UsedTable, ...]]] = field(default_factory=dict)
    size: int | None = None


@lru_cache(maxsize=3)
def _loaded(
    arcs: Sequence[Sequence[int]], goal: State, dear: Sequence[Sequence[int]] = ()
) -> _Loaded:
    """Return the place for one goal's sets: as a rule a process works on boards of one puzzle."""
    return _Loaded()


def start_sets(problem: Problem, *, size: int | None = None, tell: Tell) -> AdditiveSets:
    """Return lower bounds on the distance from the start, in memory: each start has others."""
    arcs, start = reverse(problem.blank_graph.successors), problem.start
    title = f"{goal_chooser(problem).title} from the start"
    plan = additive_chooser(arcs, start.index(BLANK))
    partition, _ = plan.two_partitions(plan.usual if size is None else size)
    store = Store(in_memory=True)
    return additive_sets(plan, start, [partition], store=store, tell=tell, title=title)


def dear_arcs(problem: Problem) -> tuple[tuple[int, ...], ...]:
    """Return where the blank can go from each cell by a move of more than the least penalty.

    Empty where all moves have the same penalty.
    """
    penalties = problem.blank_graph.penalties
    least = min((min(row.values()) for row in penalties if row), default=0)
    dear = tuple(tuple(cell for cell, price in row.items() if price > least) for row in penalties)
    return dear if any(dear) else ()


def priced_effort(problem: Problem, *, threads: int) -> Needs | None:
    """Return what the tables of `priced_sets` need; None where they would exceed a gigabyte."""
    chooser = goal_chooser(problem, dear_arcs(problem))
    needs = chooser.needs(chooser.usual, threads)
    return needs if needs.nbytes <= _MOST_PRICED else None


def priced_sets(problem: Problem, tell: Tell, *, threads: int | None = None) -> AdditiveSets:
    """Return lower bounds on the moves to the goal plus the dear ones among them; kept in memory.

    The problem must have a blank graph with dear arcs.
    """
    arcs, dear = problem.blank_graph.successors, dear_arcs(problem)
    chooser, sets = goal_chooser(problem, dear), _loaded(arcs, problem.goal, dear).sets
    if chooser.usual not in sets:
        shared = chooser.tables(chooser.partitions(chooser.usual))
        table = build_tables(arcs, shared.tables, tell, threads=threads, dear=dear)
        sets[chooser.usual] = _assembled(problem.goal, shared, table), ()
    return sets[chooser.usual][0]


def _assembled(board: State, shared: SharedTables, table: NDArray[np.uint8]) -> AdditiveSets:
    """Return the sets of these tables, whose goal has the tiles as in `board`."""
    cells, sets = len(board), shared.sets
    group = np.zeros(len(sets) * cells, np.uint8)
    weight = np.zeros((len(sets) * cells, cells), np.uint32)
    base, first = list[int](), [0]
    for s, patterns in enumerate(sets):
        for pattern, number, image, homes in patterns:
            for cell in pattern:
                row = s * cells + board[cell]
                stride = cells ** (len(homes) - 1 - homes.index(image[cell]))
                group[row] = len(base)
                weight[row] = [stride * there for there in image]
            base.append(shared.bases[number])
        first.append(len(base))
    return AdditiveSets(
        table, np.array(base, np.uint32), group, weight.ravel(), np.array(first, np.uint32)
    )
