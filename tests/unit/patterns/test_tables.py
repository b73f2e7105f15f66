"""One contract for every kind of table: builders and the sceptic agree, and any fault shows."""

from functools import cache
from hashlib import sha256
from random import Random

import numpy as np
import pytest
from support.fixtures.cases import alike, letters, make, one_way_ring, row_slides, silent, two_gaps
from support.reference.placements import random_puzzle

from plansolve.model.puzzle import Operator, Puzzle
from plansolve.model.structure import Structure
from plansolve.patterns import verify as verification
from plansolve.patterns.additive import SharedTables
from plansolve.patterns.partition import additive_chooser
from plansolve.patterns.permutation import permutation_table, reach_table
from plansolve.patterns.placement import placement_shape, placement_table
from plansolve.patterns.placement_kernel import cells_of, numbers_of
from plansolve.patterns.rules import PieceClass, permutation_rules, placement_rules
from plansolve.patterns.table import LARGEST, NO_WAY
from plansolve.patterns.verify import KINDS, verify
from plansolve.puzzles.registry import make_puzzle
from plansolve.storage.store import Store


def additive(arcs, blank, *patterns):
    symmetries = additive_chooser(arcs, blank).symmetries
    return SharedTables(arcs, blank, symmetries, [patterns]).table("a board", silent)


def blank_graph(puzzle, *patterns):
    """The tables of tiles by their numbers."""
    arcs, goal = Structure(puzzle).blank_graph.successors, puzzle.goal
    homes = [tuple(sorted(map(goal.index, pattern))) for pattern in patterns]
    return additive(arcs, goal.index(0), *homes)


def permutation(specification, rows, columns, pattern, parity=True, threads=1):
    rules = permutation_rules(make_puzzle(specification, rows, columns))
    return permutation_table(rules, pattern, parity, threads)


def reach(specification, rows, columns, pattern, threads=1):
    rules = permutation_rules(make_puzzle(specification, rows, columns))
    return reach_table(rules, pattern, threads)


def placement(puzzle, *patterns, are_added=False, threads=1):
    rules = placement_rules(puzzle)
    return placement_table(rules, patterns, silent, threads, are_added=are_added)


def rings():
    """One move turns rings of 5, 7 and 8 cells: three tiles come home once in 280 moves."""
    cells = (range(5), range(5, 12), range(12, 20))
    turn = tuple((ring[i - 1], ring[i]) for ring in cells for i in range(len(ring)))
    return Puzzle("rings", 1, 20, (*range(1, 21),), (Operator("T", turn),), (*map(str, range(21)),))


def one_way_circle():
    """Round and round with a short cut: the distances exceed a byte."""
    return [[1, 20], *([(cell + 1) % 64] for cell in range(1, 64))]


MULTI_TILE = make("sliding:metric=multi-tile", 3, 3)
ONE_WAY = "torus-ring:rows=LRL,columns=UDU,rings=none"
TABLES = {
    "additive": lambda: blank_graph(make("sliding", 3, 3), (1, 2, 3), (4, 5, 6), (7, 8)),
    "lloyd": lambda: blank_graph(make("lloyd", 3, 3), (1, 2, 4), (3, 5), (6, 7, 8)),
    "ring": lambda: blank_graph(one_way_ring(), (1, 2), (3,)),
    "circle": lambda: additive(one_way_circle(), 5, (1, 21, 31)),
    "parity": lambda: permutation("torus-ring", 4, 4, (1, 0, 4)),
    "permutation": lambda: permutation("loopover", 3, 4, (1, 0, 4)),
    "one way": lambda: permutation(ONE_WAY, 3, 3, (1, 0, 4), parity=False),
    "70 cells": lambda: permutation("torus-ring", 7, 10, (3, 69)),
    "reach": lambda: reach("torus-ring:rings=outer", 3, 3, (0, 1, 4, 5)),
    "one-way reach": lambda: reach(ONE_WAY, 3, 3, (0, 1, 4, 5)),
    "placement": lambda: placement(MULTI_TILE, (1, 2), (5, 3)),
    "row slides": lambda: placement(row_slides(), (1, 2)),
    "letters": lambda: placement(letters(), (1, 2), (3,)),
    "gaps": lambda: placement(two_gaps(), (1, 2)),
    "relaxed": lambda: placement(make("sliding-gaps:30", 8, 8), (1, 2)),
    "open": lambda: placement(random_puzzle(Random(5), 6, is_open=True), (1, 2)),
    "far": lambda: placement(rings(), (1, 6, 13)),
    "added": lambda: placement(letters(), (1, 2), (3, 4), are_added=True),
    "added gaps": lambda: placement(two_gaps(), (1, 2), (3,), are_added=True),
    "added far": lambda: placement(rings(), (1, 6, 13), are_added=True),
}
COMPARED = sorted({*TABLES} - {"70 cells"})
STAYS = {
    "additive": ("b91f6c064a0b7c21", "d78e57e8a016a8b4"),
    "lloyd": ("c5e6fb389bf28b99", "dfaf83e031264845"),
    "ring": ("1ce0d7676b11edc7", "e8f932b08aa19c40"),
    "circle": ("1a8b83e4c8395047", "17c41b6543fe6f7d"),
    "parity": ("d759a65e0587a09b", "b62760465d86ba54"),
    "permutation": ("a4be7eec69f5cd69", "60890a4a8da4a86d"),
    "one way": ("ca75e2959ee7ba60", "ac9b046dd08e481c"),
    "70 cells": ("d7652e733e2ced05", "39487a3890698886"),
    "reach": ("45898f870d62aa13", "611914a8a58e105d"),
    "one-way reach": ("d26c56fc3caa2594", "a58ae41070a4df1f"),
    "placement": ("24c52be766b1332e", "ecde4b23c95c825d"),
    "row slides": ("2b7adf4f63ecbec0", "66b658fa4014be16"),
    "letters": ("e9b1d866405563d4", "14829448e238f248"),
    "gaps": ("da785a748147e202", "8225751bb906bea9"),
    "relaxed": ("da147d3a62ed12e5", "083aeff671d7f93a"),
    "open": ("9f0f39b748f120f3", "24604deff74350ab"),
    "far": ("5249db44a41de291", "066393dae9f2f5bb"),
    "added": ("e95297842cbdcaf8", "528ad9c4615e1a1a"),
    "added gaps": ("172a652f7f4b886c", "bb514cf6f484514d"),
    "added far": ("cf2d0ad7a222c8be", "b707efa3d0cad99e"),
}
"""The end of each key's name, and the beginning of the SHA-256 of the bytes."""


@cache
def built(name):
    table = TABLES[name]()
    entries = table.build()
    entries.flags.writeable = False
    return table, entries


@pytest.mark.parametrize("name", TABLES)
def test_keys_and_bytes_stay(name):
    """Kept files of earlier versions are found, and hold what is built today."""
    table, entries = built(name)
    digest = sha256(entries.tobytes()).hexdigest()
    assert (table.key.name[-16:], digest[:16]) == STAYS[name]


def faults(table, entries, content=None):
    content = table.key.content if content is None else content
    return " ".join(verify(table.key.kind, content, entries, silent))


def damaged(entries, place, value):
    changed = entries.copy()
    changed[place] = value
    return changed


@pytest.mark.parametrize("name", TABLES)
def test_the_builder_and_the_sceptic_make_the_same_bytes(name):
    table, entries = built(name)
    assert table.key.kind in KINDS and entries.shape == (table.length,)
    assert faults(table, entries) == ""


def random_graph(seed):
    random = Random(seed)
    cells = random.randint(3, 7)
    arcs = [random.sample(range(cells), random.randint(0, 3)) for _ in range(cells)]
    blank, *pattern = random.sample(range(cells), random.randint(2, min(5, cells)))
    return additive(arcs, blank, tuple(sorted(pattern)))


def random_placements(seed, **how):
    """Tables of one kind of pieces and of two, of random rules; None where the goal places none."""
    puzzle = random_puzzle(Random(seed), 4 + seed % 3, are_alike=seed % 2 == 1, **how)
    if (rules := placement_rules(puzzle)) is None:
        return None
    kinds = sorted(rules.classes)
    patterns = [tuple(Random(seed).sample(kinds, min(size, len(kinds)))) for size in (1, 2)]
    return placement(puzzle, *patterns, are_added=seed % 4 > 1)


RANDOM = {
    "graphs": random_graph,
    "rules": random_placements,
    "open goals": lambda seed: random_placements(seed, is_open=True),
    "gaps": lambda seed: random_placements(seed, gaps=2 + seed % 5 // 3),
}


@pytest.mark.parametrize("kind", RANDOM)
def test_the_builder_and_the_sceptic_agree_on_random_rules(kind):
    made = [table for table in map(RANDOM[kind], range(30)) if table]
    assert len(made) > 20
    for table in made:
        assert faults(table, table.build()) == "", table.key.content


THREADED = {
    "permutation": lambda n: permutation("torus-ring", 4, 4, (0, 1, 2, 5), threads=n),
    "reach": lambda n: reach("torus-ring", 4, 4, (0, 1, 2, 5), threads=n),
    "placement": lambda n: placement(
        make("sliding:metric=multi-tile", 4, 4), (1, 2, 5, 6), threads=n
    ),
    "added": lambda n: placement(
        alike(make("sliding", 4, 4), 2), (1, 2), are_added=True, threads=n
    ),
}


@pytest.mark.parametrize("kind", THREADED)
def test_threads_build_the_same_table(kind):
    alone, shared = (THREADED[kind](threads).build() for threads in (1, 3))
    assert len(alone) >= 1 << 15 and (alone == shared).all()


@pytest.mark.parametrize("sizes", [(1,), (1, 1, 1), (3,), (1, 2, 2), (2, 1, 3)])
def test_placements_are_numbered_without_gaps(sizes):
    shape = placement_shape(8, [PieceClass((), size) for size in sizes])
    count = int(np.prod(shape.ways))
    cells, numbers = np.empty((count, sum(sizes)), np.uint64), np.empty(count, np.uint64)
    cells_of(0, shape, cells)
    numbers_of(cells, shape, numbers)
    assert numbers.tolist() == [*range(count)]
    rows = [*map(tuple, cells.tolist())]
    assert len({*rows}) == count and all(len({*row}) == len(row) and max(row) < 8 for row in rows)
    begin = 0
    for size in sizes:
        assert all(row[begin : begin + size] == tuple(sorted(row[begin : begin + size]))
                   for row in rows)  # fmt: skip
        begin += size


@pytest.mark.parametrize("name", COMPARED)
def test_one_wrong_entry_anywhere_is_found_and_named(name):
    table, entries = built(name)
    random, last = Random(name), table.length - 1
    places = [0, last, *random.sample(range(table.length), 12)]
    for place in places:
        right = int(entries[place])
        # By one at both ends, and by something elsewhere.
        other = (right + 1) % 256 if place in (0, last) else right ^ random.randint(1, 255)
        found = faults(table, damaged(entries, place, other))
        assert "wrong" in found
        if NO_WAY in entries:
            assert "1 of its " in found and f" is {other}, not {right}" in found


@pytest.mark.parametrize("name", ["additive", "reach", "letters", "added gaps"])
def test_tables_are_compared_chunk_by_chunk(name, monkeypatch):
    monkeypatch.setattr(verification, "_CHUNK", 7)
    table, entries = built(name)
    assert faults(table, entries) == ""
    for place in (6, 7, 8, table.length - 1):
        assert "1 of its" in faults(table, damaged(entries, place, int(entries[place]) ^ 1))


@pytest.mark.parametrize("name", COMPARED)
def test_tables_of_other_patterns_and_lengths_are_found(name):
    table, entries = built(name)
    assert "long" in faults(table, entries[:-1]) and "long" in faults(table, entries[:0])
    assert "wrong" in faults(table, np.roll(entries, 1))
    assert "wrong" in faults(table, np.full_like(entries, entries[-1]))


NONSENSE = (None, -1, 0.5, "x", {}, [None], [[]], [[None, 0]], 1 << 70)


def changed(value):
    """Yield what stands in the place of a value, or of one in it, where that makes no sense."""
    yield from NONSENSE
    if isinstance(value, list) and value:
        yield [*value, value[-1]]
        for place in {0, len(value) - 1}:
            for other in changed(value[place]):
                yield [*value[:place], other, *value[place + 1 :]]


@pytest.mark.parametrize("name", ["additive", "parity", "reach", "placement", "open", "added gaps"])
def test_a_description_may_be_anything(name):
    table, entries = built(name)
    kind, content = table.key.kind, dict(table.key.content)
    assert [name for name in KINDS if not verify(name, content, entries, silent)] == [kind]
    for strange in ({}, {"": 0}, {**content, "turns": [0]}):
        assert faults(table, entries, strange) == "its description is invalid"
    for key, value in content.items():
        if key == "version":
            continue
        without = {k: v for k, v in content.items() if k != key}
        assert verify(kind, without, entries, silent)
        for other in changed(value):
            # What is changed within may be of no consequence.
            told = verify(kind, {**content, key: other}, entries, silent)
            assert told or other not in NONSENSE


@pytest.mark.parametrize("name", TABLES)
def test_samples_accept_what_is_right(name, monkeypatch):
    monkeypatch.setattr(verification, "_MOST_BYTES", -1)
    monkeypatch.setattr(verification, "_SAMPLES", 5 if name == "circle" else 30)
    table, entries = built(name)
    assert faults(table, entries) == ""


# Of the tables with large distances most entries are farther than a byte can tell.
@pytest.mark.parametrize(
    "name", sorted({*TABLES} - {"reach", "one-way reach", "circle", "far", "added far"})
)
def test_samples_find_tables_that_are_wrong_in_many_places(name, monkeypatch):
    monkeypatch.setattr(verification, "_MOST_BYTES", -1)
    monkeypatch.setattr(verification, "_SAMPLES", 100)
    table, entries = built(name)
    known = entries < LARGEST
    far = known & (entries > np.median(entries[known]))
    for wrong in (
        np.where(far, entries + 1, entries),
        np.where(far, entries - 1, entries),
        np.where(far, NO_WAY, entries),
        np.full_like(entries, 3),
    ):
        told = faults(table, wrong.astype(np.uint8))
        assert "but a path costs" in told or "but no path was found" in told


def test_samples_of_reach_sets_find_bits_that_are_missing_or_too_many(monkeypatch):
    monkeypatch.setattr(verification, "_MOST_BYTES", -1)
    table, entries = built("reach")
    words, half = entries.view(np.uint32), len(entries) // 8
    highest = int(words[-1])
    for one, other in ((0, 0), (0xFFFFFFFF, 0)):
        wrong = words.copy()
        wrong[highest % 2 * half : (highest % 2 + 1) * half] = one
        wrong[(highest - 1) % 2 * half : ((highest - 1) % 2 + 1) * half] = other
        assert "the set" in faults(table, wrong.view(np.uint8))
    beyond = words.copy()
    beyond[-1] = 1 << 31
    assert "moves" in faults(table, beyond.view(np.uint8))


def test_distances_beyond_a_byte_are_cut_off():
    for name, most in (("circle", 254), ("far", 254), ("added far", 251)):
        _, entries = built(name)
        assert entries.max() == most and (entries == most).sum() > 1


@pytest.mark.parametrize("name", ["additive", "parity", "reach", "placement", "added"])
def test_a_damaged_file_is_built_again(name, tmp_path):
    table, entries = built(name)
    store, told = Store(tmp_path), []
    for _ in range(2):
        assert (table.load(store, told.append, kept_above=0) == entries).all()
    assert len(told) == 1
    (path,) = tmp_path.glob("*.table")
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    assert (table.load(store, told.append, kept_above=0) == entries).all()
    assert len(told) == 2 and store.read(table.key.name)[0] == table.key


def test_quick_tables_are_not_kept(tmp_path):
    table, entries = built("parity")
    assert (table.load(Store(tmp_path), silent) == entries).all()
    assert [*tmp_path.iterdir()] == []
