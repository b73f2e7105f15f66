"""The tree of operator sequences from the start of a problem, as the IDA* kernel searches it."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from plansolve.analysis.duplicate_sequences import ONE_PLAN, Keep
from plansolve.errors import InternalError
from plansolve.model.problem import Problem
from plansolve.model.puzzle import Plan
from plansolve.model.structure import UNREACHABLE, permutation_parity
from plansolve.patterns.choose import ReachChooser, permutation_chooser
from plansolve.patterns.permutation import (
    LOOKUP_BLOCK,
    REACH_BLOCK,
    REACH_SETS,
    PermutationLookups,
    ReachLookups,
)
from plansolve.patterns.rules import permutation_rules
from plansolve.patterns.table import NO_WAY
from plansolve.solvers.search.automaton import operator_automaton
from plansolve.solvers.search.idastar import permutation_kernel as kernel
from plansolve.solvers.search.idastar import registers as reg
from plansolve.solvers.search.idastar.symmetric_start import StartSymmetries, operator_symmetries
from plansolve.solvers.search.idastar.tree import (
    Cutting,
    Path,
    Position,
    Recipe,
    SearchTree,
    tree_identity,
)
from plansolve.solvers.search.node_tables import starts
from plansolve.storage.store import Store, Tell

# The length of the sequences from which the automaton is made. Longer ones leave out a little more,
# and take some tenths of a second, which pays when the round before had many nodes.
_LENGTH, _LONGER = 3, 4
_WORTH_LONGER = 2_000_000
_NEVER = 1 << 20
_HALF = np.uint64(32)


@dataclass(frozen=True)
class PermutationRecipe(Recipe):
    """The tree of operator sequences, pruned by those up to `length`."""

    length: int = _LENGTH

    def make(self, tell: Tell, threads: int) -> "PermutationTree":
        problem = self.problem
        chooser = permutation_chooser(problem.puzzle, self.memory)
        lookups = chooser.lookups(self.size, store=Store(), tell=tell, threads=threads)
        reach = ReachChooser(chooser, self.memory).lookups(
            self.size, store=Store(), tell=tell, threads=threads
        )
        return PermutationTree(problem, lookups, self.keep, self.length, reach)


class PermutationTree(SearchTree):
    """The sequences of operators that a pruning automaton lets through.

    Nodes are judged by the largest of many pattern lookups, which must be made for the problem's
    rules. `length` is that of the sequences from which the automaton is made.
    """

    name = "pattern databases"

    def __init__(
        self,
        problem: Problem,
        lookups: PermutationLookups,
        keep: Keep = ONE_PLAN,
        length: int = _LENGTH,
        reach: ReachLookups | None = None,
    ) -> None:
        rules = permutation_rules(problem.puzzle)
        if rules is None:
            raise InternalError("a move depends on where the blank is")
        self.problem, self.rules, self.lookups, self._keep = problem, rules, lookups, keep
        self.reach = reach
        self.root = ()
        self.start = problem.puzzle.arrangement(problem.start)
        value = lookups.value(self.start)
        self.initial_bound = UNREACHABLE if value == NO_WAY else value
        self.automaton = operator_automaton(rules.destinations, length=length, keep=keep)
        # The most moves that may follow one another move.
        self._slots = int(np.diff(self.automaton.offset.astype(np.int64)).max())
        # Those in reach sets come first.
        self._farther = 0 if reach is None else reach.width // REACH_BLOCK
        self._blocks = self._farther + lookups.width // LOOKUP_BLOCK
        self._sizes = kernel.Sizes(
            np.uint64(lookups.cells), np.uint64(self._slots), np.uint64(self._blocks)
        )
        self._tables = self._made_tables()
        self.cutting = Cutting(
            slice_nodes=1_000_000, large_round=100_000, subtrees=300, nodes_a_subtree=20_000, step=1
        )

    def for_round(self, nodes_before: int) -> "PermutationTree":
        """Return the tree to use after a round of so many nodes: many pay for longer sequences."""
        if nodes_before <= _WORTH_LONGER or self.automaton.length >= _LONGER:
            return self
        tree = PermutationTree(self.problem, self.lookups, self._keep, _LONGER, self.reach)
        if isinstance(self.recipe, PermutationRecipe):
            tree.recipe = replace(self.recipe, length=_LONGER)
        return tree

    @cached_property
    def identity(self) -> str:
        automaton, lookups = self.automaton, self.lookups
        sequences = (automaton.offset, automaton.move, automaton.next)
        columns = (lookups.contribution, lookups.base, lookups.parity, lookups.table)
        reach = () if self.reach is None else (self.reach.contribution, self.reach.words)
        return tree_identity(self.problem, self.name, (sequences, columns, reach))

    @cached_property
    def _symmetries(self) -> StartSymmetries:
        return operator_symmetries(self.problem, [(goes, None) for goes in self.rules.destinations])

    def has_smaller_image(self, path: Path) -> bool:
        return self._symmetries.leave_out(path)

    def position(self, path: Path, levels: int) -> Position:
        board, depth = self.start, len(path)
        node, _ = self.automaton.follow(0, path)
        for move in path:
            board = self.rules.after(board, move)
        state = self._empty_state(levels)
        cells, row = self.lookups.cells, depth * self._slots
        state.board[depth * cells :][:cells] = np.array(board) * cells * (LOOKUP_BLOCK // 2)
        state.odd[depth] = permutation_parity(board, tuple(range(cells)))
        indices, farther = self.lookups.indices(board), self._farther
        words = _paired(indices)
        if self.reach is not None:
            words = np.concatenate((self.reach.indices(board), words))
        state.indices[row * words.size :][: words.size] = words
        first = (row * self._blocks + farther) * LOOKUP_BLOCK
        state.value[first:][: indices.size] = self.lookups.table[indices]
        state.node[row], state.used[depth] = node, 1
        return Position(state, path)

    def advance(self, position: Position, nodes: int) -> int:
        return kernel.search(self._tables, position.state, self._sizes, nodes)

    def estimate(self, position: Position) -> int:
        """Return the largest lookup at the current node, or what stands for it."""
        width = self._blocks * LOOKUP_BLOCK
        begin = self._row(position, int(position.registers[reg.DEPTH])) * width
        return int(position.state.value[begin : begin + width].max(initial=0))

    def path(self, position: Position) -> Path:
        levels = range(len(position.above) + 1, int(position.registers[reg.DEPTH]) + 1)
        rows = (self._row(position, level) for level in levels)
        return (*position.above, *(int(position.state.operator[row]) for row in rows))

    def _row(self, position: Position, level: int) -> int:
        """Return the place of the slot that was taken up last on a level."""
        begin, state = level * self._slots, position.state
        return begin + int(state.alive[begin + int(state.taken[level]) - 1])

    def plan(self, path: Path) -> Plan:
        return tuple(self.rules.names[move] for move in path)

    def _empty_state(self, levels: int) -> kernel.SearchState:
        rows, width = levels * self._slots, self._blocks * LOOKUP_BLOCK
        return kernel.SearchState(
            board=np.zeros(levels * self.lookups.cells, np.uint32),
            odd=np.zeros(levels, np.uint32),
            used=np.zeros(levels, np.uint32),
            taken=np.zeros(levels, np.uint32),
            operator=np.zeros(rows, np.uint32),
            node=np.zeros(rows, np.uint32),
            indices=np.zeros(rows * width // 2, np.uint64),
            value=np.zeros(rows * width, np.uint8),
            alive=np.zeros(rows, np.uint32),
            order=np.zeros(LOOKUP_BLOCK, np.uint32),
            registers=np.zeros(reg.REGISTERS, np.int64),
        )

    def _made_tables(self) -> kernel.SearchTables:
        moves = [[(c, s) for c, s in enumerate(source) if c != s] for source in self.rules.sources]
        groups: dict[tuple[tuple[int, ...], bool], int] = {}
        group = [
            groups.setdefault((tuple(cell for cell, _ in move), odd), len(groups))
            for move, odd in zip(moves, self.rules.is_odd, strict=True)
        ]
        cells = self.lookups.cells
        farther, reach = self._farther, self.reach
        columns = self.lookups.contribution.reshape(cells, cells, -1, LOOKUP_BLOCK)
        contribution = _paired(columns.transpose(2, 0, 1, 3))
        parity = _paired(self.lookups.parity.reshape(-1, LOOKUP_BLOCK))
        counts = [
            min(LOOKUP_BLOCK, self.lookups.count - begin)
            for begin in range(0, self.lookups.width, LOOKUP_BLOCK)
        ]
        bounds, words = [_NEVER, _NEVER, 1, 0], np.zeros(1, np.uint32)
        if reach is not None:
            added = reach.contribution.reshape(cells, cells, farther, REACH_BLOCK)
            contribution = np.concatenate((added.transpose(2, 0, 1, 3), contribution))
            parity = np.concatenate((np.zeros((farther, REACH_BLOCK), np.uint64), parity))
            counts = [
                *(
                    min(REACH_BLOCK, reach.count - begin)
                    for begin in range(0, reach.width, REACH_BLOCK)
                ),
                *counts,
            ]
            bounds, words = [reach.lowest, reach.highest, REACH_SETS, reach.length], reach.words
        closed = self.rules.is_inverse_closed
        return kernel.SearchTables(
            offset=self.automaton.offset,
            move=self.automaton.move.astype(np.uint32),
            next=self.automaton.next,
            first=starts(map(len, moves)),
            cell=_numbers(cell for move in moves for cell, _ in move),
            source=_numbers(source for move in moves for _, source in move),
            group=_numbers(group),
            group_first=starts(len(cells) for cells, _ in groups),
            group_cell=_numbers(cell for cells, _ in groups for cell in cells),
            group_odd=_numbers(odd for _, odd in groups),
            contribution=contribution.reshape(-1),
            flip=np.stack([parity, np.uint64(0) - parity], axis=1).reshape(-1),
            table=self.lookups.table,
            lookups=_numbers(counts),
            limits=np.array(
                [*((2, 1) if closed else (_NEVER, _NEVER)), farther, *bounds], np.uint64
            ),
            reach=words,
        )


def _paired(lookups: NDArray[np.int32]) -> NDArray[np.uint64]:
    """Pack two lookups into each word, along the last axis; the first is in the lower half."""
    wide = lookups.astype(np.uint64)
    result: NDArray[np.uint64] = wide[..., 0::2] + (wide[..., 1::2] << _HALF)
    return result


def _numbers(values: Iterable[int]) -> NDArray[np.uint32]:
    return np.array(list(values), np.uint32)
