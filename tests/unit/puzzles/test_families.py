"""The three families of puzzles against rules written by hand, and figures of the seeds."""

from random import Random

import pytest
from support.fixtures.cases import make
from support.reference import rules as by_hand
from support.reference.oracle import Rules

from plansolve.checker import check_plan
from plansolve.errors import BoardError, OptionError
from plansolve.model.problem import Problem
from plansolve.puzzles.lloyd import lloyd
from plansolve.puzzles.registry import (
    DEFAULT_PUZZLE,
    FAMILIES,
    make_puzzle,
    named_goal,
    puzzle_with,
)
from plansolve.puzzles.sliding import blank_first, blank_last, sliding, snail
from plansolve.puzzles.torus_ring import torus_ring

SIZES = [(1, 4), (4, 1), (2, 2), (2, 3), (3, 2), (3, 3), (3, 5), (4, 4), (5, 5)]
TORUS_NAMES = [way + str(i) for way in "RLDU" for i in range(7)] + ["Oc", "Occ", "Ic", "Icc"]


def agrees_with_rules_by_hand(puzzle, rule, names, seed):
    """On random boards each name means the same to both, or is illegal to both."""
    random = Random(seed)
    for _ in range(25):
        state = tuple(random.sample(puzzle.goal, puzzle.cells))
        board = by_hand.fold(state, puzzle.columns)
        legal = puzzle.applicable(state)
        for name in names:
            after = rule(board, name)
            assert (name in legal) == (after is not None), (state, name)
            if after is not None:
                assert legal[name].apply(state) == by_hand.flat(after), (state, name)
    assert set(puzzle.move_names) <= set(names)


@pytest.mark.parametrize(("rows", "columns"), SIZES)
def test_slides_do_what_the_hand_written_rules_do(rows, columns):
    agrees_with_rules_by_hand(
        sliding(rows, columns), by_hand.slide, "UDLRudlrt", rows * 10 + columns
    )


@pytest.mark.parametrize(("rows", "columns"), [(1, 3), (3, 1), (1, 5), (3, 3), (3, 5), (5, 5)])
def test_lloyd_s_moves_do_what_the_hand_written_rules_do(rows, columns):
    agrees_with_rules_by_hand(lloyd(rows, columns), by_hand.lloyd, "durltUDLR", rows * 10 + columns)


@pytest.mark.parametrize(("rows", "columns"), [(4, 4), (4, 5), (5, 4), (5, 5), (6, 5), (6, 6)])
def test_torus_ring_moves_do_what_the_hand_written_rules_do(rows, columns):
    agrees_with_rules_by_hand(torus_ring(rows, columns), by_hand.torus, names_on(rows, columns), 1)


def names_on(rows, columns):
    return [
        name
        for name in TORUS_NAMES
        if not name[1:].isdigit() or int(name[1:]) <= (rows if name[0] in "RL" else columns)
    ] + ["R9", "U0"]


@pytest.mark.parametrize(("rows", "columns"), [(2, 2), (2, 3), (3, 3), (5, 5)])
def test_loopover_moves_are_the_torus_without_rings(rows, columns):
    names = [name for name in names_on(rows, columns) if name[0] not in "OI"]
    agrees_with_rules_by_hand(make("loopover", rows, columns), by_hand.torus, names, 2)


def test_only_the_outer_ring_turns_where_it_alone_is_asked_for():
    puzzle = make("torus-ring:rings=outer", 3, 4)
    names = [name for name in names_on(3, 4) if name[0] != "I"]
    agrees_with_rules_by_hand(puzzle, by_hand.torus, names, 3)


def test_one_way_lines_go_one_way():
    puzzle = make("torus-ring:rows=LR*-,columns=UD-*U,rings=inner", 4, 5)
    assert set(puzzle.move_names) == {
        *("L1", "R2", "R3", "L3"),
        *("U1", "D2", "U4", "D4", "U5"),
        *("Ic", "Icc"),
    }
    agrees_with_rules_by_hand(puzzle, by_hand.torus, puzzle.move_names, 4)


def test_a_line_of_one_cell_does_not_move():
    assert make("torus-ring:rings=none", 1, 5).move_names == ("R1", "L1")
    assert make("torus-ring:rings=none", 5, 1).move_names == ("D1", "U1")


@pytest.mark.parametrize("name", TORUS_NAMES[:0] or names_on(5, 5)[:-2])
def test_each_torus_turn_keeps_the_multiset_and_is_taken_back_by_its_opposite(name):
    puzzle = torus_ring()
    opposite = {"R": "L", "L": "R", "U": "D", "D": "U"}
    if name not in puzzle.move_names:
        assert name[1:] == "0"
        return
    back = (
        opposite[name[0]] + name[1:]
        if name[0] in opposite
        else name[0] + ("c" if name.endswith("cc") else "cc")
    )
    moves = puzzle.applicable(puzzle.goal)
    assert moves[name].apply(puzzle.goal) != puzzle.goal
    assert moves[back].apply(moves[name].apply(puzzle.goal)) == puzzle.goal


# Figures of the seed documents


def test_the_torus_figure_of_the_2023_assignment():
    # CSCI B551 assignment 1, the worked example: L3, D3, Occ, Ic from the goal.
    verdict = check_plan(Problem(torus_ring(), torus_ring().goal), ("L3", "D3", "Occ", "Ic"))
    assert verdict.board == (
        *(2, 23, 4, 5, 10),
        *(1, 13, 7, 3, 11),
        *(6, 17, 8, 9, 20),
        *(12, 14, 19, 15, 25),
        *(16, 21, 22, 18, 24),
    )


def test_the_lloyd_figure_of_the_1995_contest():
    # AT&T Programmer of the Month: dddrrdt from the perfect square.
    puzzle = lloyd()
    verdict = check_plan(Problem(puzzle, puzzle.goal), "dddrrdt")
    assert verdict.applied == 7
    assert puzzle.board_text(verdict.board).replace(" ", "").split() == [
        "ABMDE",
        "FGCHI",
        "KL+NJ",
        "PQRSO",
        "UVWXT",
    ]


def test_the_lloyd_figure_at_every_step():
    puzzle = lloyd()
    boards = Rules.of(puzzle).replay(puzzle.goal, "dddrrdt")
    rows = [puzzle.board_text(board).replace(" ", "").split() for board in boards]
    # The rows that the contest prints for each of the seven moves.
    assert [row[0] for row in rows] == ["ABCDE"] * 6 + ["AB+DE", "ABMDE"]
    assert [row[1] for row in rows[3:]] == ["FGHI+", "FGH+I", "FG+HI", "FGCHI", "FGCHI"]
    assert [row[2] for row in rows[1:4]] == ["KLMNO", "KLMN+", "KLMNJ"]


# Goals


@pytest.mark.parametrize(
    ("rows", "columns", "board"),
    [
        # 42 school's subject shows the snail of sides 3 and 4.
        (3, 3, (1, 2, 3, 8, 0, 4, 7, 6, 5)),
        (4, 4, (1, 2, 3, 4, 12, 13, 14, 5, 11, 0, 15, 6, 10, 9, 8, 7)),
        (2, 5, (1, 2, 3, 4, 5, 0, 9, 8, 7, 6)),
        (5, 2, (1, 2, 0, 3, 9, 4, 8, 5, 7, 6)),
        (1, 4, (1, 2, 3, 0)),
        (4, 1, (1, 2, 3, 0)),
        (3, 2, (1, 2, 0, 3, 5, 4)),
        (2, 2, (1, 2, 0, 3)),
    ],
)
def test_the_snail_winds_inwards(rows, columns, board):
    assert snail(rows, columns) == board
    assert named_goal("sliding", "snail", rows, columns) == board


def test_the_blank_is_last_or_first():
    assert blank_last(2, 3) == (1, 2, 3, 4, 5, 0) == sliding(2, 3).goal
    assert blank_first(2, 3) == (0, 1, 2, 3, 4, 5)
    assert named_goal("torus-ring", "in-order", 2, 2) == (1, 2, 3, 4)
    assert named_goal("lloyd", "blank-last", 3, 3) == (1, 2, 3, 4, 5, 6, 7, 8, 0)


@pytest.mark.parametrize("name", list(FAMILIES))
def test_a_family_s_first_goal_is_its_default(name):
    family = FAMILIES[name]
    size = family.default_size
    assert make_puzzle(name, *size).goal == named_goal(name, next(iter(family.goals)), *size)


# Specifications


@pytest.mark.parametrize(
    "specification",
    [
        "torus-ring",
        "torus-ring:rings=none",
        "torus-ring:rings=outer",
        "torus-ring:rings=inner",
        "torus-ring:rings=inner+outer",
        "torus-ring:rows=LRLR",
        "torus-ring:rows=lrlr",
        "torus-ring:columns=UDUDU",
        "torus-ring:rows=LRLR,columns=UDUDU,rings=none",
        "torus-ring:columns=U-*DU,rows=*--R",
        "torus-ring:rows=****",
        "loopover",
        "loopover:rows=LRLR,columns=UDUDU",
        "sliding",
    ],
)
def test_a_puzzle_s_name_builds_the_same_rules_again(specification):
    puzzle = make_puzzle(specification, 4, 5)
    again = make_puzzle(puzzle.name, 4, 5)
    assert again.operators == puzzle.operators
    assert again.name == puzzle.name


def test_the_name_leaves_out_what_is_the_default():
    assert make_puzzle("torus-ring:rows=****,columns=*****", 4, 5).name == "torus-ring"
    assert make_puzzle("torus-ring:rings=outer+inner", 4, 5).name == "torus-ring"
    assert make_puzzle("loopover", 4, 5).name == "torus-ring:rings=none"
    one_way = "torus-ring:rows=LRLR,columns=UDUDU,rings=none"
    assert make_puzzle(one_way, 4, 5).name == one_way


def test_the_one_way_course_variant_has_nine_moves():
    puzzle = make_puzzle("torus-ring:rows=LRLR,columns=UDUDU,rings=none", 4, 5)
    assert puzzle.move_names == ("L1", "R2", "L3", "R4", "U1", "D2", "U3", "D4", "U5")


@pytest.mark.parametrize(
    ("specification", "rows", "columns", "error", "message"),
    [
        (
            "slidign",
            3,
            3,
            OptionError,
            "unknown puzzle 'slidign': choose from sliding, lloyd, torus-ring, loopover",
        ),
        (
            "lloyd:rows=LR",
            3,
            3,
            OptionError,
            "puzzle lloyd has no parameter 'rows=LR'; its parameters: none",
        ),
        (
            "loopover:rings=outer",
            5,
            5,
            OptionError,
            "puzzle loopover has no parameter 'rings=outer'; its parameters: rows=..., columns=",
        ),
        ("torus-ring:rings", 5, 5, OptionError, "puzzle torus-ring has no parameter 'rings'"),
        ("torus-ring:ring=outer", 5, 5, OptionError, "has no parameter 'ring=outer'"),
        (
            "torus-ring:rows=LR",
            5,
            5,
            BoardError,
            "'LR' tells the ways of 2 rows, the board has 5",
        ),
        (
            "torus-ring:columns=UDUDUD",
            5,
            5,
            BoardError,
            "'UDUDUD' tells the ways of 6 columns, the board has 5",
        ),
        (
            "torus-ring:rows=LRLRU",
            5,
            5,
            BoardError,
            "row 5 cannot go 'U': use one of R L * -",
        ),
        (
            "torus-ring:columns=L****",
            5,
            5,
            BoardError,
            "column 1 cannot go 'L': use one of D U * -",
        ),
        (
            "torus-ring:rings=middle",
            5,
            5,
            BoardError,
            "there is no ring 'middle': the rings are outer and inner",
        ),
        ("torus-ring", 3, 3, BoardError, "a 3x3 board has no inner ring that could turn"),
        ("torus-ring", 3, 5, BoardError, "a 3x5 board has no inner ring that could turn"),
        ("torus-ring", 1, 5, BoardError, "a 1x5 board has no outer ring that could turn"),
        ("lloyd", 4, 5, BoardError, "a 4x5 square has no centre tile: both sides must be odd"),
        ("lloyd", 5, 7, BoardError, "a 5x7 square has more tiles than there are letters"),
        ("sliding", 1, 1, BoardError, "a 1x1 board is out of range: sides go from 1 to 30"),
        ("sliding", 31, 2, BoardError, "a 31x2 board is out of range"),
        ("sliding", 0, 3, BoardError, "a 0x3 board is out of range"),
        ("sliding", -2, -2, BoardError, "a -2x-2 board is out of range"),
    ],
)
def test_a_wrong_specification_is_refused_with_what_would_be_right(
    specification, rows, columns, error, message
):
    with pytest.raises(error) as caught:
        make_puzzle(specification, rows, columns)
    assert message in str(caught.value)


def test_a_ring_that_is_named_twice_is_refused():
    with pytest.raises(BoardError, match="operator 'Oc' stands for two different moves"):
        make_puzzle("torus-ring:rings=outer+outer", 5, 5)


@pytest.mark.parametrize(
    ("specification", "goal", "message"),
    [
        ("sliding", "snial", "unknown goal 'snial' for sliding: choose blank-last, blank-first"),
        ("lloyd", "snail", "unknown goal 'snail' for lloyd: choose blank-last"),
        ("torus-ring:rings=none", "snail", "unknown goal 'snail' for torus-ring: choose in-order"),
    ],
)
def test_an_unknown_goal_is_refused_with_the_goals_that_there_are(specification, goal, message):
    with pytest.raises(OptionError) as caught:
        named_goal(specification, goal, 5, 5)
    assert message in str(caught.value)


def test_a_named_goal_of_an_unknown_puzzle_is_refused_like_the_puzzle():
    with pytest.raises(OptionError, match="unknown puzzle 'slidign'"):
        named_goal("slidign", "snail", 3, 3)


@pytest.mark.parametrize("name", ["sliding", "lloyd", "torus-ring"])
def test_an_empty_goal_is_not_taken_for_the_default_goal(name):
    with pytest.raises(BoardError, match="the goal has 0 cells"):
        make_puzzle(name, 5, 5, ())


def test_both_conventions_of_move_names_are_each_other_s_mirror():
    puzzle = sliding(3, 3)
    assert dict(puzzle.blank_names) == {"U": "D", "D": "U", "L": "R", "R": "L"}
    assert dict(lloyd(3, 3).blank_names) == {"u": "d", "d": "u", "l": "r", "r": "l", "t": "t"}
    assert not torus_ring().blank_names
    # Told as the blank's motion, D takes the blank one row up.
    for name, row_change in (("D", -1), ("U", 1)):
        after = puzzle.applicable((1, 2, 3, 4, 0, 5, 6, 7, 8))[name].apply(
            (1, 2, 3, 4, 0, 5, 6, 7, 8)
        )
        assert after.index(0) // 3 - 1 == row_change


def test_the_first_family_with_a_gap_and_the_first_without_stand_for_all():
    assert puzzle_with(blank=True) == DEFAULT_PUZZLE == "sliding"
    assert puzzle_with(blank=False) == "torus-ring"


@pytest.mark.parametrize("name", FAMILIES)
def test_a_family_describes_the_boards_that_it_makes(name):
    family = FAMILIES[name]
    for rows, columns in {family.default_size, *((p.rows, p.columns) for p in family.presets)}:
        puzzle = make_puzzle(name, rows, columns)
        assert puzzle.has_blank == family.has_blank
        assert not family.labels or puzzle.labels == family.labels[: len(puzzle.labels)]
        assert {move.lower() for move in puzzle.move_names} >= family.words.keys()


@pytest.mark.parametrize(("rows", "columns"), SIZES)
def test_multi_tile_moves_are_slides_repeated(rows, columns):
    def pushed(board, move):
        for _ in range(int(move[1:] or 1)):
            board = board and by_hand.slide(board, move[0])
        return board

    puzzle = make("sliding:metric=multi-tile", rows, columns)
    names = [f"{way}{count}" for way in "UDLR" for count in ("", *range(2, 6))]
    agrees_with_rules_by_hand(puzzle, pushed, names, rows * 10 + columns)
    # A blank sees each other cell of its row and column.
    assert len(puzzle.operators) == rows * columns * (rows + columns - 2)
    assert all(puzzle.blank_names[puzzle.blank_names[name]] == name for name in puzzle.move_names)


@pytest.mark.parametrize(
    ("specification", "rows", "columns"), [("torus-ring", 5, 5), ("loopover", 3, 4)]
)
def test_turns_by_any_distance_are_turns_repeated(specification, rows, columns):
    def turned(board, move):
        name, _, places = move.partition("x")
        for _ in range(int(places or 1)):
            board = board and by_hand.torus(board, name)
        return board

    puzzle = make(f"{specification}:metric=any-distance", rows, columns)
    agrees_with_rules_by_hand(puzzle, turned, puzzle.move_names, 7)
    boards = {operator.apply(puzzle.goal) for operator in puzzle.operators}
    lines = rows * (columns - 1) + columns * (rows - 1)
    rings = (16 - 1) + (8 - 1) if specification == "torus-ring" else 0
    assert len(boards) == lines + rings and puzzle.goal not in boards


def test_one_way_rows_turn_by_any_distance_that_way():
    puzzle = make("torus-ring:rows=RL-,columns=---,rings=none,metric=any-distance", 3, 3)
    assert puzzle.move_names == ("R1", "R1x2", "L2", "L2x2")


@pytest.mark.parametrize("specification", ["sliding:metric=any", "torus-ring:metric=multi-tile"])
def test_metrics_that_a_puzzle_does_not_have(specification):
    with pytest.raises(OptionError, match="unknown metric"):
        make_puzzle(specification, 3, 3)


@pytest.mark.parametrize(
    ("specification", "rows", "columns"),
    [
        ("sliding:metric=multi-tile", 3, 4),
        ("torus-ring:rows=*R*-,rings=outer,metric=any-distance", 4, 4),
    ],
)
def test_the_name_of_a_metric_gives_the_same_rules(specification, rows, columns):
    puzzle = make_puzzle(specification, rows, columns)
    again = make_puzzle(puzzle.name, rows, columns)
    assert again.operators == puzzle.operators and again.name == puzzle.name == specification
