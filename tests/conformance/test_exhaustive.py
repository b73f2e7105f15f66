"""Every encoding, with and without each lemma and with both engines, against breadth-first tables.

Agreement means: for each horizon below a board's depth the formula is refuted, and at the depth it
has a model whose plan the rules allow and which ends in the goal.
"""

from functools import cache, partial
from random import Random

import pytest
from support.fixtures import cases
from support.fixtures.agreement import (
    SIX,
    SLIDING_GOALS,
    agrees,
    backend_of,
    ends,
    name_of,
    refuted,
    unless_usual,
)
from support.reference.oracle import Rules

from plansolve.encoders.registry import ENCODINGS
from plansolve.model.structure import Structure

# Where all plans of a board are of one parity, the horizon before its depth tells nothing.
ENDS = {"sliding": partial(ends, below=2)}


def space(puzzle, few, many, steps=None):
    """A puzzle, how many boards each variant takes quickly and slowly, and the longest walk."""
    return puzzle, few, many, steps


SPACES = {
    **{
        f"2x3 {name}": space(cases.make("sliding", 2, 3, goal), 1, 20)
        for name, goal in SLIDING_GOALS.items()
    },
    "3x3": space(cases.make("sliding", 3, 3), 2, 20),
    "3x3 snail": space(cases.make("sliding", 3, 3, "snail"), 0, 2, 16),
    "3x3 blank in the centre": space(
        cases.make("sliding", 3, 3, (1, 2, 3, 4, 0, 5, 6, 7, 8)), 0, 2, 20
    ),
    "lloyd": space(cases.make("lloyd", 3, 3), 3, 8),
    "torus 5x5": space(cases.make("torus-ring", 5, 5), 1, 3, 3),
    "torus 4x5": space(
        cases.make("torus-ring:rows=LRLR,columns=UDUDU,rings=none", 4, 5), 1, 2, 4
    ),
    "rings 3x3": space(cases.make("torus-ring:rings=outer", 3, 3), 1, 3, 4),
    "torus 3x3": space(cases.make("torus-ring:rings=none", 3, 3), 1, 3, 5),
    "torus 4x4": space(cases.make("torus-ring", 4, 4), 1, 2, 3),
    "loopover": space(cases.make("loopover", 2, 3), 1, 60),
    "row slides": space(cases.row_slides(), 1, 20),
    "row slides, another goal": space(cases.row_slides(goal=(1, 0, 2, 3, 4, 5)), 1, 5),
    "one-way ring": space(cases.one_way_ring(), 4, 20),
}  # fmt: skip
SHARES = [("few", ()), ("many", pytest.mark.slow)]


@cache
def distances(name, steps):
    if name in ("3x3", "lloyd"):
        return cases.distance_table("lloyd" if name == "lloyd" else "sliding", 3, 3)
    return Rules.of(SPACES[name][0]).distances_to(SPACES[name][0].goal, steps)


def boards(name, index, count, are_near):
    """The distances of boards of a space to the goal, and some boards."""
    puzzle, _, _, steps = SPACES[name]
    table = distances(name, steps)
    if are_near and puzzle.cells == 9 and steps is None:
        steps = 16 if puzzle.name == "sliding" else 8
    if steps is None:
        return table, Random(f"{name} {index}").sample(sorted(table), min(count, len(table)))
    return table, cases.scrambles(puzzle, count, steps, index)


@pytest.mark.parametrize(
    ("name", "index", "variant", "share"),
    [
        pytest.param(name, index, variant, share, id=f"{name}-{name_of(variant)}-{share}",
                     marks=[*(mark and [mark]), *filter(None, [unless_usual(variant)])])
        for name, (puzzle, few, many, _) in SPACES.items()
        for index, variant in enumerate(cases.variants(puzzle))
        for share, mark in SHARES
        if (few if share == "few" else many)
    ],
)  # fmt: skip
def test_boards_are_solvable_exactly_at_their_depth(name, index, variant, share):
    puzzle, few, many, _ = SPACES[name]
    slower = variant[0] == "permutation" and ENCODINGS["full-layer"].fits(Structure(puzzle))
    count = few if share == "few" else many // 4 if slower else many
    table, starts = boards(name, index, max(1, count), slower)
    for number, start in enumerate(starts):
        depth = table[start]
        # The first one at every length.
        horizons = None if number == 0 else ENDS.get(puzzle.name, ends)(depth)
        agrees(puzzle, start, depth, variant, horizons, backend=backend_of(index + number))


@pytest.mark.parametrize("lemmas", [None, ()], ids=["default", "plain"])
@pytest.mark.parametrize("name", ["2x3 blank-last", "row slides"])
def test_boards_without_a_plan_have_none_of_any_length(name, lemmas):
    puzzle, *_ = SPACES[name]
    table = Rules.of(puzzle).distances_to(puzzle.goal)
    without = [board for board in SIX if board not in table]
    for encoding in ENCODINGS.values():
        for start in without[::90] if encoding.fits(Structure(puzzle)) else ():
            refuted(puzzle, start, (encoding.name, lemmas), (0, 1, 2, 8, 9, 20, 21))


@pytest.mark.parametrize("lemmas", [None, ()], ids=["default", "plain"])
@pytest.mark.parametrize("name", SPACES)
def test_cp_sat_agrees(name, lemmas):
    puzzle, few, _, _ = SPACES[name]
    if lemmas is None or few:
        for encoding in (e.name for e in ENCODINGS.values() if e.fits(Structure(puzzle))):
            table, starts = boards(name, 3, 1, True)
            for start in starts:
                agrees(puzzle, start, table[start], (encoding, lemmas), ends(table[start]),
                       engine="cp-sat")  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("lemmas", [None, ()], ids=["default", "plain"])
@pytest.mark.parametrize("encoding", ["half-layer", "full-layer", "permutation"])
def test_every_sixth_2x3_board_by_cp_sat(encoding, lemmas):
    puzzle, *_ = SPACES["2x3 blank-last"]
    table = Rules.of(puzzle).distances_to(puzzle.goal)
    for start in SIX[0 if lemmas is None else 3 :: 6]:
        if start in table:
            horizons = ENDS["sliding"](table[start])
            agrees(puzzle, start, table[start], (encoding, lemmas), horizons, "cp-sat")
        else:
            refuted(puzzle, start, (encoding, lemmas), (8, 9), "cp-sat")
