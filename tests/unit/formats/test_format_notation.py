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


@pytest.mark.parametrize(
    "text",
    [
        "UULL",
        "uull\n",
        "U U L L",
        "U,U,L,L",
        "U->U->L->L",
        "U → U → L → L",
        "up up left left",
        "Up, UP -> left\nLeft",
        "['U', 'U', 'L', 'L']",
        '["up", "up", "left", "left"]',
        "('U', 'U', 'L', 'L',)",
        "UU\nLL",
        "'UU' left L",
    ],
)
def test_ways_to_write_a_plan(text):
    assert read_plan(text, SLIDING) == ("U", "U", "L", "L")


def test_other_puzzles():
    assert read_plan("dddrrdt", LLOYD) == ("d", "d", "d", "r", "r", "d", "t")
    assert read_plan("Down TRANSPORT", LLOYD) == ("d", "t")
    assert read_plan("→L3 D3 occ ic", TORUS) == ("L3", "D3", "Occ", "Ic")
    assert read_plan("", TORUS) == read_plan(" [] ", TORUS) == ()


def test_the_blank_convention_names_the_motion_of_the_blank():
    assert read_plan("U left", SLIDING, "blank") == ("D", "R")
    assert read_plan("udt", LLOYD, "blank") == ("d", "u", "t")
    assert format_plan(("D", "R"), SLIDING, convention="blank") == "UL"
    assert format_plan(("D", "R"), SLIDING, "words", "blank") == "up left"


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


def test_case_matters_where_names_differ_in_nothing_else():
    puzzle = puzzle_with("a", "A", "b")
    assert read_plan("aAB", puzzle) == ("a", "A", "b")


def test_names_come_before_words():
    puzzle = puzzle_with("u", "p", "up")
    assert read_plan("u up", puzzle) == ("u", "up")
    together = puzzle_with("u", "p")
    assert read_plan("up", together) == ("u", "p")
    assert format_plan(("u", "p"), together, "words") == "u p"


def test_an_apostrophe_belongs_to_a_name():
    puzzle = puzzle_with("R", "R'")
    assert read_plan("R R' r'", puzzle) == ("R", "R'", "R'")
    assert read_plan("['R', \"R'\"]", puzzle) == ("R", "R'")


@pytest.mark.parametrize(
    ("text", "puzzle", "message"),
    [
        ("UUQL", SLIDING, "step 3: 'Q' (in 'UUQL') is not a move of sliding; its moves: U L R D"),
        ("U L down upp", SLIDING, "step 5: 'p' (in 'upp') is not a move of sliding"),
        ("U 7", SLIDING, "step 2: '7' is not a move of sliding"),
        ("L3D3", TORUS, "step 1: 'L3D3' is not a move of torus-ring; its moves: R1 L1 R2"),
        ("\x1b[2J", SLIDING, r"step 1: '\x1b' (in '\x1b[2J') is not a move of sliding"),
        ("[U, L", SLIDING, "the list of moves is not closed: ] is expected at its end"),
        ("(", SLIDING, "the list of moves is not closed: ) is expected at its end"),
    ],
)
def test_what_is_no_plan(text, puzzle, message):
    with pytest.raises(PlanError) as caught:
        read_plan(text, puzzle)
    assert str(caught.value).startswith(message)


def test_a_long_vocabulary_is_cut():
    puzzle = puzzle_with(*(f"m{i}" for i in range(99)))
    with pytest.raises(
        PlanError, match=r"step 1: 'x' is not a move of custom; its moves: m0 m1 m2 [.]{3}$"
    ):
        read_plan("x", puzzle)


def test_a_plan_without_end_is_refused():
    with pytest.raises(PlanError, match=f"the plan is longer than {MAX_PLAN} characters"):
        read_plan("U" * (MAX_PLAN + 1), SLIDING)


def test_a_move_that_cannot_be_written():
    with pytest.raises(PlanError, match="step 2: 'Q' is not a move of sliding"):
        format_plan(("U", "Q"), SLIDING)


def test_options():
    with pytest.raises(OptionError, match="unknown style 'x': choose from letters, words, list"):
        format_plan((), SLIDING, "x")
    with pytest.raises(OptionError, match="unknown convention 'x': choose from tile, blank"):
        read_plan("", SLIDING, "x")
    with pytest.raises(OptionError, match="torus-ring has no blank: use the tile convention"):
        read_plan("L3", TORUS, "blank")
    blank = Puzzle("odd", 1, 2, (1, 0), (), ("0", "1"))
    with pytest.raises(OptionError, match="odd gives its moves no second name: use the tile"):
        read_plan("", blank, "blank")
