"""One contract for the lookups in every kind of table: lower bounds, and none of them weak."""

from collections import deque
from functools import cache
from heapq import heappop, heappush
from random import Random

import numpy as np
import pytest
from support.fixtures import cases
from support.fixtures.cases import make, one_way_ring, row_slides, silent, turning_letters
from support.reference.oracle import Rules
from support.reference.placements import goal_distances, random_puzzle

from plansolve.analysis.automorphisms import symmetries
from plansolve.model.problem import Problem
from plansolve.model.puzzle import Operator, Puzzle
from plansolve.patterns.choose import PlacementChooser, permutation_chooser
from plansolve.patterns.goal_tables import goal_sets, priced_sets, start_sets
from plansolve.patterns.partition import SumChooser
from plansolve.patterns.permutation import (
    LOOKUP_BLOCK,
    REACH_SETS,
    permutation_lookups,
    reach_lookups,
)
from plansolve.patterns.placement import table_length
from plansolve.patterns.rules import permutation_rules, placement_rules
from plansolve.solvers.search.idastar.permutation_tree import PermutationTree
from plansolve.solvers.search.idastar.round import Goals, Round
from plansolve.storage.store import Store

HOW = {"store": Store(in_memory=True), "tell": silent}


def lopsided():
    """Six cells, arcs both ways and one way, penalties of 1, 2 and 5, and no symmetry."""
    arcs = {0: {1: 1, 3: 2}, 1: {0: 1, 2: 1, 4: 5}, 2: {1: 2, 5: 1}, 3: {4: 1},
            4: {3: 1, 5: 1, 1: 2}, 5: {0: 1, 4: 5}}  # fmt: skip
    operators = tuple(
        Operator(f"{b}to{d}", ((b, d), (d, b)), b, penalty)
        for b, targets in arcs.items()
        for d, penalty in targets.items()
    )
    return Puzzle("lopsided", 2, 3, (3, 1, 0, 5, 2, 4), operators, tuple(map(str, range(6))))


PUZZLES = {
    "2x3": lambda: make("sliding", 2, 3),
    "2x3 snail": lambda: make("sliding", 2, 3, "snail"),
    "2x4": lambda: make("sliding", 2, 4),
    "1x6": lambda: make("sliding", 1, 6),
    "3x3": lambda: make("sliding", 3, 3, "blank-first"),
    "lloyd": lambda: make("lloyd", 3, 3),
    "ring": one_way_ring,
    "lopsided": lopsided,
    "rings": lambda: make("torus-ring:rings=outer", 2, 3),
    "torus": lambda: make("torus-ring:rings=none", 2, 3),
    "one way": lambda: make("torus-ring:rows=R*,columns=D*U,rings=none", 2, 3),
    "loopover": lambda: make("loopover", 2, 3),
    "line": lambda: make("loopover", 1, 6),
    "slides": row_slides,
    "multi-tile": lambda: make("sliding:metric=multi-tile", 2, 3),
    "turning": turning_letters,
    "letters": cases.letters,
    "gaps": cases.two_gaps,
    "all gaps": lambda: make("sliding-gaps", 2, 3),
    "open": lambda: cases.opened(make("sliding", 2, 3), 4),
    "alike rules": lambda: random_puzzle(Random(4), 5, are_alike=True),
    "rules": lambda: random_puzzle(Random(3), 6),
}


@cache
def distances_of(name):
    if name in ("3x3", "lloyd"):
        return cases.distance_table(*(("sliding" if name == "3x3" else name), 3, 3), *(
            ("blank-first",) if name == "3x3" else ()))  # fmt: skip
    return goal_distances(PUZZLES[name]())


def additive(name, size):
    puzzle = PUZZLES[name]()
    return goal_sets(Problem(puzzle, puzzle.goal), size=size, **HOW).value, distances_of(name)


def from_start(name):
    start = Random(2).choice(sorted(distances_of(name)))
    problem = Problem(PUZZLES[name](), start)
    return start_sets(problem, size=4, tell=silent).value, Rules.of(problem.puzzle).distances_from(
        start
    )


def priced(name):
    """The least number of moves plus dear moves to the goal is not exceeded."""
    puzzle, before = PUZZLES[name](), {}
    penalty = {(op.blank, op.name): op.penalty for op in puzzle.operators}
    rules, least = Rules.of(puzzle), min(penalty.values())
    for board in distances_of(name):
        for move, after in rules.successors(board):
            price = 1 + (penalty[board.index(0), move] > least)
            before.setdefault(after, []).append((price, board))
    best, queue = {puzzle.goal: 0}, [(0, puzzle.goal)]
    while queue:
        total, board = heappop(queue)
        for price, other in before.get(board, ()) if total == best[board] else ():
            if total + price < best.get(other, 1 << 30):
                best[other] = total + price
                heappush(queue, (total + price, other))
    return priced_sets(Problem(puzzle, puzzle.goal), silent).value, best


def permutation(name, patterns, parity=True):
    puzzle, rules = PUZZLES[name](), permutation_rules(PUZZLES[name]())
    found = permutation_lookups(rules, patterns, symmetries(puzzle), parity=parity, **HOW)
    assert found.width % LOOKUP_BLOCK == 0 and found.count <= found.width
    return lambda board: found.value(puzzle.arrangement(board)), distances_of(name)


def reach(name, pattern):
    """The least number of moves that no lookup excludes, or 0 where none is excluded."""
    puzzle = PUZZLES[name]()
    found = reach_lookups(permutation_rules(puzzle), pattern, symmetries(puzzle), **HOW)

    def value(board):
        index = found.indices(puzzle.arrangement(board))[: found.count].astype(np.int64)
        for moves in range(found.highest, found.lowest - 1, -1):
            words = found.words[moves % REACH_SETS * found.length + index // 32]
            if not (words >> (index % 32).astype(np.uint32) & 1).all():
                return moves + 1
        return 0

    return value, distances_of(name)


def placement(name, size):
    puzzle = PUZZLES[name]()
    rules = placement_rules(puzzle)
    chooser = PlacementChooser(puzzle, rules)
    return chooser.lookups(min(size, len(rules.classes)), **HOW).value, distances_of(name)


def guide(name):
    """Lookups for a beam, which look at every piece of every kind."""
    puzzle = PUZZLES[name]()
    rules = placement_rules(puzzle)
    room = max(table_length(rules, (kind,)) for kind in rules.classes)
    found = PlacementChooser(puzzle, rules).guide(room, **HOW)
    slots = {*found.tables.piece.tolist()}
    gaps = 0 if rules.blank is None else rules.blank.copies
    assert len(slots) == gaps + sum(own.copies for own in rules.classes.values())
    return found.value, distances_of(name)


def sums(name, size, are_two=False):
    puzzle = PUZZLES[name]()
    with pytest.MonkeyPatch.context() as patch:
        # Two partitions are looked up where the size is above the usual one.
        patch.setattr(SumChooser, "_UNASKED", 0 if are_two else SumChooser._UNASKED)
        found = SumChooser(puzzle, placement_rules(puzzle)).lookups(size, **HOW)
    assert (len(found.sums(puzzle.goal_board)) > 1) >= are_two
    return found.value, distances_of(name)


LOOKUPS = {
    **{
        f"additive {name} {size}": (lambda name=name, size=size: additive(name, size))
        for name in ("2x3", "2x3 snail", "2x4", "1x6", "3x3", "lloyd", "ring", "lopsided")
        for size in (2, 4)
    },
    **{
        f"start {name}": (lambda name=name: from_start(name)) for name in ("2x3", "ring", "1x6")
    },
    "priced lopsided": lambda: priced("lopsided"),
    "priced lloyd": lambda: priced("lloyd"),
    **{
        f"permutation {name} {parity}": (
            lambda name=name, parity=parity: permutation(name, [(0, 1, 3), (2, 4)], parity)
        )
        for name in ("rings", "torus", "one way", "line")
        for parity in (True, False)
    },
    "permutation whole": lambda: permutation("rings", [tuple(range(5))]),
    "reach": lambda: reach("rings", (0, 1, 3, 4)),
    **{
        f"placement {name}": (lambda name=name: placement(name, 2))
        for name in ("slides", "ring", "loopover", "multi-tile", "turning", "letters", "gaps",
                     "open", "alike rules", "rules", "lloyd")
    },
    **{
        f"guide {name}": (lambda name=name: guide(name))
        for name in ("loopover", "letters", "alike rules", "rules", "multi-tile")
    },
    **{
        f"sums {name}": (lambda name=name: sums(name, 3)) for name in ("letters", "gaps", "open")
    },
    **{
        f"two sums {name}": (lambda name=name: sums(name, 2, are_two=True))
        for name in ("letters", "open", "all gaps")
    },
}  # fmt: skip
TOTALS = {
    "additive 2x3 2": 3624,
    "additive 2x3 4": 4124,
    "additive 2x3 snail 2": 3624,
    "additive 2x3 snail 4": 4124,
    "additive 2x4 2": 16432,
    "additive 2x4 4": 20471,
    "additive 1x6 2": 15,
    "additive 1x6 4": 15,
    "additive 3x3 2": 15480,
    "additive 3x3 4": 19281,
    "additive lloyd 2": 13473,
    "additive lloyd 4": 15821,
    "additive ring 2": 604,
    "additive ring 4": 672,
    "additive lopsided 2": 3390,
    "additive lopsided 4": 3820,
    "start 2x3": 4124,
    "start ring": 672,
    "start 1x6": 15,
    "priced lopsided": 5191,
    "priced lloyd": 19712,
    "permutation rings True": 2477,
    "permutation rings False": 2239,
    "permutation torus True": 2916,
    "permutation torus False": 2637,
    "permutation one way True": 2991,
    "permutation one way False": 2679,
    "permutation line True": 9,
    "permutation line False": 9,
    "permutation whole": 2560,
    "reach": 2333,
    "placement slides": 3702,
    "placement ring": 651,
    "placement loopover": 2345,
    "placement multi-tile": 3702,
    "placement turning": 1444,
    "placement letters": 16095,
    "placement gaps": 1156,
    "placement open": 4055,
    "placement alike rules": 271,
    "placement rules": 66,
    "placement lloyd": 12962,
    "guide loopover": 1357,
    "guide letters": 14251,
    "guide alike rules": 252,
    "guide rules": 66,
    "guide multi-tile": 2518,
    "sums letters": 16496,
    "sums gaps": 1156,
    "sums open": 3202,
    "two sums letters": 13357,
    "two sums open": 3182,
    "two sums all gaps": 2370,
}
"""The sum of all values: a lookup that says less than it did is as wrong as one that says more."""


@pytest.mark.parametrize("name", LOOKUPS)
def test_values_are_0_at_the_goal_exceed_no_distance_and_do_not_fall(name):
    value, distances = LOOKUPS[name]()
    boards = sorted(distances)
    if len(boards) > 1000:
        boards = Random(name).sample(boards, 1000)
    values = {board: value(board) for board in boards}
    assert all(values[board] <= distances[board] for board in boards)
    assert all(value(board) == 0 for board, moves in distances.items() if not moves)
    assert sum(values.values()) == TOTALS[name]
    assert name != "permutation whole" or values == {board: distances[board] for board in boards}


def test_images_of_a_permutation_s_pattern_share_a_table_and_its_lookups():
    puzzle = make("torus-ring", 5, 5)
    rules, maps = permutation_rules(puzzle), symmetries(puzzle)
    row, corner, image = (0, 1, 2, 3), (0, 1), (24, 19)
    lookups = permutation_lookups(rules, [row, corner, image], maps, **HOW)
    # The row has 8 images, the two tiles of a corner have 8, and the third pattern is one of them.
    assert (lookups.count, lookups.width) == (32, 32)
    assert lookups.table.size == 2 * (25**4 + 25**2)
    limited = permutation_lookups(rules, [(0, 1, 6)], maps, most=16, **HOW)
    assert limited.count == 16
    columns = limited.contribution.reshape(25, 25, -1)[:, :, :8]
    # They look at tiles that the earlier ones have least: at more than half of all.
    assert columns.any(axis=1).any(axis=1).sum() > 12


def test_gaps_that_are_too_many_for_a_table_may_be_anywhere():
    puzzle = make("sliding-gaps:30", 8, 8)
    lookups = PlacementChooser(puzzle, placement_rules(puzzle)).lookups(2, **HOW)
    for board in cases.scrambles(puzzle, 5, 12, 1):
        assert lookups.value(board) <= 12
    assert lookups.value(puzzle.goal[::-1]) > 12


@pytest.mark.parametrize(
    ("rows", "columns", "goal", "size"),
    [(2, 10, "blank-last", 3), (3, 7, "snail", 2), (5, 3, "blank-first", 3), (8, 8, "snail", 2)],
)
def test_additive_tables_of_other_boards(rows, columns, goal, size):
    puzzle = make("sliding", rows, columns, goal)
    sets = goal_sets(Problem(puzzle, puzzle.goal), size=size, **HOW)
    states, random, rules = [puzzle.goal], Random(8), Rules.of(puzzle)
    for _ in range(60):
        states.append(random.choice(rules.predecessors(states[-1])))
    # A walk of so many moves back from the goal: the distance is no larger.
    values = [*map(sets.value, states)]
    assert all(value <= moves for moves, value in enumerate(values)) and max(values) > 5


def test_the_torus_near_its_goal():
    puzzle = make("torus-ring", 5, 5)
    chooser = permutation_chooser(puzzle)
    lookups, exact = chooser.lookups(chooser.usual, **HOW), [0, 0, 0]
    for state, distance in Rules.of(puzzle).distances_to(puzzle.goal, 2).items():
        value = lookups.value(puzzle.arrangement(state))
        assert value <= distance
        exact[distance] += value == distance
    # There the largest lookup is nearly always the distance; 452 boards are two moves away.
    assert exact[:2] == [1, 24] and exact[2] > 0.9 * 452


@pytest.mark.parametrize(("name", "pattern"), [("rings", (0, 1, 3, 4)), ("one way", (0, 1, 3, 4))])
def test_a_search_with_reach_sets_finds_the_same_plans_at_fewer_nodes(name, pattern):
    puzzle, nodes, plans = PUZZLES[name](), [0, 0], 0
    rules, maps = permutation_rules(puzzle), symmetries(puzzle)
    weak = permutation_lookups(rules, [(0, 1)], maps, **HOW)
    sets = reach_lookups(rules, pattern, maps, **HOW)
    for state in Random(name).sample(sorted(distances_of(name)), 8):
        for limit in range(1, 8):
            works = [
                Round(PermutationTree(Problem(puzzle, state), weak, reach=own), limit, Goals.EACH)
                for own in (None, sets)
            ]
            for work in works:
                deque(work.run(1), maxlen=0)
            assert sorted(works[0].found) == sorted(works[1].found)
            nodes = [own + work.nodes for own, work in zip(nodes, works, strict=True)]
            plans += len(works[0].found)
    assert plans and nodes[1] < nodes[0]
