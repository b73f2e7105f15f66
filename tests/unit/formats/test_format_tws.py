from operator import mul
from random import Random

import pytest

from plansolve.checker import check_plan
from plansolve.errors import BoardError
from plansolve.formats import read_problem, write_problem
from plansolve.instances.predecessors import Predecessors
from plansolve.instances.randomness import Randomness
from plansolve.model.problem import Problem
from plansolve.puzzles.registry import make_puzzle
from plansolve.solvers.engine.solve import solve

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
    assert (problem.puzzle.rows, problem.puzzle.columns) == (3, 3)
    loopover = make_puzzle("loopover", 3, 3)
    by_name = {op.name: op.apply(loopover.goal) for op in loopover.operators}
    read = {op.name: op.apply(problem.goal) for op in problem.puzzle.operators}
    same = {"1H": "R1", "1H'": "L1", "2V": "D2", "2V'": "U2"}
    assert len(read) == 12 and all(read[a] == by_name[b] for a, b in same.items())


GIVEN = {
    "Scramble s\nT\n3 1 2\nEnd": (3, 1, 2),
    "Scramble s\nT\n3 1 2\n0 0 0\nEnd": (3, 1, 2),
    "ScrambleState s\nT\n2 0 1\nEnd": (3, 1, 2),
    "StartState s\nT\n2 0 1\nEnd": (3, 1, 2),
    "ScrambleAlg s\nA A\nEnd": (3, 1, 2),
    "ScrambleAlg s\nA'\nEnd": (3, 1, 2),
}
# From 4 3 2 1 5 by R: 3 2 1 5 4, then F: 5 1 2 3 4, then R back: 4 5 1 2 3.
TURNED = {"R F\nR'": (4, 5, 1, 2, 3)} | dict.fromkeys(
    ["F F'", "F' F'", "R F F' R'"], (4, 3, 2, 1, 5)
)
SPIN = TOPSPIN[: TOPSPIN.index("ScrambleAlg")]
BOTH = SHORT + "Move B\nT\n3 1 2\nEnd\n"


@pytest.mark.parametrize(
    ("text", "start", "names"),
    [
        *((SHORT + block, start, "A A'") for block, start in GIVEN.items()),
        # A move that is its own inverse has no second name, and can be undone by it.
        *((f"{SPIN}ScrambleAlg s\n{a}\nEnd\n", start, "F R R'") for a, start in TURNED.items()),
        # An inverse that the file defines keeps its name.
        (BOTH + START, (1, 2, 3), "A B"),
        (BOTH + "ScrambleAlg s\nA' B'\nEnd\n", (1, 2, 3), "A B"),
        # These blocks count from 0.
        ("Set T 3 1\nStartState\nT\n0 1 2\nEnd\nMoveTransformation A\nT\n1 2 0\nEnd\n"
         "ScrambleAlg s\nA\nEnd\n", (2, 3, 1), "A A'"),
    ],
)  # fmt: skip
def test_ways_to_give_the_start(text, start, names):
    problem = read_problem(text)
    assert problem.start == start
    assert problem.puzzle.move_names == tuple(names.split())
    assert (problem.puzzle.rows, problem.puzzle.columns) == (1, len(start))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "Name x",
            "line 1: the definition ends too soon, without Solved and Move; it needs Set, Solved",
        ),
        (SHORT, "line 5: the definition has no start: add one, such as the three lines Scram"),
        ("Set T 3", "line 1: Set: expected Set NAME PIECES 1"),
        (SHORT + "ScrambleState", "line 9: ScrambleState: expected ScrambleState NAME"),
        ("Set T 3 0", "line 1: pieces must have 1 to 24 orientations"),
        ("Set T 3 25", "line 1: pieces must have 1 to 24 orientations"),
        ("Set T 0 1", "line 1: a set must have one piece or more"),
        ("Set T 1 1\nSolved\nEnd\nMove A\nEnd", "one sticker in all: at least two are needed"),
        ("Set T 400 3", "line 1: the sets have 1200 stickers or more: at most 900"),
        ("Set T 99999999 1", "line 1: '99999999' is not a number of at most"),
        ("Set T 3 1\nSet T 3 1", "line 2: a second set named 'T'"),
        (SOLVED + "End\nSet U 3 1", "line 4: all sets must come before positions and moves"),
        ("Name x\nSolved\nEnd", "line 2: Solved comes before Set"),
        (SOLVED + "T\n1 2 3\n", "line 2: Solved has no End"),
        (SOLVED + "U\n1 2 3\nEnd", "line 3: 'U' is not the name of a set: 'T'"),
        (SOLVED + "T\nEnd", "line 3: after the set's name 3 numbers must follow"),
        (SOLVED + "T\n1 2\nEnd", "line 4: 2 numbers, the set has 3"),
        (SOLVED + "T\n1 1 4\nEnd", "line 4: 4 is not a tile; Solved counts from 1"),
        (SOLVED + "T\n1 2 ?\nEnd", "line 4: '?' is not a number of at most"),
        (SOLVED + "T\n1 2 3\n0 1 0\nEnd", "line 5: orientation 1: T has orientations 0 to 0"),
        (SOLVED + "T\n1 2 3\n0 0\nEnd", "line 5: 2 orientations, the set has 3"),
        (SOLVED + "T\n1 2 3\nT\n1 2 3\nEnd", "line 5: T appears twice"),
        (SHORT + "Solved\nEnd", "line 9: a second solved position"),
        (SHORT + "Move A\nEnd", "line 9: move A is defined twice"),
        (SHORT + "Move x'\nEnd", "line 9: x' names a rotation of the whole puzzle"),
        (SHORT + "Move Uv\nEnd", "line 9: Uv names a rotation of the whole puzzle"),
        (SHORT + "Move a,b\nEnd", "line 9: 'a,b' is not a name"),
        (SHORT + START + START, "line 13: a second start position: give only one"),
        (
            SHORT + "ScrambleState s\nT\n1 2 3\nEnd",
            "line 11: 3 is not a tile, 0 is missing; ScrambleState counts from 0",
        ),
        (
            SHORT + "ScrambleAlg s\nA\nA2\nEnd",
            "line 11: 'A2' is not a move: write moves of this file; A' undoes A",
        ),
        (
            SHORT + "Illegal T 1 2 3",
            "line 9: Illegal: moves that some positions forbid are not supported",
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


# Two corners with three stickers, four edges with one, of which two are alike.
SMALL = """\
Name small
Set CORNER 2 3
Set EDGE 4 1
Solved
EDGE
1 1 2 3
End
Move A
CORNER
2 1
1 2
EDGE
2 3 1 4
End
Move B
EDGE
1 2 4 3
End
"""


def test_sets_orientations_and_pieces_that_are_alike():
    problem = read_problem(SMALL + "ScrambleAlg s\nA\nEnd\n")
    puzzle = problem.puzzle
    assert puzzle.labels == (
        *("0", "CORNER1a", "CORNER1b", "CORNER1c", "CORNER2a", "CORNER2b", "CORNER2c"),
        *("EDGE1", "EDGE2", "EDGE3"),
    )
    assert puzzle.goal == (1, 2, 3, 4, 5, 6, 7, 7, 8, 9)
    # Corner 2 leaves place 2 for place 1, where its first sticker shows on the third side; corner 1
    # leaves place 1 for place 2, where it shows on the second.
    assert problem.start == (5, 6, 4, 3, 1, 2, 7, 8, 7, 9)
    assert puzzle.move_names == ("A", "A'", "B")
    assert not puzzle.is_distinct
    given = read_problem(SMALL + "Scramble s\nCORNER\n2 1\n2 1\nEDGE\n1 2 1 3\nEnd\n")
    assert given == problem


@pytest.mark.parametrize(
    "moves, pieces, twists",
    # As twsearch --showpositions prints them.
    [("A", "2 3 1", "1 2 0"), ("B", "2 3 1", "0 1 2"), ("A B", "3 1 2", "2 1 0")],
)
def test_the_twists_of_a_move_as_twsearch_reads_them(moves, pieces, twists):
    rules = (
        "Set C 3 3\nSolved\nC\n1 2 3\nEnd\nMove A\nC\n2 3 1\n0 1 2\nEnd\n"
        "MoveTransformation B\nC\n1 2 0\n0 1 2\nEnd\n"
    )
    moved = read_problem(f"{rules}ScrambleAlg s\n{moves}\nEnd\n").start
    assert moved == read_problem(f"{rules}Scramble s\nC\n{pieces}\n{twists}\nEnd\n").start


def test_an_orientation_that_may_be_any():
    text = SMALL.replace("Solved\n", "Solved\nCORNER\n1 2\n? 0\n")
    puzzle = read_problem(text + "ScrambleAlg s\nA\nEnd\n").puzzle
    assert puzzle.goal == (1, 1, 1, 2, 3, 4, 5, 5, 6, 7)


class Pieces:
    """Positions as pieces and orientations, as twsearch multiplies them."""

    def __init__(self, sizes, twists):
        self.sizes, self.twists = sizes, twists

    def after(self, position, move):
        return tuple(
            tuple((piece[place][0], (piece[place][1] + turned[place]) % count) for place in places)
            for piece, (places, turned), count in zip(position, move, self.twists, strict=True)
        )


@pytest.mark.parametrize("seed", range(12))
def test_stickers_tell_as_much_as_pieces_and_orientations(seed):
    random = Random(seed)
    sizes = [random.randint(1, 3) for _ in range(random.randint(1, 3))]
    twists = [random.randint(1, 3) for _ in sizes]
    if sum(map(mul, sizes, twists)) < 2:
        sizes[0] += 1
    moves = [
        [
            (random.sample(range(size), size), [random.randrange(count) for _ in range(size)])
            for size, count in zip(sizes, twists, strict=True)
        ]
        for _ in range(2)
    ]
    blocks = [
        f"Set S{n} {size} {count}"
        for n, (size, count) in enumerate(zip(sizes, twists, strict=True))
    ]
    blocks.append("Solved\nEnd")
    for name, move in zip("AB", moves, strict=True):
        blocks.append(f"Move {name}")
        for number, (places, turned) in enumerate(move):
            blocks += [
                f"S{number}",
                " ".join(str(p + 1) for p in places),
                " ".join(map(str, turned)),
            ]
        blocks.append("End")
    rules = Pieces(sizes, twists)
    solved = tuple(tuple((piece, 0) for piece in range(size)) for size in sizes)
    boards, todo = {}, [(solved, ())]
    for position, way in todo:
        if position in boards or len(way) > 6:
            continue
        text = "\n".join([*blocks, "ScrambleAlg s", " ".join(way), "End"])
        boards[position] = read_problem(text).start
        todo += [(rules.after(position, m), (*way, n)) for n, m in zip("AB", moves, strict=True)]
        if len(boards) > 30:
            break
    assert len(set(boards.values())) == len(boards)
    # The same position by another way is the same board.
    for position, way in todo:
        if position in boards:
            text = "\n".join([*blocks, "ScrambleAlg s", " ".join(way), "End"])
            assert read_problem(text).start == boards[position]


@pytest.mark.parametrize(
    ("specification", "rows", "columns"),
    [
        ("torus-ring", 5, 5),
        ("pocket-cube", 6, 4),
        ("pyraminx", 4, 6),
        ("pancake", 1, 9),
        ("top-spin:turnstile=3", 1, 8),
        ("hungarian-rings:apart=2,colours=3", 2, 7),
    ],
)
def test_puzzles_of_any_shape_are_written(specification, rows, columns):
    puzzle = make_puzzle(specification, rows, columns)
    start = Predecessors(puzzle).walk(puzzle.goal, 3, Randomness(1))
    read = read_problem(write_problem(Problem(puzzle, start), "tws"))
    assert read.puzzle.name == puzzle.name
    # The same plan leads from there to the goal; kinds that no board has are not counted.
    kinds = dict(zip(puzzle.kinds, read.puzzle.kinds, strict=True))
    plan = solve(Problem(puzzle, start), engine="breadth-first", optimal=True).plan
    assert len(plan) == 3 and check_plan(read, plan).solves
    assert read.start == tuple(map(kinds.__getitem__, start))
    assert read.puzzle.goal == tuple(map(kinds.__getitem__, puzzle.goal))


def test_one_way_moves_are_not_written():
    # A move of a definition brings its inverse.
    puzzle = make_puzzle("torus-ring:rows=LLL,rings=none", 3, 3)
    with pytest.raises(BoardError, match="the tws format cannot hold this puzzle and goal"):
        write_problem(Problem(puzzle, puzzle.goal), "tws")
