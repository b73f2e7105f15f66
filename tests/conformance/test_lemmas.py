"""Lemmas by exhaustion: on small boards of every kind each formula has a plan where there is one.

    python -m pytest -n 2 -m slow tests/conformance/test_lemmas.py

takes every start of every puzzle with each lemma alone and with all of them, and 5,000 random rule
files; without `-m slow` it is a share of them.
"""

from dataclasses import replace
from itertools import permutations
from random import Random

import pytest
from support.fixtures import cases, lemmas
from support.fixtures.cases import make
from support.reference.oracle import Rules
from support.reference.placements import goal_distances

from plansolve.encoders import layers, permutation
from plansolve.encoders.lemmas import (
    board_search,
    distance,
    duplicate_sequences,
    pair_mutex,
    waste_counter,
)
from plansolve.encoders.lemmas.registry import LEMMAS
from plansolve.encoders.registry import ENCODINGS
from plansolve.model.puzzle import Operator, Puzzle
from plansolve.model.structure import Structure


def wheel():
    """Five cells that turn, and three of them, one way only: no move can be taken back."""
    turns = (((1, 0), (2, 1), (3, 2), (4, 3), (0, 4)), ((0, 1), (1, 2), (2, 0)))
    operators = tuple(Operator(name, moves) for name, moves in zip("TS", turns, strict=True))
    return Puzzle("wheel", 1, 5, (1, 2, 3, 4, 5), operators, tuple(map(str, range(6))))


def faces():
    """Three faces of a 2x2x2 cube in miniature: four cells each that turn both ways, odd moves."""
    rings = {"F": (0, 1, 2, 3), "R": (1, 4, 5, 2)}
    operators = [
        Operator(f"{name}{way}", tuple(zip(ring, ring[step:] + ring[:step], strict=True)))
        for name, ring in rings.items()
        for way, step in (("", 1), ("'", 3), ("2", 2))
    ]
    labels = tuple(map(str, range(7)))
    return Puzzle("faces", 2, 3, (1, 2, 3, 4, 5, 6), tuple(operators), labels)


SMALL = {
    "sliding 2x2": make("sliding", 2, 2),
    "sliding 2x2, blank first": make("sliding", 2, 2, "blank-first"),
    "sliding 2x3": make("sliding", 2, 3),
    "sliding 2x3, snail": make("sliding", 2, 3, "snail"),
    "sliding 2x3, blank in the middle": make("sliding", 2, 3, (1, 0, 2, 3, 4, 5)),
    "alike": replace(make("sliding", 2, 3), goal=(1, 1, 2, 2, 3, 0), pieces=()),
    "alike, open goal": cases.turning_letters(),
    "open goal": replace(
        make("sliding", 2, 3), goal=(1, 2, -1, -1, 5, 0), pieces=(0, 1, 2, 3, 4, 5)
    ),
    "two gaps": make("sliding-gaps", 2, 3),
    "a ring of tiles": make("sliding:holes=5", 3, 3),
    "multi-tile": make("sliding:metric=multi-tile", 2, 3),
    "row slides": cases.row_slides(),
    "lloyd 1x5": make("lloyd", 1, 5),
    "one-way ring": cases.one_way_ring(),
    "loopover 2x2": make("loopover", 2, 2),
    "loopover 2x3": make("loopover", 2, 3),
    "torus, one way": make("torus-ring:rows=LR,columns=UD-,rings=none", 2, 3),
    "two dials": cases.two_dials(),
    "faces": faces(),
    "wheel": wheel(),
}
# Each with the distance at which its table of distances ends, None for that of all boards.
LARGER = {
    "sliding 3x3": (make("sliding", 3, 3), None),
    "sliding 3x3, snail": (make("sliding", 3, 3, "snail"), 16),
    "sliding 3x3, blank in the centre": (make("sliding", 3, 3, (1, 2, 3, 4, 0, 5, 6, 7, 8)), 16),
    "lloyd 3x3": (make("lloyd", 3, 3), None),
    "2023 in small": (make("torus-ring:rings=outer", 3, 3), 4),
    "torus 3x3": (make("torus-ring:rings=none", 3, 3), 5),
    "torus-ring 4x4": (make("torus-ring", 4, 4), 3),
    "torus-ring 5x5": (make("torus-ring", 5, 5), 3),
    "one-way torus 4x5": (make("torus-ring:rows=LRLR,columns=UDUDU,rings=none", 4, 5), 4),
}


def in_order(distances):
    """The boards, near ones first, so that each share of them has some of every depth."""
    return sorted(distances, key=lambda board: (distances[board], board))


@pytest.mark.parametrize("name", SMALL)
def test_a_share_of_all_starts_has_a_plan_at_its_depth_and_none_below(name):
    distances = goal_distances(SMALL[name])
    starts = in_order(distances)
    lemmas.check(SMALL[name], distances, starts[:: -max(1, len(starts) // 12)])


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
@pytest.mark.parametrize("name", SMALL)
def test_every_start_has_a_plan_at_its_depth_and_none_below(name, part):
    distances = goal_distances(SMALL[name])
    starts = in_order(distances)[part::4]
    lemmas.check(SMALL[name], distances, starts)
    lemmas.check(SMALL[name], distances, starts[::9], thorough=True)


@pytest.mark.parametrize("count", [2, pytest.param(60, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", LARGER)
def test_boards_of_nine_cells_or_more_have_a_plan_at_their_depth(name, count):
    puzzle, depth = LARGER[name]
    if depth is None:
        distances = cases.distance_table(puzzle.name, 3, 3)
    else:
        distances = Rules.of(puzzle).distances_to(puzzle.goal, depth)
    boards = sorted(board for board in distances if distances[board] <= 16)
    lemmas.check(puzzle, distances, Random(name).sample(boards, count))


@pytest.mark.parametrize("name", SMALL)
def test_cp_sat_agrees_with_the_depths(name):
    puzzle, distances = SMALL[name], goal_distances(SMALL[name])
    # Far ones take CP-SAT long.
    start = Random(name).choice([board for board in in_order(distances) if distances[board] < 12])
    for encoding in ENCODINGS:
        for chosen in ((), None) if ENCODINGS[encoding].fits(Structure(puzzle)) else ():
            solver = cases.solver(puzzle, start, encoding, chosen, "cp-sat")
            for horizon in sorted({max(distances[start] - 1, 0), distances[start]}):
                plan = solver.attempt(horizon).plan
                assert (plan is None) == (horizon < distances[start])
            assert puzzle.is_goal(Rules.of(puzzle).replay(start, plan)[-1]) and len(plan) == horizon


@pytest.mark.parametrize("name", ["sliding 2x3", "row slides"])
def test_boards_without_a_plan_have_none_of_any_length(name):
    puzzle = SMALL[name]
    without = {*permutations(range(6))} - goal_distances(puzzle).keys()
    for encoding in ENCODINGS.values():
        for start in sorted(without)[::90] if encoding.fits(Structure(puzzle)) else ():
            for chosen in (None, ()):
                solver = cases.solver(puzzle, start, encoding.name, chosen)
                assert {solver.attempt(h).plan for h in (0, 1, 2, 8, 9, 20, 21)} == {None}


@pytest.mark.parametrize(
    "seeds",
    [
        range(40),
        *(pytest.param(range(n, n + 250), marks=pytest.mark.slow) for n in range(0, 5000, 250)),
    ],
    ids=lambda seeds: f"{seeds.start}-{seeds.stop}",
)
def test_random_rules_have_a_plan_at_the_depth_of_their_boards_and_none_below(seeds):
    for seed in seeds:
        lemmas.check_random(seed)


def test_random_rules_are_of_every_kind():
    fitting = {
        frozenset(name for name, encoding in ENCODINGS.items() if encoding.fits(structure))
        for structure in (Structure(lemmas.random_rules(seed)) for seed in range(24))
    }
    assert len(fitting) == len(ENCODINGS)
    used = {name for encoding in ENCODINGS.values() for name in encoding.lemmas}
    assert used == set(LEMMAS)


# Searches that run out of room


@pytest.mark.parametrize("rooms", [(30, 60, 720), (30, 20, 40), (1, 1, 1)])
@pytest.mark.parametrize("name", ["sliding 2x3", "loopover 2x3", "one-way ring", "wheel"])
def test_searches_with_little_room_keep_a_plan(name, rooms, monkeypatch):
    for what, room in zip(("ROOM", "DEEP_ROOM", "LAST_ROOM"), rooms, strict=True):
        monkeypatch.setattr(board_search, what, room)
    monkeypatch.setattr(board_search, "FIRST_PATTERN", 2)
    monkeypatch.setattr(board_search, "MOST_TOLD", 4 * rooms[0])
    monkeypatch.setattr(board_search, "FIRST_SLOTS", 2)
    distances = goal_distances(SMALL[name])
    lemmas.check(SMALL[name], distances, Random(name).sample(in_order(distances), 12))


# That a lemma which is one move too strong is noticed


def farther(moves):
    """One move more, but where there is none."""
    return [more + (more > 0) for more in moves]


def of_a_round(true):
    """Nor does the blank come back after four moves."""

    def forbid(builder, blanks):
        true(builder, blanks)
        for here, later in zip(blanks, blanks[4:], strict=False):
            true(builder, [here, {}, later])

    return forbid


def stronger(which):
    """The bounds of one end are one move too large."""

    def change(true):
        def search(self, ends, end, bounds, *rest):
            if end == which:
                bounds = bounds._replace(table=bounds.table + (bounds.table < 255))
            true(self, ends, end, bounds, *rest)

        return search

    return change


def larger_by_one(true):
    def tables(*given, **named):
        sets = true(*given, **named)
        return sets._replace(table=sets.table + (sets.table < 255))

    return tables


def of_one_move_more(true):
    return lambda *of: farther(true(*of))


FAULTS = {
    "distance, a tile and the blank": (
        distance.TileBlankTimes,
        "_tables",
        lambda true: lambda *of: {tile: farther(row) for tile, row in true(*of).items()},
    ),
    "distance, the blank": (layers, "breadth_first", of_one_move_more),
    "distance, a tile": (distance, "_nearest", of_one_move_more),
    "tile-blank": (
        distance.TileBlankTimes,
        "add_mutexes",
        lambda true: lambda self, to, done, left, *of: true(self, to, done, left - 1, *of),
    ),
    "no-undo": (layers, "forbid_going_back", of_a_round),
    "no-undo, move-order": (
        permutation,
        "forbidden_operators",
        lambda true: lambda *of: [one[:-1] for one in true(*of) if len(one) > 1],
    ),
    "duplicate-sequences": (
        duplicate_sequences,
        "duplicate_walks",
        lambda true: lambda arcs: [walks[:, :-1] for walks in true(arcs)],
    ),
    "waste-counter": (
        waste_counter,
        "tile_distance_sum",
        lambda true: lambda problem: true(problem) + 2,
    ),
    "linear-conflict": (
        waste_counter.WasteCounter,
        "_conflict",
        lambda true: lambda *of: 2 * true(*of),
    ),
    "pair-mutex": (pair_mutex, "_pair_distances", lambda true: lambda *of: true(*of) + 1),
    "perimeter, from the start": (board_search.BoardSearch, "__init__", stronger(0)),
    "perimeter, from the goal": (board_search.BoardSearch, "__init__", stronger(1)),
    "deep-perimeter": (board_search, "goal_tables", larger_by_one),
    "perimeter, the order": (
        board_search.kernel,
        "expand",
        lambda true: lambda *of: true(*of[:3], False, *of[4:]),
    ),
    "perimeter, dead ends": (
        board_search.kernel,
        "fold",
        lambda true: lambda expanded, known: true(int((known.slots >= 0).sum()), known),
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_lemma_that_is_one_move_too_strong_is_noticed(fault, monkeypatch):
    owner, name, change = FAULTS[fault]
    monkeypatch.setattr(owner, name, change(getattr(owner, name)))
    if fault == "deep-perimeter":
        monkeypatch.setattr(board_search, "ROOM", 30)
        monkeypatch.setattr(board_search, "FIRST_PATTERN", 2)
    with pytest.raises(AssertionError, match=r"no plan of \d+ moves is left"):
        for puzzle in ("sliding 2x3", "loopover 2x3", "two dials", "wheel", "row slides"):
            distances = goal_distances(SMALL[puzzle])
            starts = [board for board in distances if distances[board] > 2]
            lemmas.check(SMALL[puzzle], distances, Random(fault).sample(starts, 30))
