"""The contract of every family, its rules against rules written by hand, and published figures.

How many boards there are at each distance is in `tests/conformance/test_depth_counts.py`.
"""

from collections import Counter
from hashlib import sha256
from random import Random

import pytest
from support.fixtures.cases import make
from support.reference import rules as by_hand
from support.reference.oracle import Rules

from plansolve.checker import check_plan
from plansolve.errors import BoardError, GoalError, OptionError
from plansolve.formats import read_problem
from plansolve.model.problem import Problem
from plansolve.puzzles.lloyd import lloyd
from plansolve.puzzles.registry import (
    DEFAULT_PUZZLE,
    FAMILIES,
    default_size_of,
    goals_of,
    make_puzzle,
    named_goal,
    puzzle_with,
)
from plansolve.puzzles.sliding import snail
from plansolve.puzzles.torus_ring import torus_ring


def of(specification):
    return make_puzzle(specification, *default_size_of(specification))


@pytest.mark.parametrize("name", FAMILIES)
def test_a_family_describes_the_boards_that_it_makes(name):
    family = FAMILIES[name]
    # These stand for a board of which only the gaps are known.
    assert [puzzle_with(gaps) for gaps in range(3)] == ["torus-ring", "sliding", "sliding-gaps:2"]
    assert family.presets
    assert set(family.positional) <= set(family.parameters)
    for rows, columns in {family.default_size, *((p.rows, p.columns) for p in family.presets)}:
        puzzle = make_puzzle(name, rows, columns)
        assert make_puzzle(puzzle.name, rows, columns) == puzzle
        assert puzzle.goal == named_goal(name, next(iter(family.goals)), rows, columns)
        assert puzzle.has_blank == family.has_blank
        assert not family.labels or puzzle.labels == family.labels[: len(puzzle.labels)]
        assert {move.lower() for move in puzzle.move_names} >= family.words.keys()
        effects = {op.apply(puzzle.goal) for op in puzzle.operators if op.applies_to(puzzle.goal)}
        # Gaps may change places with each other.
        assert puzzle.goal not in effects or puzzle.gaps > 1
        assert all(sorted(board) == sorted(puzzle.goal) for board in effects)
        with pytest.raises(BoardError, match=r"the goal has 0($| gaps)"):
            make_puzzle(name, rows, columns, ())


@pytest.mark.parametrize(
    ("specification", "size", "name"),
    [
        ("torus-ring:rings=outer+inner", (4, 5), "torus-ring"),
        ("torus-ring:rings=inner+outer", (4, 5), None),
        ("torus-ring:rings=outer", (4, 5), None),
        ("torus-ring:rows=lrlr", (4, 5), "torus-ring:rows=LRLR"),
        ("torus-ring:rows=****,columns=*****", (4, 5), "torus-ring"),
        ("torus-ring:columns=U-*DU,rows=*--R", (4, 5), "torus-ring:rows=*--R,columns=U-*DU"),
        ("torus-ring:rows=*R*-,rings=outer,metric=any-distance", (4, 4), None),
        ("loopover", (4, 5), "torus-ring:rings=none"),
        ("loopover:rows=LRLR", (4, 5), "torus-ring:rows=LRLR,rings=none"),
        ("sliding:metric=multi-tile", (3, 4), None),
        ("sliding:walls=6-2+5-1+1-2,holes=11+6", (4, 4), "sliding:holes=6+11,walls=1-2+1-5"),
        ("sliding-gaps", (3, 3), "sliding-gaps:2"),
        ("sliding-gaps:holes=9+5,walls=1-2", (3, 3), "sliding-gaps:2,holes=5+9,walls=1-2"),
        ("hungarian-rings:20,5", (2, 19), "hungarian-rings"),
        (
            "hungarian-rings:ring=8,apart=2,colours=3,metric=any-distance",
            (2, 7),
            "hungarian-rings:apart=2,colours=3,metric=any-distance",
        ),
        ("top-spin:12,3", (1, 12), "top-spin:turnstile=3"),
        ("top-spin:turnstile=3,size=12", (1, 12), "top-spin:turnstile=3"),
        ("pancake:6", (1, 6), "pancake"),
        ("pocket-cube:metric=quarter-turn", (6, 4), None),
    ],
)
def test_a_puzzle_s_name_builds_the_same_rules_again(specification, size, name):
    puzzle = make_puzzle(specification, *size)
    assert puzzle.name == (name or specification)
    assert make_puzzle(puzzle.name, *size) == puzzle
    # Those with a size in their name tell that of new boards.
    if specification.partition(":")[2][:1].isdigit() and "gaps" not in specification:
        assert default_size_of(specification) == size
    goals = goals_of(puzzle)
    assert goals and all(make_puzzle(specification, *size, g).goal == b for g, b in goals.items())


@pytest.mark.parametrize("name", [n for n, f in FAMILIES.items() if f.size_key in f.parameters])
def test_the_least_and_the_largest_size_have_boards(name):
    family = FAMILIES[name]
    assert default_size_of("top-spin") == (1, 20) and default_size_of(DEFAULT_PUZZLE) == (4, 4)
    for size in (family.least, family.most):
        rest = {"top-spin": ",2", "hungarian-rings": ",1"}.get(name, "")
        assert of(f"{name}:{size}{rest}").cells >= size
    for size in ("x", family.least - 1, family.most + 1, 9999):
        wanted = f"{family.size_key}={size}: a number from {family.least} to {family.most} is"
        with pytest.raises(OptionError, match=wanted):
            default_size_of(f"{name}:{size}")


WRONG = [
    ("slidign", (3, 3), "unknown puzzle 'slidign': choose from sliding, lloyd, torus-ring"),
    ("lloyd:rows=LR", (3, 3), "puzzle lloyd has no parameter 'rows=LR'; its parameters: none"),
    ("loopover:rings=outer", (5, 5), "has no parameter 'rings=outer'; its parameters: rows="),
    ("torus-ring:rings", (5, 5), "puzzle torus-ring has no parameter 'rings'"),
    ("torus-ring:ring=outer", (5, 5), "has no parameter 'ring=outer'"),
    ("torus-ring:rows=LR", (5, 5), "'LR': a letter for each row is needed, 5 in all"),
    ("torus-ring:columns=UDUDUD", (5, 5), "'UDUDUD': a letter for each column is needed"),
    ("torus-ring:rows=LRLRU", (5, 5), "row 5 cannot turn 'U': use one of R L * -"),
    ("torus-ring:columns=L****", (5, 5), "column 1 cannot turn 'L': use one of D U * -"),
    ("torus-ring:rings=middle", (5, 5), "there is no ring 'middle': the rings are outer and"),
    ("torus-ring:rings=outer+outer", (5, 5), "operator 'Oc' stands for two different moves"),
    ("torus-ring", (3, 3), "a board of 3x3 has no inner ring that could turn"),
    ("torus-ring", (1, 5), "a board of 1x5 has no outer ring that could turn"),
    ("torus-ring:metric=multi-tile", (5, 5), "unknown metric 'multi-tile': choose from one-pl"),
    ("lloyd", (4, 5), "a board of 4x5 has no centre tile: both sides must be odd"),
    ("lloyd", (5, 7), "a board of 5x7 has more tiles than there are letters"),
    ("sliding", (1, 1), "a board of 1x1 is out of range: a side has 1 to 30 cells"),
    ("sliding", (0, 3), "a board of 0x3 is out of range"),
    ("sliding:metric=any", (3, 3), "unknown metric 'any': choose from single-tile, multi-tile"),
    ("sliding:holes=10", (3, 3), "there is no cell 10: the board has 9"),
    ("sliding:holes=x", (3, 3), "'x' is not a cell: cells are numbers from 1"),
    ("sliding:holes=", (3, 3), "'' is not a cell: cells are numbers"),
    ("sliding:holes=1+2+3+4+5+6+7+8", (3, 3), "8 of 9 cells: at least two must be left"),
    ("sliding:walls=1", (3, 3), "walls=1: two cells are expected"),
    ("sliding:walls=1-3", (3, 3), "walls: 1 and 3 are not neighbours"),
    ("sliding:walls=3-4", (3, 3), "walls: 3 and 4 are not neighbours"),
    ("sliding-gaps:2,holes=1+2+3+4", (2, 3), "2 cells are too few for two gaps and a tile"),
    ("sliding-gaps:4,holes=1+2", (2, 3), "gaps=4: a number from 2 to 3 is expected on a board"),
    ("sliding-gaps:1", (2, 3), "gaps=1: a number from 2 to 5 is expected on a board of 6"),
    ("sliding-gaps:6", (2, 3), "gaps=6: a number from 2 to 5 is expected on a board of 6"),
    ("sliding-gaps:gaps=two", (2, 3), "gaps=two: a number from 2 to 5 is expected"),
    ("sliding-gaps:2,3", (2, 3), "has no parameter '3'"),
    ("pancake:10", (1, 9), "the board has 9 tiles, not 10"),
    ("pancake", (2, 5), "the board has 2 rows, not one"),
    ("pancake:10,3", (1, 10), "puzzle pancake has no parameter '3'"),
    ("top-spin:9,10", (1, 9), "turnstile=10: a number from 2 to 8 is expected for a ring of 9"),
    ("top-spin:9,1", (1, 9), "turnstile=1: a number from 2 to 8 is expected for a ring of 9"),
    ("top-spin:3,9", (1, 3), "turnstile=9: 2 is expected for a ring of 3 tiles"),
    ("top-spin", (1, 4), "turnstile=4: a number from 2 to 3 is expected"),
    ("top-spin:9,x", (1, 9), "turnstile=x: a number from 2 to 8 is expected"),
    ("top-spin", (1, 2), "the board has 2 tiles: at least 3 are needed"),
    ("pocket-cube", (4, 6), "a pocket cube has 6 lines of 4 stickers, one for each face"),
    ("pyraminx", (6, 4), "a pyraminx has 4 lines of 6 stickers, one for each face"),
    ("hungarian-rings", (1, 19), "the board has 1 row, not one for each ring"),
    ("hungarian-rings:9", (2, 7), "the rings have 8 balls, not 9"),
    ("hungarian-rings:9,4", (2, 8), "apart=4: a number from 1 to 3 is expected for rings of 9"),
    ("hungarian-rings:9,0", (2, 8), "apart=0: a number from 1 to 3 is expected"),
    ("hungarian-rings:9,x", (2, 8), "apart=x: a number from 1 to 3 is expected"),
    ("hungarian-rings", (2, 3), "apart=5: 1 is expected for rings of 4 balls"),
    ("hungarian-rings", (2, 1), "the rings have 2 balls: at least 3 are needed"),
    ("hungarian-rings:colours=2", (2, 19), "colours=2: choose from numbers, 3, 4"),
]
WRONG_GOALS = [
    ("sliding", "snial", OptionError, "unknown goal 'snial' for sliding: choose blank-last, b"),
    ("lloyd", "snail", OptionError, "unknown goal 'snail' for lloyd: choose blank-last"),
    ("torus-ring:rings=none", "snail", OptionError, "unknown goal 'snail' for torus-ring: cho"),
    ("slidign", "snail", OptionError, "unknown puzzle 'slidign'"),
    ("sliding", tuple(range(1, 10)), BoardError, "the pieces are not kinds from 0 to 8"),
    ("loopover", (1, 2, 3, 4, 5, 6, 7, 0, 0), BoardError, "rings=none, which has no gap"),
    ("sliding-gaps", (1, 2, 3, 4, 5, 6, 7, 8, 0), BoardError, "the goal has 1 gap, not 2"),
    ("sliding:holes=5", (*range(1, 9), 0), BoardError, "goal has 5 in row 2 column 2, where"),
]
# What cannot be said at all is an error about an option, what does not fit is one of the board.
UNSAYABLE = ("unknown ", "no parameter", "expected", "is not a cell: ", "choose from")


@pytest.mark.parametrize(
    ("specification", "size", "goal", "error", "message"),
    [
        *(
            (name, size, None, OptionError if any(u in m for u in UNSAYABLE) else BoardError, m)
            for name, size, m in WRONG
        ),
        *((name, (3, 3), goal, error, message) for name, goal, error, message in WRONG_GOALS),
        # The size is looked at before a goal of that size is made.
        ("sliding", (10**9, 3), "snail", BoardError, "a board of 1000000000x3 is out of range"),
    ],
)
def test_what_is_wrong_is_refused_with_what_would_be_right(
    specification, size, goal, error, message
):
    with pytest.raises(error) as caught:
        make_puzzle(specification, *size, goal)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("specification", "size", "goal", "board"),
    [
        # 42 school's subject shows the snail of sides 3 and 4.
        ("sliding", (3, 3), "snail", "1 2 3/8 . 4/7 6 5"),
        ("sliding", (4, 4), "snail", "1 2 3 4/12 13 14 5/11 . 15 6/10 9 8 7"),
        ("sliding", (2, 5), "snail", "1 2 3 4 5/. 9 8 7 6"),
        ("sliding", (5, 2), "snail", "1 2/. 3/9 4/8 5/7 6"),
        ("sliding", (1, 4), "snail", "1 2 3 ."),
        ("sliding", (4, 1), "snail", "1/2/3/."),
        ("sliding", (3, 2), "snail", "1 2/. 3/5 4"),
        ("sliding", (2, 2), "snail", "1 2/. 3"),
        ("sliding", (2, 3), "blank-last", "1 2 3/4 5 ."),
        ("sliding", (2, 3), "blank-first", ". 1 2/3 4 5"),
        ("sliding:holes=5", (3, 3), "blank-last", "1 2 3/4 - 5/6 7 ."),
        ("sliding:holes=8+9", (3, 3), "blank-last", "1 2 3/4 5 6/. - -"),
        ("sliding:holes=1+5", (3, 3), "blank-first", "- . 1/2 - 3/4 5 6"),
        ("sliding:holes=5", (3, 3), "snail", "1 2 3/. - 4/7 6 5"),
        ("sliding:holes=2", (3, 3), "snail", "1 - 2/7 . 3/6 5 4"),
        ("sliding-gaps", (2, 3), "blank-last", "1 2 3/4 . ."),
        ("sliding-gaps", (2, 3), "blank-first", ". . 1/2 3 4"),
        ("sliding-gaps", (2, 3), "snail", "1 2 3/. . 4"),
        ("sliding-gaps:holes=9+5", (3, 3), "blank-last", "1 2 3/4 - 5/. . -"),
        ("sliding-gaps:holes=9+5", (3, 3), "blank-first", ". . 1/2 - 3/4 5 -"),
        ("sliding-gaps:holes=9+5", (3, 3), "snail", "1 2 3/. - 4/. 5 -"),
        ("torus-ring:rings=none", (2, 2), "in-order", "1 2/3 4"),
        ("lloyd", (3, 3), "blank-last", "A B C/D E F/G H +"),
    ],
)
def test_named_goals(specification, size, goal, board):
    puzzle = make_puzzle(specification, *size, goal)
    assert puzzle.line_text(puzzle.goal) == board.replace("/", " / ").replace(".", "0")
    assert specification != "sliding" or goal != "snail" or snail(*size) == puzzle.goal


# Rules


def agrees_with_rules_by_hand(puzzle, rule, names):
    """On random boards each name means the same to both, or is illegal to both."""
    random = Random(puzzle.title)
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


def repeated(rule, name_and_times):
    """The rule whose moves have a number of times, told apart by `name_and_times`."""

    def after(board, move):
        name, times = name_and_times(move)
        for _ in range(int(times or 1)):
            board = board and rule(board, name)
        return board

    return after


def torus_names(rows, columns, without=""):
    return [
        *(f"{way}{n}" for way in "RL" for n in range(1, rows + 1)),
        *(f"{way}{n}" for way in "DU" for n in range(1, columns + 1)),
        *(name for name in ("Oc", "Occ", "Ic", "Icc") if name[0] not in without),
        *("R9", "U0"),
    ]


pushed = repeated(by_hand.slide, lambda move: (move[0], move[1:]))
turned = repeated(by_hand.torus, lambda move: move.partition("x")[::2])
PUSHES = [f"{way}{count}" for way in "UDLR" for count in ("", *range(2, 6))]


@pytest.mark.parametrize(
    ("specification", "size", "rule", "names"),
    [
        *(
            (specification, size, rule, names)
            for size in ((1, 4), (4, 1), (2, 2), (2, 3), (3, 2), (3, 3), (3, 5), (4, 4), (5, 5))
            for specification, rule, names in (
                ("sliding", by_hand.slide, "UDLRudlrt"),
                ("sliding:metric=multi-tile", pushed, PUSHES),
            )
        ),
        *(
            ("lloyd", size, by_hand.lloyd, "durltUDLR")
            for size in ((1, 3), (3, 1), (1, 5), (3, 3), (3, 5), (5, 5))
        ),
        *(
            ("torus-ring", size, by_hand.torus, torus_names(*size))
            for size in ((4, 4), (4, 5), (5, 4), (5, 5), (6, 5), (6, 6))
        ),
        *(
            ("loopover", size, by_hand.torus, torus_names(*size, "OI"))
            for size in ((2, 2), (2, 3), (3, 3), (5, 5))
        ),
        ("torus-ring:rings=outer", (3, 4), by_hand.torus, torus_names(3, 4, "I")),
        (
            "torus-ring:rows=LR*-,columns=UD-*U,rings=inner",
            (4, 5),
            by_hand.torus,
            ["L1", "R2", "R3", "L3", "U1", "D2", "U4", "D4", "U5", "Ic", "Icc"],
        ),
        ("torus-ring:rings=none", (1, 5), by_hand.torus, ["R1", "L1"]),
        ("torus-ring:rings=none", (5, 1), by_hand.torus, ["D1", "U1"]),
        (
            "torus-ring:rows=RL-,columns=---,rings=none,metric=any-distance",
            (3, 3),
            turned,
            ["R1", "R1x2", "L2", "L2x2"],
        ),
    ],
)
def test_moves_do_what_the_hand_written_rules_do(specification, size, rule, names):
    puzzle = make(specification, *size)
    agrees_with_rules_by_hand(puzzle, rule, names)
    if specification.endswith("multi-tile"):
        # A blank sees each other cell of its row and column.
        assert len(puzzle.operators) == puzzle.cells * (sum(size) - 2)
    if puzzle.has_blank:
        assert all(puzzle.blank_names[puzzle.blank_names[n]] == n for n in puzzle.move_names)


@pytest.mark.parametrize(
    ("specification", "size", "turns"),
    [("torus-ring", (5, 5), 40 + 15 + 7), ("loopover", (3, 4), 17)],
)
def test_turns_by_any_distance_are_turns_repeated(specification, size, turns):
    puzzle = make(f"{specification}:metric=any-distance", *size)
    agrees_with_rules_by_hand(puzzle, turned, puzzle.move_names)
    boards = {operator.apply(puzzle.goal) for operator in puzzle.operators}
    assert len(boards) == turns and puzzle.goal not in boards


def test_both_conventions_of_move_names_are_each_other_s_mirror():
    assert dict(make("sliding", 3, 3).blank_names) == {"U": "D", "D": "U", "L": "R", "R": "L"}
    assert dict(lloyd(3, 3).blank_names) == {"u": "d", "d": "u", "l": "r", "r": "l", "t": "t"}
    assert not torus_ring().blank_names
    # Told as the blank's motion, D takes the blank one row up.
    board = (1, 2, 3, 4, 0, 5, 6, 7, 8)
    for name, row_change in (("D", -1), ("U", 1)):
        after = make("sliding", 3, 3).applicable(board)[name].apply(board)
        assert after.index(0) // 3 - 1 == row_change


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
    # AT&T Programmer of the Month: dddrrdt from the perfect square, with the rows that it prints.
    puzzle = lloyd()
    boards = Rules.of(puzzle).replay(puzzle.goal, "dddrrdt")
    rows = [puzzle.board_text(board).replace(" ", "").split() for board in boards]
    assert [row[0] for row in rows] == ["ABCDE"] * 6 + ["AB+DE", "ABMDE"]
    assert [row[1] for row in rows[3:]] == ["FGHI+", "FGH+I", "FG+HI", "FGCHI", "FGCHI"]
    assert [row[2] for row in rows[1:4]] == ["KLMNO", "KLMN+", "KLMNJ"]
    assert rows[-1] == ["ABMDE", "FGCHI", "KL+NJ", "PQRSO", "UVWXT"]
    assert check_plan(Problem(puzzle, puzzle.goal), "dddrrdt").board == boards[-1]


@pytest.mark.parametrize(
    ("specification", "digest"),
    [
        ("pocket-cube", "bd096edc10431c7d"),
        ("pocket-cube:metric=quarter-turn", "957ef95b1c997303"),
        ("pyraminx", "a1e39310cb407572"),
    ],
)
def test_the_rules_in_files_are_those_that_a_program_made(specification, digest):
    """The digests are of puzzles that were computed from the geometry of the bodies."""
    puzzle = of(specification)
    operators = [(o.name, o.moves, o.blank, o.penalty) for o in puzzle.operators]
    layout = puzzle.layout
    places = [(float(x), float(y)) for x, y in layout.positions]
    drawn = (places, layout.edges, layout.holes, layout.colours, layout.round)
    parts = (puzzle.name, puzzle.rows, puzzle.columns, puzzle.goal, operators, puzzle.labels, drawn)
    assert sha256(repr(parts).encode()).hexdigest()[:16] == digest


def test_a_ring_begins_with_tile_1():
    told = "has 2 in row 1 column 1, where all boards have 1"
    with pytest.raises(BoardError, match=told):
        make_puzzle("top-spin", 1, 6, (2, 1, 3, 4, 5, 6))
    # A ring that was only turned is not to be called unsolvable.
    with pytest.raises(BoardError, match=told):
        read_problem("2 1 3 4 5 6", puzzle="top-spin")
    with pytest.raises(BoardError, match=told):
        Problem(make_puzzle("top-spin", 1, 6), (2, 1, 3, 4, 5, 6))
    with pytest.raises(BoardError, match="has C in row 1 column 1, where all boards have A"):
        read_problem("C C B D A B", puzzle="top-spin", goal="A B B C C D")
    with pytest.raises(GoalError, match="fixed: every board must have just one piece A"):
        read_problem("A A B C D E", puzzle="top-spin", goal="A B A C D E")


# Hungarian rings: two rings that cross, as Jaap Scherphuis describes them, and in colours

UPPER, LOWER = 0, 19


def turn(puzzle, name):
    """Return the cell to which a turn takes the content of each cell."""
    (operator,) = (op for op in puzzle.operators if op.name == name)
    return {source: cell for cell, source in operator.moves}


def way(goes, cell, end):
    """The cells from one to another, along a turn."""
    cells = [cell]
    while cells[-1] != end:
        cells.append(goes[cells[-1]])
    return cells


def test_the_rings_cross_where_they_do_on_the_classic():
    puzzle = of("hungarian-rings")
    left, right = turn(puzzle, "L"), turn(puzzle, "R")
    assert len(left) == len(right) == 20 and left.keys() & right.keys() == {UPPER, LOWER}
    assert left.keys() | right.keys() == set(range(38))
    # Four balls between the crossings, and clockwise from the lower one the left ring goes round
    # outside, the right one inside.
    assert len(way(left, LOWER, UPPER)) - 1 == len(way(right, UPPER, LOWER)) - 1 == 15
    assert len(way(left, UPPER, LOWER)) - 1 == len(way(right, LOWER, UPPER)) - 1 == 5
    assert turn(puzzle, "L'") == {to: source for source, to in left.items()}


@pytest.mark.parametrize(
    "specification", ["hungarian-rings", "hungarian-rings:7,2", "hungarian-rings:4,1"]
)
def test_clockwise_is_clockwise_in_the_picture(specification):
    puzzle = of(specification)
    places = puzzle.layout.positions
    for name in "LR":
        pairs = [(places[a], places[b]) for a, b in turn(puzzle, name).items()]
        # Twice the area inside, y going down, by the shoelace formula.
        assert sum(x * v - u * y for (x, y), (u, v) in pairs) > 0
        sides = [((x - u) ** 2 + (y - v) ** 2) ** 0.5 for (x, y), (u, v) in pairs]
        assert max(sides) - min(sides) < 0.01 and min(sides) > 1


@pytest.mark.parametrize(
    ("specification", "colours"),
    [
        # Jaap's Puzzle Page: ten black, ten red, nine yellow, nine blue.
        ("hungarian-rings:colours=4", {"R": 10, "K": 10, "Y": 9, "B": 9}),
        # The same, Rubik's Rings: the five balls between the crossings and these are yellow.
        ("hungarian-rings:18,6,colours=3", {"R": 11, "B": 11, "Y": 12}),
    ],
)
def test_the_colours_are_those_of_the_toys(specification, colours):
    puzzle = of(specification)
    assert Counter(puzzle.labels[ball] for ball in puzzle.goal) == colours
    # Each colour is in one piece: a walk along the rings meets all of it.
    for kind in set(puzzle.goal):
        cells = {cell for cell, ball in enumerate(puzzle.goal) if ball == kind}
        seen, edges = {min(cells)}, puzzle.layout.edges
        for _ in cells:
            seen |= {b for a, b in edges if a in seen} | {a for a, b in edges if b in seen}
            seen &= cells
        assert seen == cells
    assert goals_of(puzzle) == {"in-order": puzzle.goal}
    # The crossings of four colours are in rows of their own colours.
    assert "colours=3" in specification or puzzle.goal[UPPER] != puzzle.goal[LOWER]


def test_rings_turn_by_any_distance_as_they_turn_again_and_again():
    puzzle, one = of("hungarian-rings:6,2,metric=any-distance"), of("hungarian-rings:6,2")
    assert puzzle.move_names[:6] == ("L", "L2", "L3", "L'", "L2'", "L3'")
    for name in puzzle.move_names:
        times = int(name[1:].strip("'") or 1)
        plan = [name[0] + "'" * name.endswith("'")] * times
        board = Rules.of(one).replay(one.goal, plan)[-1]
        assert puzzle.applicable(puzzle.goal)[name].apply(puzzle.goal) == board
