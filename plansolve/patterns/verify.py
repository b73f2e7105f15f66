"""Verify kept tables: the sceptic's code makes them once more, and every entry is compared.

The builders of `certcheck` share no line with those of this folder and number placements in their
own way, so one wrong entry anywhere is found. Tables for which they would need more than two
gigabytes are tried by samples: `verify_samples` says what those find.

Where a table has no entry `NO_WAY`, its farthest one stands for no way as well. That is never too
large, and builders write so where distances are too large for a byte. Of placements whose moves all
count, 253 and 254 are not told apart.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate, chain, combinations
from math import comb, perm, prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from plansolve.certcheck.pattern_tables import blank_table, free_table
from plansolve.certcheck.placement_tables import KindPlacements
from plansolve.certcheck.placement_tables_kernel import LARGEST as LARGEST_PLACED
from plansolve.errors import ProofError
from plansolve.model.puzzle import WORD_CELLS
from plansolve.model.structure import permutation_parity, reverse
from plansolve.patterns.permutation_build import REACH_SETS
from plansolve.patterns.placement_build import FARTHEST
from plansolve.patterns.table import LARGEST, NO_WAY
from plansolve.patterns.verify_samples import PieceMoves, reach_fault, sample_fault
from plansolve.storage.store import Bytes, Tell
from plansolve.text import wrong_entries

_MOST_BYTES = 1 << 31
_CHUNK = 1 << 20
_MOST_CELLS, _MOST_TILES = 1 << 12, 64

Content = Mapping[str, Any]


class _OneTable(NamedTuple):
    """One table of a file, as its key describes it.

    `length` is its size in bytes, `made` yields the right ones in order, for which the sceptic
    needs so much `memory`. Finite entries go up to `farthest`, None where entries are no numbers;
    `top` stands for any larger number where the sceptic counts. `moves` are for samples.
    """

    length: int
    memory: int
    made: Callable[[], Iterator[Bytes]]
    moves: PieceMoves
    farthest: int | None = LARGEST
    top: int = LARGEST


def verify(kind: str, content: Content, table: Bytes, tell: Tell) -> list[str]:
    """Return what is wrong with the bytes of a key, in words; nothing where all are right.

    `kind` and `content` are the key's: they come from a file, and may be anything that JSON can
    say. `tell` gets a line for each table.
    """
    if kind not in _PARTS:
        return [f"this version of plansolve knows no tables of kind {kind!r}"]
    try:
        parts = _PARTS[kind](content)
    except (KeyError, TypeError, ValueError):
        return ["its description makes no sense"]
    if sum(part.length for part in parts) != table.size:
        return ["it is not as long as its description says"]
    problems, begin = [], 0
    for number, part in enumerate(parts, start=1):
        entries = table[begin : begin + part.length]
        begin += part.length
        is_large = part.memory > _MOST_BYTES
        work = "trying some entries, as it is too large to be made once more"
        tell(f"table {number} of {len(parts)}: {work if is_large else 'making it once more'}")
        problem = _sampled(part, entries) if is_large else _compared(part, entries)
        problems += [f"table {number}: {problem}"] if problem else []
    return problems


def _sampled(part: _OneTable, entries: Bytes) -> str:
    if part.farthest is None:
        return reach_fault(part.moves, entries)
    return sample_fault(part.moves, entries, part.farthest)


def _compared(part: _OneTable, entries: Bytes) -> str:
    """Return how many entries are wrong, and the first of them, in words; empty for none."""
    faults, first, begin = 0, "", 0
    no_way = NO_WAY if part.farthest is None or NO_WAY in entries else part.farthest
    try:
        for right in _in_chunks(part.made()):
            found = entries[begin : begin + right.size]
            if part.farthest is not None:
                right = np.where(right == NO_WAY, no_way, np.minimum(right, part.farthest))
            is_wrong = found != right
            if part.top != part.farthest is not None:
                is_wrong &= (right != part.top) | (found != part.farthest)
            if not faults and is_wrong.any():
                at = int(is_wrong.argmax())
                first = f"entry {begin + at} is {found[at]}, and {right[at]} is right"
            faults += int(np.count_nonzero(is_wrong))
            begin += right.size
    except ProofError as error:
        return f"it cannot be verified: {error}"
    return f"{wrong_entries(faults, entries.size)}: {first}" if faults else ""


def _in_chunks(made: Iterator[Bytes]) -> Iterator[Bytes]:
    for whole in made:
        for begin in range(0, whole.size, _CHUNK):
            yield whole[begin : begin + _CHUNK]


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
        model = PieceMoves(
            cells,
            moves,
            [*(([home], 1) for home in pattern), ([], 1)],
            frozenset(blanks),
            has_gaps=True,
            own=True,
            is_positional=True,
        )

        def made(pattern: list[int] = pattern, blanks: list[int] = blanks) -> Iterator[Bytes]:
            yield blank_table(ways, pattern, blanks)

        # A byte, two numbers of four, and three sets of cells for each entry.
        length = cells ** len(pattern)
        parts.append(_OneTable(length, length * (9 + 3 * (4 if cells <= 32 else 8)), made, model))
    return parts


def _permutation(content: Content) -> list[_OneTable]:
    """Return the table of a pattern, for boards of both parities where it has a `parity` bit."""
    sources, pattern = _free_rules(content, {"parity"})
    cells, parity = len(sources[0]), content["parity"]
    odds = [permutation_parity(tuple(row), tuple(range(cells))) == 1 for row in sources]
    _require(type(parity) is bool and not (parity and len({*odds}) < 2))
    odds = [parity and odd for odd in odds]
    length = (1 + any(odds)) * cells ** len(pattern)

    def made() -> Iterator[Bytes]:
        table = free_table if cells <= WORD_CELLS else _wide_table
        yield table(sources, odds, pattern)

    return [_OneTable(length, 3 * length, made, _free_moves(sources, odds, pattern))]


def _reach(content: Content) -> list[_OneTable]:
    """Return the last sets of a breadth-first search, see `permutation_reach`."""
    sources, pattern = _free_rules(content, {"sets"})
    cells, tiles, odds = len(sources[0]), len(pattern), [False] * len(sources)
    _require(3 <= tiles <= cells <= 32 and content["sets"] == REACH_SETS)
    entries = cells**tiles

    def made() -> Iterator[Bytes]:
        moves = free_table(sources, odds, pattern)
        level, known = 0, 1
        while 2 * known <= perm(cells, tiles) and level < LARGEST:
            level += 1
            found = int(np.count_nonzero(moves == level))
            known += found
            if not found:
                break
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

    length, model = 4 * (REACH_SETS * entries // cells + 1), _free_moves(sources, odds, pattern)
    return [_OneTable(length, 3 * entries + 32 * entries // cells, made, model, None)]


def _placement(content: Content) -> list[_OneTable]:
    """Return the tables of some patterns, the gaps last in each where operators need one."""
    _require({*content} <= {"version", "cells", "operators", "blank", "open", "patterns", "added"})
    cells, is_added = content["cells"], content.get("added", False)
    _require(type(cells) is int and 2 <= cells <= WORD_CELLS and type(is_added) is bool)
    operators, free = _list(content["operators"]), _cells(content["open"], cells)
    moves = [(need, _cells(goes, cells), False) for need, *goes in map(_list, operators)]
    for need, goes, _ in moves:
        _require(type(need) is int and -1 <= need < cells == len(goes))
    has_gaps = any(need >= 0 for need, _, _ in moves)
    _require(bool(moves) and content["blank"] is has_gaps)
    sources = [[goes.index(cell) for cell in range(cells)] for _, goes, _ in moves]
    needs = [None if need < 0 else need for need, _, _ in moves]
    parts = []
    for pattern in map(_list, _list(content["patterns"])):
        classes = [(_cells(homes, cells), copies) for homes, copies in map(_list, pattern)]
        _require(bool(classes))
        for homes, copies in classes:
            _require(type(copies) is int and max(1, len(homes)) <= copies <= cells)
        _cells([home for homes, _ in classes for home in homes] + free, cells)
        _require(sum(copies - len(homes) for homes, copies in classes) <= len(free))
        # The sceptic has the gaps first.
        order = [len(classes) - 1, *range(len(classes) - 1)] if has_gaps else range(len(classes))
        plan = KindPlacements(
            cells,
            tuple(order),
            tuple(classes[kind][1] for kind in order),
            tuple(tuple(classes[kind][0]) for kind in order),
            tuple(free),
            has_gaps,
        )

        def made(plan: KindPlacements = plan) -> Iterator[Bytes]:
            table = plan.table(sources, needs, own=is_added)
            for numbers in _in_order(plan):
                yield table[numbers]

        model = PieceMoves(cells, moves, classes, frozenset(free), has_gaps, is_added)
        ends = [*accumulate((copies for _, copies in classes), initial=0)]
        ways = [comb(cells - end, copies) for end, (_, copies) in zip(ends, classes, strict=False)]
        memory = plan.entries + 16 * prod(ways)
        farthest = FARTHEST if is_added else LARGEST
        parts.append(_OneTable(prod(ways), memory, made, model, farthest, LARGEST_PLACED))
    return parts


_PARTS: Mapping[str, Callable[[Content], list[_OneTable]]] = {
    "additive": _additive,
    "permutation": _permutation,
    "reach": _reach,
    "placement": _placement,
}


def _in_order(plan: KindPlacements) -> Iterator[NDArray[np.uint32]]:
    """Yield the sceptic's numbers of all placements, in the order that tables have them.

    A class takes a set of the cells that earlier ones leave; sets are compared by their last cells
    first, and placements by their first classes first.
    """
    ends = [*accumulate(plan.copies, initial=0)]
    rows = plan.numbers()
    classes = sorted(
        (kind, rows[begin:end])
        for kind, begin, end in zip(plan.kinds, ends, ends[1:], strict=False)
    )
    free, numbers = np.arange(plan.cells, dtype=np.uint8)[None], np.zeros(1, np.uint32)
    for _, adds in classes[:-1]:
        sets = _sets(free.shape[1], len(adds))
        numbers = _with(adds, free, sets, numbers)
        is_left = np.ones((len(sets), free.shape[1]), bool)
        is_left[np.arange(len(sets))[:, None], sets] = False
        left = np.nonzero(is_left)[1].reshape(len(sets), -1)
        free = free[:, left].reshape(len(numbers), -1)
    _, adds = classes[-1]
    sets = _sets(free.shape[1], len(adds))
    step = max(1, _CHUNK // len(sets))
    for begin in range(0, len(free), step):
        end = begin + step
        yield _with(adds, free[begin:end], sets, numbers[begin:end])


def _with(adds: Bytes, free: Bytes, sets: Bytes, numbers: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Add the pieces of a class to each placement, in each of the sets of its free cells."""
    numbers = np.repeat(numbers, len(sets)).reshape(len(free), len(sets))
    for place, row in enumerate(adds):
        numbers += row[free[:, sets[:, place]]]
    return numbers.reshape(-1)


def _sets(cells: int, size: int) -> Bytes:
    """Return all sets of so many cells, ascending, in the order of their last cells first."""
    descending = chain.from_iterable(combinations(range(cells - 1, -1, -1), size))
    return np.fromiter(descending, np.uint8).reshape(-1, size)[::-1, ::-1]


def _wide_table(
    sources: Sequence[Sequence[int]], odds: Sequence[bool], homes: Sequence[int]
) -> Bytes:
    """Return what `free_table` does, for any number of cells."""
    halves, axes = np.arange(1 + any(odds)), len(homes)
    moves = np.full((len(halves), *[len(sources[0])] * axes), NO_WAY, np.uint8)
    fresh, steps = np.zeros(moves.shape, bool), 0
    fresh[0, *homes] = True
    while fresh.any():
        moves[fresh] = min(steps, LARGEST)
        reached = np.zeros_like(fresh)
        for source, odd in zip(sources, odds, strict=True):
            goes = np.argsort(source)
            before = fresh[np.ix_(halves, *[goes] * axes)]
            reached |= before[::-1] if odd else before
        fresh, steps = reached & (moves == NO_WAY), steps + 1
    return moves.reshape(-1)


def _free_rules(content: Content, others: set[str]) -> tuple[list[list[int]], list[int]]:
    """Return the permutations and the pattern of a key that names no blank."""
    _require({*content} <= {"version", "cells", "sources", "pattern", *others})
    cells = content["cells"]
    _require(type(cells) is int and 2 <= cells <= _MOST_CELLS)
    sources = [_cells(source, cells) for source in _list(content["sources"])]
    pattern = _cells(content["pattern"], cells)
    _require(bool(sources) and all(len(source) == cells for source in sources))
    _require(2 <= len(pattern) <= _MOST_TILES)
    return sources, pattern


def _free_moves(
    sources: Sequence[list[int]], odds: Sequence[bool], pattern: Sequence[int]
) -> PieceMoves:
    cells = len(sources[0])
    moves = [
        (-1, [source.index(cell) for cell in range(cells)], odd)
        for source, odd in zip(sources, odds, strict=True)
    ]
    return PieceMoves(cells, moves, [([home], 1) for home in pattern], is_positional=True)


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
