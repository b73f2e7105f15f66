"""The contract of all drop-ins: their examples run, and they refuse wrong boards."""

import doctest
from importlib import import_module

import pytest

from plansolve.compat import solver, solver2023
from plansolve.compat.sliders import move_left, move_random
from plansolve.compat.tile_puzzle import TilePuzzle
from plansolve.errors import BoardError

EXAMPLES = {"sliders": 6, "solver": 6, "solver2023": 3, "tile_puzzle": 15}


@pytest.mark.parametrize("name", EXAMPLES)
def test_their_examples_run(name):
    assert doctest.testmod(import_module(f"plansolve.compat.{name}")) == (0, EXAMPLES[name])


TAKERS = {
    "solver": (solver.solve, solver.State),
    "tile_puzzle": (TilePuzzle,),
    "solver2023": (solver2023.solve, solver2023.successors, solver2023.is_goal),
    "sliders": (move_left, move_random),
}
NO_ROWS = [([], "the board is empty"), (None, "not rows of whole numbers")]
NO_SQUARE = [
    *NO_ROWS,
    ([[]], "the board is empty"),
    ([["1", "."]], "not rows of whole numbers"),
    ([1, 2, 3, 0], "not rows of whole numbers"),
    ([[1, 2, 3], [0]], "row 2 has length 1, the first row 3"),
]
REFUSED = {
    "solver": [
        *NO_SQUARE,
        ([[1, 2], [3, 3]], "row 2: 3 appears twice, 0 is missing"),
        ("12.3", "not rows of whole numbers"),
        ([list(range(40))], "out of range"),
    ],
    "tile_puzzle": [
        *NO_SQUARE,
        ([[1, 1], [3, 0]], "1 appears twice, 2 is missing"),
        ([[1, 2], [3, 4]], "4 is not a tile, 0 is missing"),
        ([[1]], "1 is not a tile, 0 is missing"),
    ],
    "solver2023": [
        ([], "the board is empty"),
        (["a"] * 25, "not rows of whole numbers"),
        (range(1, 25), "not rows of whole numbers"),
        ((1, *range(1, 25)), "1 appears twice, 25 is missing"),
        (range(25), "0 is not a tile, 25 is missing"),
        ([[1, 2], [3, 4]], "no inner ring"),
        ([list(range(i, i + 6)) for i in range(1, 31, 6)], "5x6: 5x5 is expected"),
    ],
    "sliders": [([[1, 2], [3, 4]], "the board has no 0")],
}


@pytest.mark.parametrize(
    ("name", "board", "message"),
    [(name, board, message) for name, told in REFUSED.items() for board, message in told],
)
def test_what_is_no_board_is_refused(name, board, message):
    for takes in TAKERS[name]:
        with pytest.raises(BoardError, match=message):
            takes(board)
