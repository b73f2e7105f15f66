"""Additive pattern databases against plain references and exhaustive tables."""

from functools import cache
from random import Random

import numpy as np
import pytest
from support.fixtures import cases
from support.fixtures.cases import silent
from support.reference import patterns as reference
from support.reference.oracle import Rules

from plansolve.analysis.automorphisms import symmetries
from plansolve.errors import OptionError
from plansolve.model.problem import Problem
from plansolve.model.puzzle import Operator, Puzzle
from plansolve.model.structure import Structure, reverse
from plansolve.patterns import partition
from plansolve.patterns.additive import additive_sets, goal_sets, start_sets
from plansolve.patterns.additive_build import TablePlan, blanks_at_goal, build_tables
from plansolve.patterns.table import LARGEST, NO_WAY
from plansolve.storage.store import Store


def arcs_of(puzzle):
    return Structure(puzzle).blank_graph.successors


def lopsided():
    """Six cells, arcs both ways and one way, no symmetry; every cell can be reached."""
    arcs = {0: (1, 3), 1: (0, 2, 4), 2: (1, 5), 3: (4,), 4: (3, 5, 1), 5: (0, 4)}
    operators = tuple(
        Operator(f"{b}to{d}", ((b, d), (d, b)), b) for b, targets in arcs.items() for d in targets
    )
    labels = tuple(map(str, range(6)))
    return Puzzle("lopsided", 2, 3, (3, 1, 0, 5, 2, 4), operators, labels)


PUZZLES = {
    "2x3 last": lambda: cases.make("sliding", 2, 3),
    "2x3 snail": lambda: cases.make("sliding", 2, 3, "snail"),
    "1x6": lambda: cases.make("sliding", 1, 6),
    "3x3 corner": lambda: cases.make("sliding", 3, 3, "blank-first"),
    "3x3 middle": lambda: cases.make("sliding", 3, 3, (1, 2, 3, 4, 0, 5, 6, 7, 8)),
    "lloyd": lambda: cases.make("lloyd", 3, 3),
    "ring": cases.one_way_ring,
    "lopsided": lopsided,
}
QUICK = [pytest.param(n, marks=pytest.mark.slow) if n == "3x3 middle" else n for n in PUZZLES]
SMALL = ("2x3 last", "2x3 snail", "1x6", "ring", "lopsided")


@cache
def towards_goal(name):
    puzzle = PUZZLES[name]()
    if name == "lloyd":
        return cases.distance_table("lloyd", 3, 3)
    return Rules.of(puzzle).distances_to(puzzle.goal)


def values(sets, boards):
    """The bound of each board, for all at once."""
    boards = np.array(boards)
    count, cells = boards.shape
    index = np.tile(sets.base.astype(np.int64), (count, 1))
    for s in range(len(sets.first) - 1):
        for cell in range(cells):
            row = s * cells + boards[:, cell]
            here = np.flatnonzero(boards[:, cell])
            index[here, sets.group[row[here]]] += sets.weight[row[here] * cells + cell]
    return np.add.reduceat(sets.table[index].astype(int), sets.first[:-1].astype(int), axis=1).max(
        axis=1
    )


def sets_of(name, size=3):
    problem = Problem(PUZZLES[name](), PUZZLES[name]().goal)
    return goal_sets(problem, size=size, store=Store(in_memory=True), tell=silent)


def table_of(arcs, pattern, blank):
    blanks = blanks_at_goal(arcs, pattern, blank)
    table = TablePlan(tuple(pattern), tuple(sorted(blanks)))
    return table, build_tables(arcs, [table], silent)


@pytest.mark.parametrize("name", PUZZLES)
def test_a_table_is_that_of_the_reference(name):
    puzzle = PUZZLES[name]()
    arcs, blank, random = arcs_of(puzzle), puzzle.goal.index(0), Random(5)
    homes = [cell for cell in range(puzzle.cells) if cell != blank]
    for tiles in (1, 2, 3):
        pattern = sorted(random.sample(homes, tiles))
        _, table = table_of(arcs, pattern, blank)
        expected = reference.table(arcs, pattern, blank)
        strides = [puzzle.cells ** (tiles - 1 - i) for i in range(tiles)]
        for placement, cost in expected.items():
            assert table[np.dot(placement, strides)] == cost, (pattern, placement)
        assert (table != NO_WAY).sum() == sum(cost != NO_WAY for cost in expected.values())


def test_random_graphs_agree_with_the_reference():
    random = Random(7)
    for _ in range(25):
        cells = random.randint(3, 7)
        arcs = [random.sample(range(cells), random.randint(0, 3)) for _ in range(cells)]
        blank, *pattern = random.sample(range(cells), random.randint(2, min(5, cells)))
        pattern.sort()
        _, table = table_of(arcs, pattern, blank)
        expected = reference.table(arcs, pattern, blank)
        strides = [cells ** (len(pattern) - 1 - i) for i in range(len(pattern))]
        assert all(table[np.dot(place, strides)] == cost for place, cost in expected.items())


@pytest.mark.parametrize("size", [pytest.param(2, marks=pytest.mark.slow), 4])
@pytest.mark.parametrize("name", QUICK)
def test_no_value_exceeds_the_distance(name, size):
    to_goal = towards_goal(name)
    boards = list(to_goal)
    if len(boards) > 50_000 and size != 4:
        # All boards are tried once.
        boards = [PUZZLES[name]().goal, *Random(9).sample(boards, 20_000)]
    bounds = values(sets_of(name, size), boards)
    distances = np.array([to_goal[board] for board in boards])
    assert (bounds <= distances).all()
    assert set(bounds[distances == 0].tolist()) == {0}
    assert bounds.max() > (0 if len(to_goal) < 10 else 3)


@pytest.mark.parametrize("name", [pytest.param("lloyd", marks=pytest.mark.slow), *SMALL])
def test_no_value_from_the_start_exceeds_the_distance(name):
    puzzle = PUZZLES[name]()
    start = Random(2).choice(sorted(towards_goal(name)))
    from_start = Rules.of(puzzle).distances_from(start)
    sets = start_sets(Problem(puzzle, start), size=4, tell=silent)
    distances = np.array(list(from_start.values()))
    bounds = values(sets, list(from_start))
    assert (bounds <= distances).all() and sets.value(start) == 0


def test_the_values_are_not_consistent():
    """A search must not rely on it: a move may open a region, and the value falls by seven."""
    boards = sorted(towards_goal("3x3 corner"))
    rules, sets = Rules.of(PUZZLES["3x3 corner"]()), sets_of("3x3 corner", 4)
    pairs = [(board, after) for board in boards[::9] for _, after in rules.successors(board)]
    fall = values(sets, [b for b, _ in pairs]) - values(sets, [a for _, a in pairs])
    assert fall.max() == 7


@pytest.mark.parametrize("name", QUICK)
def test_shared_tables_give_the_values_of_unshared_ones(name):
    """Each pattern of each set, once more from a table of its own."""
    puzzle = PUZZLES[name]()
    arcs, blank = arcs_of(puzzle), puzzle.goal.index(0)
    sets = sets_of(name, 3)
    boards = Random(3).sample(sorted(towards_goal(name)), min(200, len(towards_goal(name))))
    for g in range(len(sets.base)):
        s = int(np.searchsorted(sets.first, g, side="right")) - 1
        members = {tile for tile in puzzle.tiles if sets.group[s * puzzle.cells + tile] == g}
        pattern = sorted(puzzle.goal.index(tile) for tile in members)
        _, table = table_of(arcs, pattern, blank)
        for board in boards:
            index = 0
            for home in pattern:
                index = index * puzzle.cells + board.index(puzzle.goal[home])
            assert sets.table[sets.initial(board)[g]] == table[index]


@pytest.mark.parametrize("name", PUZZLES)
def test_every_set_divides_all_tiles_and_the_value_is_the_largest_sum(name):
    puzzle = PUZZLES[name]()
    sets = sets_of(name, 3)
    cells = puzzle.cells
    for s in range(len(sets.first) - 1):
        groups = sets.group[s * cells + 1 : (s + 1) * cells]
        assert set(groups.tolist()) == set(range(sets.first[s], sets.first[s + 1]))
    boards = Random(1).sample(sorted(towards_goal(name)), 50 if len(towards_goal(name)) > 50 else 1)
    assert values(sets, boards).tolist() == [sets.value(board) for board in boards]


def test_a_board_without_reflections_has_a_second_partition():
    puzzle = cases.make("sliding", 2, 4)
    problem, store = Problem(puzzle, puzzle.goal), Store(in_memory=True)
    sets = goal_sets(problem, size=3, store=store, tell=silent)
    assert len(sets.first) - 1 == 2
    plan = partition.additive_chooser(arcs_of(puzzle), puzzle.goal.index(0))
    one = additive_sets(
        plan, puzzle.goal, plan.two_partitions(3)[:1], store=store, tell=silent, title="test"
    )
    to_goal = cases.distance_table("sliding", 2, 4)
    both, first = values(sets, list(to_goal)), values(one, list(to_goal))
    assert (both <= np.array(list(to_goal.values()))).all()
    assert (first <= both).all() and first.mean() + 0.2 < both.mean()


def test_symmetric_patterns_are_built_once():
    """Four of the 24-puzzle's patterns need two tables, and a reflection needs no more."""
    puzzle = cases.make("sliding", 5, 5, "blank-first")
    built = []

    class Recorder(Store):
        def load_or_build(self, key, length, build, tell):
            built.append(length)
            return np.zeros(length, np.uint8)

    plan = partition.additive_chooser(arcs_of(puzzle), puzzle.goal.index(0))
    for reflected, expected in ((True, 2), (False, 1)):
        sets = additive_sets(
            plan,
            puzzle.goal,
            plan.two_partitions(3)[:1],
            store=Recorder(in_memory=True),
            tell=silent,
            title="test",
            reflected=reflected,
        )
        assert len(sets.first) - 1 == expected
    assert built[0] == built[1] < 8 * 25**3
    (found,) = plan.partitions(6)
    assert plan.tables([found]).length == 2 * 25**6
    assert list(map(len, found)) == [6, 6, 6, 6]


@pytest.mark.parametrize(
    ("rows", "columns", "goal", "size"),
    [(2, 10, "blank-last", 3), (3, 7, "snail", 2), (5, 3, "blank-first", 3), (8, 8, "snail", 2)],
)
def test_other_boards_work_everywhere(rows, columns, goal, size):
    puzzle = cases.make("sliding", rows, columns, goal)
    problem = Problem(puzzle, puzzle.goal)
    sets = goal_sets(problem, size=size, store=Store(in_memory=True), tell=silent)
    assert sets.value(puzzle.goal) == 0
    states, random = [puzzle.goal], Random(8)
    rules = Rules.of(puzzle)
    for _ in range(60):
        states.append(random.choice(rules.predecessors(states[-1])))
    # A walk of so many moves back from the goal: the distance is no larger.
    bounds = values(sets, states)
    assert (bounds <= np.arange(61)).all() and bounds.max() > 5


def test_more_cells_than_bits_are_refused():
    puzzle = cases.make("sliding", 5, 13)
    with pytest.raises(OptionError, match="up to 64"):
        goal_sets(Problem(puzzle, puzzle.goal), store=Store(in_memory=True), tell=silent)


def test_tables_beyond_four_gigabytes_are_refused():
    puzzle = cases.make("sliding", 5, 5)
    problem = Problem(puzzle, puzzle.goal)
    with pytest.raises(OptionError, match="choose smaller"):
        goal_sets(problem, size=8, store=Store(in_memory=True), tell=silent)


@pytest.fixture
def usual_size(monkeypatch):
    """Sets the usual size for boards of which nothing is known yet."""
    partition._additive_chooser.cache_clear()
    yield lambda size: monkeypatch.setattr(partition, "default_size", lambda cells: size)
    partition._additive_chooser.cache_clear()


def test_larger_tables_that_were_built_before_are_taken(usual_size, tmp_path):
    usual_size(2)
    puzzle = cases.make("sliding", 2, 4)
    problem, store = Problem(puzzle, puzzle.goal), Store(tmp_path)
    usual = goal_sets(problem, store=store, tell=silent)
    larger = goal_sets(problem, size=4, store=store, tell=silent)
    assert larger.table.size > usual.table.size
    notes = []
    again = goal_sets(problem, store=store, tell=notes.append)
    assert again.table.size == larger.table.size and notes == []
    # For another goal they are of no use, and nothing large is built unasked.
    puzzle = cases.make("sliding", 2, 4, (1, 0, *range(2, 8)))
    found = goal_sets(Problem(puzzle, puzzle.goal), store=store, tell=silent)
    assert found.table.size < larger.table.size


def test_large_tables_of_another_graph_cost_no_search_for_a_partition(
    usual_size, monkeypatch, tmp_path
):
    usual_size(3)
    store, looked_for = Store(tmp_path), []
    other = cases.make("sliding", 3, 3)
    goal_sets(Problem(other, other.goal), size=5, store=store, tell=silent)
    puzzle = cases.make("sliding", 2, 4, (1, 2, 3, 4, 5, 6, 0, 7))
    chosen = partition.compact_partitions

    def compact_partitions(distance, blank, size):
        looked_for.append(size)
        return chosen(distance, blank, size)

    monkeypatch.setattr(partition, "compact_partitions", compact_partitions)
    goal_sets(Problem(puzzle, puzzle.goal), store=store, tell=silent)
    assert looked_for == [3]


def test_a_table_is_cut_off_at_its_largest_number():
    """Round and round a one-way ring with a short cut: the distances exceed a byte."""
    arcs = [[(cell + 1) % 64] for cell in range(64)]
    arcs[0].append(20)
    _, table = table_of(arcs, [1, 21, 31], 5)
    assert (table == LARGEST).any() and not (table == NO_WAY).any()


@pytest.mark.parametrize("name", PUZZLES)
def test_the_arcs_have_all_symmetries_of_the_puzzle(name):
    puzzle = PUZZLES[name]()
    arcs, blank = arcs_of(puzzle), puzzle.goal.index(0)
    plan = partition.additive_chooser(arcs, blank)
    assert set(plan.reflections) == set(symmetries(puzzle)) <= set(plan.symmetries)
    assert len(partition.additive_chooser(reverse(arcs), blank).symmetries) == len(plan.symmetries)


def test_of_too_many_symmetries_some_are_taken():
    arcs = [[d for d in range(9) if d != b] for b in range(9)]
    maps = partition.additive_chooser(arcs, 4).symmetries
    assert len(set(maps)) == len(maps) == 64 and maps[0] == tuple(range(9))


def test_a_plan_is_made_once():
    arcs = arcs_of(PUZZLES["lloyd"]())
    plan = partition.additive_chooser(arcs, 8)
    assert partition.additive_chooser([targets[::-1] for targets in arcs], 8) is plan
    assert plan.two_partitions(3) is plan.two_partitions(3)
    assert plan is not partition.additive_chooser(arcs, 7)
