import pytest

from plansolve.errors import OptionError, PlanError
from plansolve.formats import format_plan, read_plan
from plansolve.formats.notation import MAX_PLAN
from plansolve.model.puzzle import Operator, Puzzle
from plansolve.puzzles.registry import make_puzzle

SLIDING = make_puzzle("sliding", 4, 4)
LLOYD = make_puzzle("lloyd", 5, 5)
TORUS = make_puzzle("torus-ring", 5, 5)


def puzzle_with(*names):
    operators = tuple(Operator(name, ((0, 1), (1, 0))) for name in names)
    return Puzzle("custom", 1, 2, (1, 2), operators, ("0", "1", "2"))


U_AND_L = [
    *("UULL", "uull\n", "U U L L", "U,U,L,L", "U->U->L->L", "U → U → L → L", "up up left left"),
    *("Up, UP -> left\nLeft", "['U', 'U', 'L', 'L']", '["up", "up", "left", "left"]'),
    *("('U', 'U', 'L', 'L',)", "UU\nLL", "'UU' left L"),
]


@pytest.mark.parametrize(
    ("text", "puzzle", "plan"),
    [
        *((text, SLIDING, "U U L L") for text in U_AND_L),
        ("dddrrdt", LLOYD, "d d d r r d t"),
        ("Down TRANSPORT", LLOYD, "d t"),
        ("→L3 D3 occ ic", TORUS, "L3 D3 Occ Ic"),
        ("", TORUS, ""),
        (" [] ", TORUS, ""),
        # Case matters where names differ in nothing else, and names come before words.
        ("aAB", puzzle_with("a", "A", "b"), "a A b"),
        ("u up", puzzle_with("u", "p", "up"), "u up"),
        ("up", puzzle_with("u", "p"), "u p"),
        # An apostrophe belongs to a name.
        ("R R' r'", puzzle_with("R", "R'"), "R R' R'"),
        ("['R', \"R'\"]", puzzle_with("R", "R'"), "R R'"),
    ],
)
def test_ways_to_write_a_plan(text, puzzle, plan):
    assert read_plan(text, puzzle) == tuple(plan.split())


def test_the_blank_convention_names_the_motion_of_the_blank():
    assert read_plan("U left", SLIDING, "blank") == ("D", "R")
    assert read_plan("udt", LLOYD, "blank") == ("d", "u", "t")
    assert format_plan(("D", "R"), SLIDING, convention="blank") == "UL"
    assert format_plan(("D", "R"), SLIDING, "words", "blank") == "up left"
    assert format_plan(("u", "p"), puzzle_with("u", "p"), "words") == "u p"


@pytest.mark.parametrize(
    ("style", "sliding", "lloyd", "torus"),
    [
        ("letters", "UL", "dt", "L3 Occ"),
        ("words", "up left", "down transport", "L3 Occ"),
        ("list", '["U", "L"]', '["d", "t"]', '["L3", "Occ"]'),
    ],
)
def test_styles(style, sliding, lloyd, torus):
    assert format_plan(("U", "L"), SLIDING, style) == sliding
    assert format_plan(("d", "t"), LLOYD, style) == lloyd
    assert format_plan(("L3", "Occ"), TORUS, style) == torus


@pytest.mark.parametrize(
    ("text", "puzzle", "message"),
    [
        ("UUQL", SLIDING, "step 3: 'Q' (in 'UUQL') is not a move of sliding; its moves: U L R D"),
        ("U L down upp", SLIDING, "step 5: 'p' (in 'upp') is not a move of sliding"),
        ("U 7777", SLIDING, "step 2: '7777' is not a move of sliding"),
        ("L3D3", TORUS, "step 1: 'L3D3' is not a move of torus-ring; its moves: R1 L1 R2"),
        ("\x1b[2J", SLIDING, r"step 1: '\x1b' is not a move of sliding"),
        ("[U, L", SLIDING, "the list of moves is not closed: ] is expected at its end"),
        ("(", SLIDING, "the list of moves is not closed: ) is expected at its end"),
        (
            "x",
            puzzle_with(*(f"m{i}" for i in range(99))),
            "step 1: 'x' is not a move of custom; its moves: m0 m1 m2 ...",
        ),
        ("U" * (MAX_PLAN + 1), SLIDING, f"the plan is longer than {MAX_PLAN} characters"),
    ],
)
def test_what_is_no_plan(text, puzzle, message):
    with pytest.raises(PlanError) as caught:
        read_plan(text, puzzle)
    assert str(caught.value).startswith(message)


def test_options():
    with pytest.raises(PlanError, match="step 2: 'Q' is not a move of sliding"):
        format_plan(("U", "Q"), SLIDING)
    with pytest.raises(OptionError, match="unknown style 'x': choose from letters, words, list"):
        format_plan((), SLIDING, "x")
    with pytest.raises(OptionError, match="unknown convention 'x': choose from tile, blank"):
        read_plan("", SLIDING, "x")
    with pytest.raises(OptionError, match="torus-ring has no blank: use the tile convention"):
        read_plan("L3", TORUS, "blank")
    blank = Puzzle("odd", 1, 2, (1, 0), (), ("0", "1"))
    with pytest.raises(OptionError, match="odd does not name the motion of the blank"):
        read_plan("", blank, "blank")
