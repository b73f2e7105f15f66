import pytest

from plansolve.errors import BoardError
from plansolve.formats import read_problem, write_problem
from plansolve.model.problem import Problem
from plansolve.puzzles.registry import make_puzzle

# A 3x3 Loopover as twsearch's samples define it: one move for each row and column.
LOOPOVER = """\
Name LoopOver3-3
# one orbit
Set TILE 9 1
Solved
TILE
1 2 3 4 5 6 7 8 9
End
Move 1H
TILE
3 1 2 4 5 6 7 8 9
End
Move 2H
TILE
1 2 3 6 4 5 7 8 9
End
Move 3H
TILE
1 2 3 4 5 6 9 7 8
End
Move 1V
TILE
7 2 3 1 5 6 4 8 9
End
Move 2V
TILE
1 8 3 4 2 6 7 5 9
End
Move 3V
TILE
1 2 9 4 5 3 7 8 6
End
"""
START = "Scramble s\nT\n1 2 3\nEnd\n"
SOLVED = "Set T 3 1\nSolved\n"
SHORT = f"Name short\n{SOLVED}End\nMove A\nT\n2 3 1\nEnd\n"
TOPSPIN = """\
Set P 5 1
Solved
P
4 3 2 1 5
End
Move F
P
4 3 2 1 5
End
Move R
P
2 3 4 5 1
End
ScrambleAlg s
R F
R'
End
"""


def test_moves_are_positions_after_the_move():
    problem = read_problem(LOOPOVER + "ScrambleAlg s\n1H\nEnd\n")
    assert problem.start == (3, 1, 2, 4, 5, 6, 7, 8, 9)
    assert (problem.puzzle.rows, problem.puzzle.columns) == (3, 3)
    loopover = make_puzzle("loopover", 3, 3)
    by_name = {op.name: op.apply(loopover.goal) for op in loopover.operators}
    read = {op.name: op.apply(problem.goal) for op in problem.puzzle.operators}
    assert read["1H"] == by_name["R1"]
    assert read["1H'"] == by_name["L1"]
    assert read["2V"] == by_name["D2"]
    assert read["2V'"] == by_name["U2"]
    assert len(read) == 12


def test_a_move_that_is_its_own_inverse_has_no_second_name():
    problem = read_problem(TOPSPIN)
    assert problem.puzzle.name == "Unnamed"
    assert problem.puzzle.move_names == ("F", "R", "R'")
    assert (problem.puzzle.rows, problem.puzzle.columns) == (1, 5)
    assert problem.goal == (4, 3, 2, 1, 5)
    # R: 3 2 1 5 4, then F: 5 1 2 3 4, then R back: 4 5 1 2 3.
    assert problem.start == (4, 5, 1, 2, 3)


def test_an_inverse_that_the_file_defines_keeps_its_name():
    text = SHORT + "Move B\nT\n3 1 2\nEnd\n"
    assert read_problem(text + START).puzzle.move_names == ("A", "B")


def test_every_move_can_be_undone_by_name_in_a_scramble():
    solved = read_problem(TOPSPIN).goal
    for text in ("F F'", "F' F'", "R F F' R'"):
        scrambled = TOPSPIN[: TOPSPIN.index("ScrambleAlg")] + f"ScrambleAlg s\n{text}\nEnd\n"
        assert read_problem(scrambled).start == solved
    both = SHORT + "Move B\nT\n3 1 2\nEnd\nScrambleAlg s\nA' B'\nEnd\n"
    assert read_problem(both).start == (1, 2, 3)


@pytest.mark.parametrize(
    "block",
    [
        "Scramble s\nT\n3 1 2\nEnd",
        "Scramble s\nT\n3 1 2\n0 0 0\nEnd",
        "ScrambleState s\nT\n2 0 1\nEnd",
        "StartState s\nT\n2 0 1\nEnd",
        "ScrambleAlg s\nA A\nEnd",
        "ScrambleAlg s\nA'\nEnd",
    ],
)
def test_ways_to_give_the_start(block):
    assert read_problem(SHORT + block).start == (3, 1, 2)


def test_blocks_that_count_from_0():
    text = (
        "Set T 3 1\nStartState\nT\n0 1 2\nEnd\nMoveTransformation A\nT\n1 2 0\nEnd\n"
        "ScrambleAlg s\nA\nEnd\n"
    )
    assert read_problem(text).start == (2, 3, 1)


def test_the_torus_is_written_and_read():
    puzzle = make_puzzle("torus-ring", 5, 5)
    start = puzzle.operators[0].apply(puzzle.goal)
    text = write_problem(Problem(puzzle, start), "tws")
    assert text.startswith("Name torus-ring\nSet TILE 25 1\n")
    read = read_problem(text)
    assert read.start == start
    assert read.puzzle.move_names == puzzle.move_names
    for ours, theirs in zip(puzzle.operators, read.puzzle.operators, strict=True):
        assert ours.apply(start) == theirs.apply(start)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "Name x",
            "line 1: the definition ends too soon, without Solved and Move; it needs Set, Solved",
        ),
        (SHORT, "line 5: the definition has no start: add one, such as the three lines Scram"),
        ("Set T 3", "line 1: Set is written so: Set NAME PIECES 1"),
        (SHORT + "ScrambleState", "line 9: ScrambleState is written so: ScrambleState NAME"),
        ("Set T 3 2", "line 1: '2' orientations: only 1 is supported"),
        ("Set T 1 1", "line 1: the size of a set is from 2 to 255"),
        ("Set T 256 1", "line 1: the size of a set is from 2 to 255"),
        ("Set T 99999999 1", "line 1: '99999999' is not a number up to 255"),
        ("Set T 3 1\nSet U 3 1", "line 2: a second set: puzzles of one set are supported"),
        ("Name x\nSolved\nEnd", "line 2: Solved comes before Set"),
        (SOLVED + "T\n1 2 3\n", "line 2: Solved has no End"),
        (SOLVED + "U\n1 2 3\nEnd", "line 3: 'U' is not the name of the set, 'T'"),
        (SOLVED + "T\nEnd", "line 3: 3 numbers are expected after the set's name"),
        (SOLVED + "T\n1 2\nEnd", "line 4: 2 numbers, the set has 3"),
        (
            SOLVED + "T\n1 1 2\nEnd",
            "line 4: 1 appears twice, 3 is missing; Solved counts from 1, and the pieces must be",
        ),
        (SOLVED + "T\n1 2 ?\nEnd", "line 4: '?' is not a number up to 255"),
        (SOLVED + "T\n1 2 3\n0 1 0\nEnd", "line 5: orientations are not supported"),
        (SHORT + "Solved\nEnd", "line 9: a second solved position"),
        (SHORT + "Move A\nEnd", "line 9: move A is defined twice"),
        (SHORT + "Move x'\nEnd", "line 9: x' is the name of a rotation of the whole puzzle"),
        (SHORT + "Move Uv\nEnd", "line 9: Uv is the name of a rotation of the whole puzzle"),
        (SHORT + "Move a,b\nEnd", "line 9: 'a,b' is not a name"),
        (SHORT + START + START, "line 13: a second start position: give one"),
        (
            SHORT + "ScrambleState s\nT\n1 2 3\nEnd",
            "line 11: 3 is no tile, 0 is missing; ScrambleState counts from 0",
        ),
        (
            SHORT + "ScrambleAlg s\nA\nA2\nEnd",
            "line 11: 'A2' is no move; a move X can be made as X and X'",
        ),
        (
            SHORT + "Illegal T 1 2 3",
            "line 9: 'Illegal T 1 2 3' is not understood; expected are Name, Set, Solved",
        ),
        (
            SHORT + "Move A'\nT\n2 1 3\nEnd\n" + START,
            'operator "A\'" stands for two different moves in one position',
        ),
    ],
)
def test_damaged_definitions(text, message):
    with pytest.raises(BoardError) as caught:
        read_problem(text)
    assert str(caught.value).startswith(message)
