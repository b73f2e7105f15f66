"""Choosers of patterns: one contract for every kind of table, and what each is known to choose."""

import hashlib
from itertools import combinations
from types import SimpleNamespace

import pytest
from support.fixtures import cases
from support.fixtures.cases import alike, make, opened

from plansolve.analysis.automorphisms import symmetries
from plansolve.errors import InternalError, OptionError
from plansolve.model.problem import Problem
from plansolve.model.structure import reverse
from plansolve.patterns.choose import (
    PermutationChooser,
    PlacementChooser,
    ReachChooser,
    permutation_chooser,
)
from plansolve.patterns.goal_tables import build_for, goal_sets
from plansolve.patterns.partition import (
    AdditiveChooser,
    SumChooser,
    default_size,
    goal_chooser,
    table_choice,
)
from plansolve.patterns.placement import build_seconds
from plansolve.patterns.rules import placement_rules
from plansolve.storage.store import Store


def additive(puzzle, memory=None):
    arcs = Problem(puzzle, puzzle.goal).blank_graph.successors
    return AdditiveChooser(arcs, puzzle.goal.index(0), title="test")


def permutation(puzzle, memory=None):
    made = permutation_chooser(puzzle)
    return PermutationChooser(made.rules, made.maps, memory)


def reach(puzzle, memory=None):
    return ReachChooser(permutation(puzzle, memory), memory)


def placement(puzzle, memory=None):
    return PlacementChooser(puzzle, placement_rules(puzzle), memory)


def added(puzzle, memory=None):
    return SumChooser(puzzle, placement_rules(puzzle), memory)


CHOOSERS = {
    "additive 3x4": (additive, make("sliding", 3, 4)),
    "additive 3x5, blank in the middle": (
        additive,
        make("sliding", 3, 5, (*range(1, 8), 0, *range(8, 15))),
    ),
    "additive 4x4": (additive, make("sliding", 4, 4)),
    "additive Lloyd": (additive, make("lloyd", 3, 3)),
    "additive ring": (additive, cases.one_way_ring(7)),
    "permutation torus": (permutation, make("torus-ring", 4, 4)),
    "permutation rings": (permutation, make("torus-ring:rings=outer", 3, 4)),
    "permutation one way": (permutation, make("torus-ring:rows=LRL,columns=UDU,rings=none", 3, 3)),
    "permutation small": (permutation, make("torus-ring:rows=R*,columns=D*U,rings=none", 2, 3)),
    "permutation loopover": (permutation, make("loopover", 4, 4)),
    "permutation pancake": (permutation, make("pancake", 1, 10)),
    "reach torus": (reach, make("torus-ring", 4, 4)),
    "reach loopover": (reach, make("loopover", 3, 4)),
    "placement multi-tile": (placement, make("sliding:metric=multi-tile", 3, 3)),
    "placement letters": (placement, alike(make("sliding", 3, 3), 2)),
    "placement loopover letters": (placement, alike(make("loopover", 3, 3), 3)),
    "placement open": (placement, opened(make("sliding", 3, 4), 6)),
    "sums of letters": (added, alike(make("sliding", 4, 4), 2)),
    "sums of gaps": (added, make("sliding-gaps", 3, 3)),
    "sums, open": (added, opened(make("sliding", 3, 4), 6)),
}
LIMITED = [name for name, (kind, _) in CHOOSERS.items() if kind is not additive]
PARTITIONS = [name for name, (kind, _) in CHOOSERS.items() if kind in (additive, added)]
OVERLAPPING = [name for name, (kind, _) in CHOOSERS.items() if kind in (permutation, placement)]


def chooser(name, memory=None):
    kind, puzzle = CHOOSERS[name]
    return kind(puzzle, memory)


def kept(*keys):
    """A store with files of these keys."""
    files = [SimpleNamespace(key=key, length=1 << 40) for key in keys]
    return SimpleNamespace(has=keys.__contains__, files=lambda: files)


def sizes_of(chosen):
    """A few sizes that have tables."""
    usual = chosen.usual + isinstance(chosen, ReachChooser)
    return sorted({max(1, usual - 1), usual, chosen.largest} - {0})


@pytest.mark.parametrize("name", CHOOSERS)
def test_what_is_one_larger_is_larger_and_fits(name):
    chosen, size = chooser(name), chooser(name).usual + 1
    larger, needs = chosen.larger(kept(), 2), chosen.needs(min(size, chosen.largest), 2)
    if chosen.largest < size:
        assert larger is None
        return
    assert larger == (size, needs.seconds, needs.memory)
    assert larger.seconds > 0 and larger.memory >= needs.nbytes
    assert chosen.needs(size, 1).seconds >= larger.seconds
    if not isinstance(chosen, ReachChooser):
        assert needs.nbytes > chosen.needs(chosen.usual).nbytes
    # Once they are in the store they are only loaded.
    store = kept(*needs.keys)
    assert chosen.larger(store, 2) == (size, chosen.seconds_to_load, needs.nbytes)


@pytest.mark.parametrize("name", CHOOSERS)
def test_the_largest_size_that_is_built_is_taken(name):
    chosen = chooser(name)
    assert chosen.built(kept()) == chosen.usual <= chosen.largest
    for size in range(chosen.usual + 1, chosen.largest + 1):
        keys = chosen.needs(size).keys
        assert chosen.built(kept(*keys)) == size
        assert chosen.built(kept(*keys[1:])) == chosen.usual
        # Those of another graph are of no use.
        assert chosen.built(kept(*additive(make("sliding", 2, 4)).needs(7).keys)) == chosen.usual
        if size == chosen.usual + 2:
            break


@pytest.mark.parametrize("memory", [3_000, 40_000, 1_000_000])
@pytest.mark.parametrize("name", LIMITED)
def test_all_tables_fit_into_the_memory(name, memory):
    chosen = chooser(name, memory)
    least = chooser(name, 1)
    if chosen.usual > least.usual:
        assert chosen.needs(chosen.usual).nbytes <= memory
    if chosen.largest > max(least.largest, chosen.usual):
        assert chosen.needs(chosen.largest).nbytes <= memory
    assert chosen.largest <= chooser(name).largest


@pytest.mark.parametrize("name", PARTITIONS)
def test_a_partition_has_each_item_once(name):
    chosen = chooser(name)
    for size in sizes_of(chosen):
        if isinstance(chosen, AdditiveChooser):
            items, partitions = {*range(len(chosen.arcs))} - {chosen.blank}, chosen.partitions(size)
            for partition in partitions:
                lengths = [len(pattern) for pattern in partition]
                assert lengths == sorted(lengths, reverse=True)
                assert all(length == size for length in lengths[:-1])
                assert all([*pattern] == sorted(pattern) for pattern in partition)
        else:
            items, partitions = {*chosen.rules.classes}, chosen.all_sums(size)
        for partition in partitions:
            assert sorted(item for pattern in partition for item in pattern) == sorted(items)


@pytest.mark.parametrize("name", OVERLAPPING)
def test_overlapping_patterns_have_the_size_and_are_no_images_of_each_other(name):
    chosen, (kind, _) = chooser(name), CHOOSERS[name]
    for size in sizes_of(chosen):
        patterns = chosen.patterns(size)
        assert 1 <= len(patterns) <= 4
        assert all(len({*pattern}) == len(pattern) == size for pattern in patterns)
        for one, other in combinations(patterns, 2):
            if kind is permutation:
                images = [frozenset(map(image.__getitem__, one)) for image in chosen.maps]
                assert frozenset(other) not in images
    # The images of a pattern are looked up in its table.
    lookups = chosen.lookups(chosen.usual, store=Store(in_memory=True), tell=cases.silent)
    tables = chosen.needs(chosen.usual).nbytes
    assert lookups.count >= len(chosen.patterns(chosen.usual))
    assert (lookups.tables.table if kind is placement else lookups.table).size == tables


@pytest.mark.parametrize(("rows", "columns", "tables"), [(4, 4, 2), (5, 5, 5)])
def test_images_of_additive_patterns_share_a_table(rows, columns, tables):
    chosen = goal_chooser(Problem(make("sliding", rows, columns), (0, *range(1, rows * columns))))
    shared = chosen.tables(chosen.partitions(4))
    assert sum(map(len, shared.sets)) > len(shared.tables) == tables
    for placed in (placed for own in shared.sets for placed in own):
        assert shared.tables[placed.number].pattern == placed.homes
        assert [*placed.homes] == sorted(placed.image[cell] for cell in placed.pattern)


@pytest.mark.parametrize(
    ("cells", "size"), [(2, 1), (4, 3), (9, 7), (16, 6), (20, 5), (25, 5), (36, 4), (64, 3)]
)
def test_usual_sizes_of_additive_patterns(cells, size):
    assert default_size(cells) == size
    assert cells**size <= 17_000_000


def test_what_larger_tables_take():
    sliding = additive(make("sliding", 5, 5)).larger(kept(), 2)
    # Two distinct tables of 25 ** 6 bytes, built side by side with three masks of 32 bits.
    assert (sliding.size, sliding.memory) == (6, 2 * 25**6 * 13)
    assert additive(make("sliding", 6, 6)).larger(kept(), 2).size == 5
    torus = make("torus-ring", 5, 5)
    # One table of 25 ** 6 bytes for each parity.
    assert permutation(torus).larger(kept(), 1)[::2] == (6, 2 * 25**6)
    assert permutation(torus, 2 * 25**6 - 1).larger(kept(), 1) is None
    # Two sets of 4 bytes for the placements of six tiles; with less memory the tables have five.
    assert reach(torus).larger(kept(), 1).size == 7
    assert reach(torus, 2 * 4 * 25**6).larger(kept(), 1) is None
    assert reach(torus, 2 * 25**6 - 1).larger(kept(), 1).size == 6
    assert reach(make("torus-ring", 6, 6)).larger(kept(), 1) is None


@pytest.mark.parametrize("puzzle", [make("lloyd", 3, 3), make("lloyd", 5, 5)])
def test_where_moves_go_one_way_no_larger_tables_are_built_unasked(puzzle):
    assert additive(puzzle).larger(kept(), 2) is None


def test_boards_and_tables_that_are_too_large_are_refused():
    store = Store(in_memory=True)
    for size, (rows, columns), message in (
        (None, (5, 13), "up to 64"),
        (8, (5, 5), "choose smaller"),
    ):
        puzzle = make("sliding", rows, columns)
        with pytest.raises(OptionError, match=message):
            goal_sets(Problem(puzzle, puzzle.goal), size=size, store=store, tell=cases.silent)


def test_arcs_have_all_symmetries_of_the_puzzle_or_64_of_them():
    for puzzle in (make("sliding", 3, 3), make("lloyd", 3, 3), cases.one_way_ring()):
        chosen = additive(puzzle)
        assert {*chosen.reflections} == {*symmetries(puzzle)} <= {*chosen.symmetries}
        back = AdditiveChooser(reverse(chosen.arcs), chosen.blank)
        assert len(back.symmetries) == len(chosen.symmetries)
    maps = AdditiveChooser([[d for d in range(9) if d != b] for b in range(9)], 4).symmetries
    assert len({*maps}) == len(maps) == 64 and maps[0] == tuple(range(9))


def test_cells_that_no_move_joins_are_divided_too():
    first, _ = AdditiveChooser([[1], [0], [3], [2], []], 0).two_partitions(2)
    assert sorted(cell for pattern in first for cell in pattern) == [1, 2, 3, 4]


def test_the_24_puzzle_s_known_partition_is_found():
    """That of Korf and Felner (2002), which needs two tables."""
    chosen = additive(make("sliding", 5, 5, "blank-first"))
    first, second = chosen.two_partitions(6)
    assert first == (
        (1, 2, 5, 6, 7, 12),
        (3, 4, 8, 9, 13, 14),
        (10, 11, 15, 16, 20, 21),
        (17, 18, 19, 22, 23, 24),
    )
    assert chosen.tables([first]).length == 2 * 25**6
    pairs = [{pair for p in own for pair in combinations(p, 2)} for own in (first, second)]
    assert len(pairs[0] & pairs[1]) < len(pairs[0]) * 0.7


def test_sums_above_the_usual_size_are_of_two_partitions():
    puzzle = make("sliding-gaps", 4, 4)
    chosen, usual = added(puzzle), added(puzzle).usual
    assert chosen.all_sums(usual) == chosen.sums(usual)
    first, second = chosen.all_sums(usual + 1)
    assert [first] == chosen.sums(usual + 1)
    pairs = [
        {frozenset(pair) for pattern in own for pair in combinations(pattern, 2)}
        for own in (first, second)
    ]
    assert len(pairs[0] & pairs[1]) < len(pairs[0]) / 2
    assert sorted(kind for pattern in second for kind in pattern) == sorted(chosen.rules.classes)
    seconds = 5 * build_seconds(chosen.rules, [*first, *second], 1)
    assert chosen.larger(kept(), 1)[:2] == (usual + 1, pytest.approx(seconds))
    tight = added(puzzle, 100_000_000)
    assert tight.all_sums(usual + 1) == tight.sums(usual + 1) == [first]


def test_reach_sets_that_are_kept_are_loaded(tmp_path):
    store, told = Store(tmp_path), []
    chosen = reach(make("torus-ring", 4, 4), 13_000_000)
    size, _, _ = chosen.larger(store, 1)
    assert chosen.lookups(size - 1, store=store, tell=told.append) is None
    first, again = (chosen.lookups(size, store=store, tell=told.append) for _ in range(2))
    assert len(told) == 1 and (first.words == again.words).all()
    assert chosen.larger(store, 1)[:2] == (size, 1.0)


def test_tables_are_put_into_the_store_for_searches_to_find():
    puzzle = alike(make("sliding", 4, 4), 3)
    problem, store = Problem(puzzle, puzzle.goal), Store()
    build_for(problem, 5, store, cases.silent)
    assert added(puzzle).built(store) >= 5
    with pytest.raises(OptionError, match=r"no tables of 1 piece: .* try [2-9]"):
        build_for(problem, 1, store, cases.silent)


def test_where_moves_need_a_gap_there_are_no_tables_of_permutations():
    with pytest.raises(InternalError, match="where the blank is"):
        permutation_chooser(make("sliding", 3, 3))


def test_on_large_boards_patterns_are_small():
    chosen = permutation(make("loopover", 12, 13))
    assert chosen.usual == 2 and len(chosen.maps) == 1


def test_placements_are_added_where_that_helps():
    def kind(puzzle):
        return type(table_choice(puzzle, placement_rules(puzzle)))

    assert kind(alike(make("sliding", 4, 4), 2)) == SumChooser
    assert kind(make("sliding:metric=multi-tile", 4, 4)) == PlacementChooser
    # A single table knows all distances.
    assert kind(opened(make("sliding", 4, 4), 4)) == PlacementChooser


FROZEN = {
    "additive 3x4": "6 7 0a43d5280a517a37",
    "additive 3x5, blank in the middle": "6 7 1d042d0403496aea",
    "additive 4x4": "6 7 291ff1c297f226d8",
    "additive Lloyd": "7 7 651a71f51a91d982",
    "additive ring": "6 6 bbd9530741117284",
    "permutation torus": "6 7 e7f0839e2201e988",
    "permutation rings": "6 7 8d8a10fa171660df",
    "permutation one way": "5 8 c5bb53f32153b3ac",
    "permutation small": "3 5 69c811670e75aa77",
    "permutation loopover": "6 7 30b8bafdc81fa680",
    "permutation pancake": "6 8 4d35018827305d1f",
    "reach torus": "7 7 97282b914168ae26",
    "reach loopover": "7 8 0582dc0b4d70333c",
    "placement multi-tile": "8 8 e4d2ca4f956a7f26",
    "placement letters": "4 4 f16b40e40df8cb1f",
    "placement loopover letters": "3 3 6b016bd9655ac6a5",
    "placement open": "6 6 5de07d8f67fd9229",
    "sums of letters": "6 6 a6955469e0c917af",
    "sums of gaps": "9 9 59cc05365fdd2294",
    "sums, open": "12 12 93f04fe214ae423a",
}


@pytest.mark.parametrize("name", CHOOSERS)
def test_the_tables_of_earlier_versions_are_found(name):
    """The keys have not changed; where they have to, so do all tables in people's stores."""
    chosen = chooser(name)
    if isinstance(chosen, PlacementChooser):
        keys = [chosen.patterns(size) for size in sizes_of(chosen)]
    else:
        keys = [key.digest for size in sizes_of(chosen) for key in chosen.needs(size).keys]
        assert len({*keys}) >= len(chosen.needs(chosen.usual).keys) >= 1
    found = f"{chosen.usual} {chosen.largest} {hashlib.sha256(str(keys).encode()).hexdigest()[:16]}"
    assert FROZEN[name] == found
