"""The tables of a problem: those that a process keeps in memory, and those of the store."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from plansolve.errors import OptionError
from plansolve.model.problem import Problem
from plansolve.model.puzzle import BLANK, WORD_CELLS, State
from plansolve.model.structure import reverse
from plansolve.patterns.additive_kernel import AdditiveSets
from plansolve.patterns.choose import Needs, ReachChooser, permutation_chooser
from plansolve.patterns.partition import additive_chooser, goal_chooser, table_choice
from plansolve.patterns.rules import placement_rules
from plansolve.storage.notices import UsedTable, note_used
from plansolve.storage.store import Store, Tell
from plansolve.text import counted

_MOST_PRICED = 1 << 30
_MOST_LOADED = 2
"""Sizes of one goal's tables that a process keeps: a proof changes from one to the next."""


def build_for(problem: Problem, size: int | None, store: Store, tell: Tell) -> None:
    """Put the tables of a problem's goal into the store, of the first kind that fits.

    Patterns have at most `size` tiles, or the default for None. Raise `OptionError` if no kind
    fits, or nothing can move.
    """
    puzzle, threads = problem.puzzle, os.cpu_count() or 1
    if not puzzle.operators:
        raise OptionError(f"no tables: {puzzle.name} has no moves")
    if problem.structure.blank_graph is not None:
        goal_sets(problem, size=size, store=store, tell=tell)
    elif problem.structure.is_free:
        chooser = permutation_chooser(puzzle)
        reached = chooser.built(store) if size is None else size
        chooser.lookups(reached, store=store, tell=tell, threads=threads)
        if size is not None:
            ReachChooser(chooser).lookups(size, store=store, tell=tell, threads=threads)
    elif puzzle.cells > WORD_CELLS:
        raise OptionError(f"there are no pattern databases for puzzles like {puzzle.name}")
    elif (rules := placement_rules(puzzle)) is None:
        raise OptionError("no tables: the goal places no piece")
    else:
        choice = table_choice(puzzle, rules)
        chosen = choice.usual if size is None else size
        if not choice.patterns(chosen):
            raise OptionError(
                f"no tables of {counted(chosen, 'piece')}: a table holds all pieces of a kind, "
                f"and each kind has more; try {choice.usual}"
            )
        choice.lookups(chosen, store=store, tell=tell, threads=threads)


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
    whose tables the store holds. Raise `OptionError` if the board has too many cells, or the
    tables would exceed 4 GiB.
    """
    chooser = goal_chooser(problem)
    partitions = chooser.partitions(chooser.built(store) if size is None else size)
    return chooser.sets(problem.goal, partitions, store=store, tell=tell, threads=threads)


def goal_tables(
    problem: Problem, tell: Tell, *, size: int | None = None, threads: int | None = None
) -> AdditiveSets:
    """Return the `goal_sets` from the user's store, loaded once in a process.

    If `size` is None they are those of `goal_tables_size`.
    """
    loaded, store = _loaded(problem.blank_graph.successors, problem.goal), Store()
    if size is None:
        size = goal_tables_size(problem)
    if size not in loaded.sets:
        sets = goal_sets(problem, size=size, store=store, tell=tell, threads=threads)
        loaded.sets[size] = sets
        for earlier in [*loaded.sets][:-_MOST_LOADED]:
            del loaded.sets[earlier]
        if loaded.size is not None:
            loaded.size = max(loaded.size, size)
    keys = goal_chooser(problem).needs(size).keys
    note_used(*(UsedTable(key.name, key.title) for key in keys if store.has(key)))
    return loaded.sets[size]


def goal_tables_size(problem: Problem) -> int:
    """Return the number of tiles of the largest pattern that `goal_tables` takes unasked.

    A process checks the store once. Afterwards the size is that which it has loaded or built.
    """
    loaded = _loaded(problem.blank_graph.successors, problem.goal)
    if loaded.size is None:
        loaded.size = goal_chooser(problem).built(Store())
    return loaded.size


@dataclass
class _Loaded:
    """One goal's sets by their size, and the largest size."""

    sets: dict[int, AdditiveSets] = field(default_factory=dict)
    size: int | None = None


@lru_cache(maxsize=3)
def _loaded(
    arcs: Sequence[Sequence[int]], goal: State, dear: Sequence[Sequence[int]] = ()
) -> _Loaded:
    """Return the cache for one goal's sets; usually a process works on boards of one puzzle."""
    return _Loaded()


def start_sets(problem: Problem, *, size: int | None = None, tell: Tell) -> AdditiveSets:
    """Return lower bounds on the distance from the start, not stored: each start has its own."""
    arcs, start = reverse(problem.blank_graph.successors), problem.start
    title = f"{goal_chooser(problem).title} from the start"
    chooser = additive_chooser(arcs, start.index(BLANK), title=title)
    first, _ = chooser.two_partitions(chooser.usual if size is None else size)
    return chooser.sets(start, [first], store=Store(in_memory=True), tell=tell)


def dear_arcs(problem: Problem) -> tuple[tuple[int, ...], ...]:
    """Return the cells to which the blank can go from each cell by a dear move.

    Dear moves have more than the least penalty. The result is empty if all penalties are equal.
    """
    penalties = problem.blank_graph.penalties
    least = min((min(row.values()) for row in penalties if row), default=0)
    dear = tuple(tuple(cell for cell, price in row.items() if price > least) for row in penalties)
    return dear if any(dear) else ()


def priced_effort(problem: Problem, *, threads: int) -> Needs | None:
    """Return the needs of the tables of `priced_sets`; None if they would exceed a gigabyte."""
    chooser = goal_chooser(problem, dear_arcs(problem))
    needs = chooser.needs(chooser.usual, threads)
    return needs if needs.nbytes <= _MOST_PRICED else None


def priced_sets(problem: Problem, tell: Tell, *, threads: int | None = None) -> AdditiveSets:
    """Return lower bounds on the moves to the goal plus the dear ones among them; kept in memory.

    The problem must have a blank graph with dear arcs.
    """
    dear, store = dear_arcs(problem), Store(in_memory=True)
    chooser = goal_chooser(problem, dear)
    sets = _loaded(problem.blank_graph.successors, problem.goal, dear).sets
    if (size := chooser.usual) not in sets:
        partitions = chooser.partitions(size)
        sets[size] = chooser.sets(problem.goal, partitions, store=store, tell=tell, threads=threads)
    return sets[size]
