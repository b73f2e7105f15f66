"""Verify cached tables: the checker's code builds each again, and every entry is compared.

The builders of `certcheck` share no line with those of this folder, so one wrong entry anywhere is
found. If a table has no entry `NO_WAY`, its farthest one also means that there is no way; if all
moves count, 253 and 254 are not distinguished.

Tables for which the checker would need more than two gigabytes, or that have more than 64 cells,
are tested by samples with a fixed seed. An entry is right if it is the cost of the best way from
its placement. A* searches for that way, with the table itself as its bound. An entry above the cost
of a way overstates, and if all others are right, A* finds the best way. So if w of n entries are
wrong, s samples find that with a probability of about 1 - (1 - w/n)**s: a table of other rules, but
hardly a single entry. Reach sets hold no numbers: the larger one must be what the smaller one is,
or one move from it, and random walks from the goal must stay within both.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import accumulate, combinations, pairwise
from math import inf, perm, prod
from random import Random
from typing import Any, TypeAlias

import numpy as np

from plansolve.certcheck.pattern_tables import KindPlacements, blank_table, free_table
from plansolve.certcheck.pattern_tables_kernel import LARGEST_PLACED
from plansolve.errors import ProofError
from plansolve.model.puzzle import WORD_CELLS
from plansolve.model.structure import permutation_parity, reverse
from plansolve.patterns.permutation import REACH_SETS
from plansolve.patterns.placement import FARTHEST, placement_shape
from plansolve.patterns.placement_kernel import PlacementShape, cells_of, numbers_of
from plansolve.patterns.rules import PieceClass
from plansolve.patterns.table import LARGEST, NO_WAY
from plansolve.storage.store import Bytes, Tell
from plansolve.text import counted

_MOST_BYTES, _CHUNK, _SAMPLES = 1 << 31, 1 << 20, 200
_MOST_NODES = 5_000
"""The most nodes of one search; beyond these a sample decides nothing."""

Content: TypeAlias = Mapping[str, Any]
Node: TypeAlias = tuple[tuple[tuple[int, ...], ...], int]
"""The sorted cells of the pieces of each class; 1 after an odd number of odd moves."""


@dataclass(frozen=True)
class _OneTable:
    """One table of a file, as its key describes it.

    `made` yields the right bytes in order, for which the sceptic needs so much `memory`. Finite
    entries go up to `farthest`, None for reach sets; `top` stands for any larger number if the
    sceptic counts. A move is the cell in which it needs a gap, or -1; where it brings the content
    of each cell; and whether it is odd. A class of pieces that are alike is their goal cells and
    their number; others of it end in cells of `free`. With `has_gaps` the last class are the gaps.
    `own` moves count if they move another piece of the pattern; else all do. Entries are numbered
    as in a `shape`; without one by the cells of single tiles, the least over all places of the gap.
    """

    made: Callable[[], Iterator[Bytes]]
    memory: float
    length: int
    cells: int
    moves: Sequence[tuple[int, Sequence[int], bool]]
    classes: Sequence[tuple[Sequence[int], int]]
    free: Sequence[int] = ()
    has_gaps: bool = False
    own: bool = False
    shape: PlacementShape | None = None
    farthest: int | None = LARGEST
    top: int = LARGEST

    def fault(self, entries: Bytes) -> str:
        """Return what is wrong with the entries, in words; empty if nothing is."""
        if self.memory <= _MOST_BYTES:
            return self._compared(entries)
        return self._tried(entries) if self.farthest else self._reach_tried(entries)

    def _compared(self, entries: Bytes) -> str:
        faults, first, begin = 0, "", 0
        no_way = NO_WAY if self.farthest is None or NO_WAY in entries else self.farthest
        for whole in self.made():
            for at in range(0, whole.size, _CHUNK):
                right = whole[at : at + _CHUNK]
                found = entries[begin : begin + right.size]
                if self.farthest is not None:
                    right = np.where(right == NO_WAY, no_way, np.minimum(right, self.farthest))
                is_wrong = (found != right) & ((right != self.top) | (found != LARGEST))
                if not faults and is_wrong.any():
                    n = int(is_wrong.argmax())
                    first = f"entry {begin + n} is {found[n]}, not {right[n]}"
                faults += int(np.count_nonzero(is_wrong))
                begin += right.size
        are = "is" if faults == 1 else "are"
        return f"{faults} of its {entries.size} entries {are} wrong: {first}" if faults else ""

    def _tried(self, entries: Bytes) -> str:
        random = Random(1)
        for _ in range(_SAMPLES):
            starts = self._drawn(random)
            found, way = int(entries[self._entry(starts[0])]), self._way(entries, starts)
            if way not in (None, found) and not (found == self.farthest and way > found):
                costs = "no path was found" if way == NO_WAY else f"a path costs {way}"
                return f"entry {self._entry(starts[0])} is {found}, but {costs}"
        return ""

    def _way(self, entries: Bytes, starts: Sequence[Node]) -> int | None:
        """Return what the best way costs that A* finds, `NO_WAY` for none; None if it is long."""
        cost, nodes = dict.fromkeys(starts, 0), 0
        waiting = [(0, 0, 0, start) for start in starts]
        while waiting and nodes < _MOST_NODES:
            _, _, done, here = heappop(waiting)
            if cost[here] < done:
                continue
            if self._is_goal(here):
                return done
            nodes += 1
            for step, there in self._after(here):
                left, made = int(entries[self._entry(there)]), done + step
                if left < NO_WAY and made < cost.get(there, NO_WAY):
                    cost[there] = made
                    heappush(waiting, (made + left, left, made, there))
        return None if waiting else NO_WAY

    def _reach_tried(self, entries: Bytes) -> str:
        words, random = entries.view(np.uint32), Random(1)
        length, highest = len(words) // REACH_SETS, int(words[-1])
        if not 0 < highest < NO_WAY:
            return f"its number of moves, {highest}, is impossible"

        def has(moves: int, node: Node) -> bool:
            block, cell = divmod(self._entry(node), self.cells)
            return bool(words[moves % REACH_SETS * length + block] >> np.uint32(cell) & 1)

        back = [[*map(goes.index, range(self.cells))] for _, goes, _ in self.moves]
        for _ in range(_SAMPLES):
            (node,) = self._drawn(random)
            near = [node, *(after for _, after in self._after(node))]
            if any(has(highest - 1, one) for one in near) != has(highest, node):
                return f"the set of {highest} moves does not continue the smaller set at {node[0]}"
            node = tuple((home,) for (home,), _ in self.classes), 0
            for moves in range(highest + 1):
                if not has(max(moves, highest - 1), node) or not has(highest, node):
                    return (
                        f"{node[0]} is {counted(moves, 'move')} from the goal, but not in the set"
                    )
                came = random.choice(back)
                node = tuple((came[cell],) for (cell,) in node[0]), 0
        return ""

    def _drawn(self, random: Random) -> list[Node]:
        """Return the nodes of a random entry."""
        ends = [*accumulate((copies for _, copies in self.classes), initial=0)]
        placed = random.sample(range(self.cells), ends[-1])
        state = tuple(tuple(sorted(placed[begin:end])) for begin, end in pairwise(ends))
        side = random.randrange(1 + any(odd for _, _, odd in self.moves))
        if self.shape or not self.has_gaps:
            return [(state, side)]
        blanks = {*range(self.cells)}.difference(*state[:-1])
        return [((*state[:-1], (blank,)), side) for blank in sorted(blanks)]

    def _entry(self, node: Node) -> int:
        state, number = node
        if self.shape:
            found = np.empty(1, np.uint64)
            cells = [cell for own in state for cell in own]
            numbers_of(np.array([cells], np.uint64), self.shape, found)
            return int(found[0])
        for (cell,) in state[: len(state) - self.has_gaps]:
            number = number * self.cells + cell
        return number

    def _is_goal(self, node: Node) -> bool:
        return not node[1] and all(
            {*homes} <= {*own} and {*own} - {*homes} <= {*self.free}
            for own, (homes, _) in zip(node[0], self.classes, strict=True)
        )

    def _after(self, node: Node) -> Iterator[tuple[int, Node]]:
        """Yield what each move costs, and leads to."""
        state, side = node
        counted = {cell for own in state[: len(state) - self.has_gaps] for cell in own}
        for need, goes, odd in self.moves:
            if not self.has_gaps or need < 0 or need in state[-1]:
                moved = tuple(tuple(sorted(goes[cell] for cell in own)) for own in state)
                costs = not self.own or any(goes[cell] != cell for cell in counted)
                yield int(costs), (moved, side ^ odd)


def verify(kind: str, content: Content, table: Bytes, tell: Tell) -> list[str]:
    """Return what is wrong with the bytes of a key, in words; nothing if all are right.

    `kind` and `content` are the key's: they come from a file, and may be anything that JSON can
    say. `tell` gets a line for each table.
    """
    if kind not in KINDS:
        return [f"this version of plansolve knows no tables of kind {kind!r}"]
    try:
        parts = KINDS[kind](content)
    except (KeyError, TypeError, ValueError):
        return ["its description is invalid"]
    if sum(part.length for part in parts) != table.size:
        return ["it is not as long as its description says"]
    problems, begin = [], 0
    for number, part in enumerate(parts, start=1):
        work = "checking some entries, since it is too large to rebuild"
        work = work if part.memory > _MOST_BYTES else "building it again to compare"
        tell(f"table {number} of {len(parts)}: {work}")
        try:
            problem = part.fault(table[begin : begin + part.length])
        except ProofError as error:
            problem = f"it cannot be verified: {error}"
        begin += part.length
        problems += [f"table {number}: {problem}"] if problem else []
    return problems


def _additive(content: Content) -> list[_OneTable]:
    """Return the tables of a blank graph: of each, the goal cells of its tiles and of the blank."""
    _require({*content} <= {"version", "arcs", "tables", "consistent"})
    arcs, cells = content["arcs"], len(_list(content["arcs"]))
    _require(2 <= cells <= WORD_CELLS and content["consistent"] is False)
    swaps = [(b, d) for b, to in enumerate(arcs) for d in _cells(to, cells) if b != d]
    moves = [(b, [{b: d, d: b}.get(c, c) for c in range(cells)], False) for b, d in swaps]
    parts, ways = list[_OneTable](), reverse(arcs)
    for pattern, blanks in map(_list, _list(content["tables"])):
        _require(bool(_cells(pattern, cells) and _cells(blanks, cells)))
        _require(not {*pattern} & {*blanks})

        def made(pattern: list[int] = pattern, blanks: list[int] = blanks) -> Iterator[Bytes]:
            yield blank_table(ways, pattern, blanks)

        # A byte, two numbers of four, and three sets of cells for each entry.
        length = cells ** len(pattern)
        memory = length * (9 + 3 * (4 if cells <= 32 else 8))
        classes = [*(([home], 1) for home in pattern), ([], 1)]
        parts.append(_OneTable(made, memory, length, cells, moves, classes, blanks, True, True))
    return parts


def _permutation(content: Content) -> list[_OneTable]:
    """Return the table of a pattern, for boards of both parities if it has a `parity` bit."""
    sources, goes, pattern, classes = _free_rules(content, "parity")
    cells, parity = len(sources[0]), content["parity"]
    odds = [permutation_parity(tuple(row), tuple(range(cells))) == 1 for row in sources]
    _require(type(parity) is bool and not (parity and len({*odds}) < 2))
    odds = [parity and odd for odd in odds]
    length = (1 + any(odds)) * cells ** len(pattern)

    def made() -> Iterator[Bytes]:
        yield free_table(sources, odds, pattern)

    memory = 3 * length if cells <= WORD_CELLS else inf
    moves = [(-1, to, odd) for to, odd in zip(goes, odds, strict=True)]
    return [_OneTable(made, memory, length, cells, moves, classes)]


def _reach(content: Content) -> list[_OneTable]:
    """Return the last sets of a breadth-first search, see `permutation`."""
    sources, goes, pattern, classes = _free_rules(content, "sets")
    cells, tiles = len(sources[0]), len(pattern)
    _require(3 <= tiles <= cells <= 32 and content["sets"] == REACH_SETS)
    entries = cells**tiles

    def made() -> Iterator[Bytes]:
        moves = free_table(sources, [False] * len(sources), pattern)
        found = np.bincount(moves, minlength=NO_WAY + 1)
        known, half = np.cumsum(found), perm(cells, tiles) / 2
        ends = (n for n in range(1, LARGEST) if known[n] > half or not found[n])
        level = next(ends, LARGEST)
        cell = np.indices((cells,) * tiles, np.uint8, sparse=True)
        is_impossible = np.zeros((cells,) * tiles, bool)
        for one, other in combinations(cell, 2):
            is_impossible |= one == other
        bits = np.ones((entries // cells, 32), bool)
        for within in sorted((level - 1, level), key=lambda moves: moves % REACH_SETS):
            bits[:, :cells] = (moves <= within).reshape(-1, cells)
            bits[:, :cells] |= is_impossible.reshape(-1, cells)
            yield np.packbits(bits, bitorder="little")
        yield np.array([level], "<u4").view(np.uint8)

    length, memory = 4 * (REACH_SETS * entries // cells + 1), 3 * entries + 32 * entries // cells
    moves = [(-1, to, False) for to in goes]
    return [_OneTable(made, memory, length, cells, moves, classes, farthest=None)]


def _placement(content: Content) -> list[_OneTable]:
    """Return the tables of some patterns, the gaps last in each if operators need one."""
    _require({*content} <= {"version", "cells", "operators", "blank", "open", "patterns", "added"})
    cells, is_added = content["cells"], content.get("added", False)
    _require(type(cells) is int and 2 <= cells <= WORD_CELLS and type(is_added) is bool)
    operators, free = _list(content["operators"]), _cells(content["open"], cells)
    moves = [(need, _cells(goes, cells), False) for need, *goes in map(_list, operators)]
    for need, goes, _ in moves:
        _require(type(need) is int and -1 <= need < cells == len(goes))
    has_gaps = any(need >= 0 for need, _, _ in moves)
    _require(bool(moves) and content["blank"] is has_gaps)
    sources = [[*map(goes.index, range(cells))] for _, goes, _ in moves]
    needs = [None if need < 0 else need for need, _, _ in moves]
    parts = []
    for pattern in map(_list, _list(content["patterns"])):
        classes = [
            PieceClass(tuple(_cells(homes, cells)), copies) for homes, copies in map(_list, pattern)
        ]
        _require(bool(classes))
        for homes, copies in classes:
            _require(type(copies) is int and max(1, len(homes)) <= copies <= cells)
        _cells([home for homes, _ in classes for home in homes] + free, cells)
        _require(sum(copies - len(homes) for homes, copies in classes) <= len(free))
        # The sceptic has the gaps first.
        own = [classes[-1], *classes[:-1]] if has_gaps else classes
        plan = KindPlacements(
            cells,
            (*range(len(own)),),
            tuple(one.copies for one in own),
            tuple(one.homes for one in own),
            tuple(free),
            has_gaps,
        )
        shape = placement_shape(cells, classes)

        def made(plan: KindPlacements = plan, shape: PlacementShape = shape) -> Iterator[Bytes]:
            table, adds = plan.table(sources, needs, own=is_added), plan.numbers()
            gaps = plan.copies[0] if has_gaps else 0
            length, adds = prod(shape.ways.tolist()), np.concatenate((adds[gaps:], adds[:gaps]))
            for begin in range(0, length, _CHUNK):
                placed = np.empty((min(_CHUNK, length - begin), len(adds)), np.uint64)
                cells_of(begin, shape, placed)
                yield table[adds[np.arange(len(adds)), placed].sum(axis=1)]

        length = prod(shape.ways.tolist())
        how = free, has_gaps, is_added, shape, FARTHEST if is_added else LARGEST, LARGEST_PLACED
        parts.append(
            _OneTable(made, plan.entries + 16 * length, length, cells, moves, classes, *how)
        )
    return parts


KINDS: Mapping[str, Callable[[Content], list[_OneTable]]] = {
    "additive": _additive,
    "permutation": _permutation,
    "reach": _reach,
    "placement": _placement,
}
"""The tables that the store may hold: those of a file, by their kind and its key."""


def _free_rules(
    content: Content, other: str
) -> tuple[list[list[int]], list[list[int]], list[int], list[tuple[list[int], int]]]:
    """Return where permutations come from and go, and the pattern and its classes, of a key."""
    _require({*content} <= {"version", "cells", "sources", "pattern", other})
    cells = content["cells"]
    _require(type(cells) is int and cells >= 2)
    sources = [_cells(source, cells) for source in _list(content["sources"])]
    pattern = _cells(content["pattern"], cells)
    _require(bool(sources) and all(len(source) == cells for source in sources))
    _require(len(pattern) >= 2)
    goes = [[*map(source.index, range(cells))] for source in sources]
    return sources, goes, pattern, [([home], 1) for home in pattern]


def _list(value: Any) -> list[Any]:
    _require(isinstance(value, list))
    found: list[Any] = value
    return found


def _cells(value: Any, cells: int) -> list[int]:
    """Return a list of different cells; raise `ValueError` for anything else."""
    _require(all(type(cell) is int and 0 <= cell < cells for cell in _list(value)))
    _require(len(set(value)) == len(value))
    found: list[int] = value
    return found


def _require(holds: bool) -> None:
    if not holds:
        raise ValueError("not the description of a table")
