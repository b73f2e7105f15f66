import json
from dataclasses import replace

import pytest

from plansolve.errors import BoardError, OptionError
from plansolve.formats import read_problem, write_problem
from plansolve.model.problem import Problem
from plansolve.model.puzzle import Operator
from plansolve.puzzles.registry import make_puzzle

SWAP = {
    "name": "swap",
    "rows": 1,
    "columns": 3,
    "goal": [[1, 2, 3]],
    "operators": [
        {"name": "A", "moves": [[0, 1], [1, 0]], "blank": None},
        {"name": "B", "moves": [[1, 2], [2, 1]]},
    ],
}
HOP = {
    "name": "hop",
    "rows": 1,
    "columns": 3,
    "goal": ["ab_"],
    "operators": [
        {"name": "in", "moves": [[2, 0], [0, 2]], "blank": 2},
        {"name": "out", "moves": [[0, 2], [2, 0]], "blank": 0},
    ],
    "labels": ["_", "a", "b"],
    "blank_names": {"in": "west", "out": "east"},
}


def read(document, **arguments):
    return read_problem(json.dumps(document), **arguments)


TORUS_OF_OUTER = "torus-ring:rings=outer"


@pytest.mark.parametrize(
    ("document", "puzzle", "start"),
    [
        ({"puzzle": "sliding", "board": [[1, 2], [3, 0]], "goal": "snail"},
         ("sliding", 2, 2, "snail"), (1, 2, 3, 0)),
        ({"puzzle": "torus-ring:rings=none", "board": [[2, 1, 3], [4, 5, 6]]},
         ("torus-ring:rings=none", 2, 3), (2, 1, 3, 4, 5, 6)),
        *(({"board": board}, ("sliding", 2, 3), (4, 1, 2, 0, 5, 3)) for board in (
            [[4, 1, 2], [0, 5, 3]], ["4 1 2", ". 5 3"], ["412", "x53"],
            [["4", "1", "2"], ["_", 5, 3]])),
        ({"puzzle": "lloyd", "board": ["ABC", "D+F", "GHE"], "goal": ["ABC", "DEF", "GH+"]},
         ("lloyd", 3, 3), (1, 2, 3, 4, 0, 6, 7, 8, 5)),
        ({"board": ["1 2 3", "4 - 6", "7 5 ."], "goal": ["1 2 .", "3 - 4", "5 6 7"]},
         ("sliding:holes=5", 3, 3, (1, 2, 0, 3, 8, 4, 5, 6, 7)), (1, 2, 3, 4, 8, 6, 7, 5, 0)),
        # One list of numbers is a square, or what the document says.
        ({"board": [4, 1, 2, 0, 5, 3], "rows": 2}, ("sliding", 2, 3), (4, 1, 2, 0, 5, 3)),
        ({"board": [4, 1, 2, 0, 5, 3], "columns": 2}, ("sliding", 3, 2), (4, 1, 2, 0, 5, 3)),
        ({"board": [4, 1, 2, 0, 5, 3]}, ("sliding", 1, 6), (4, 1, 2, 0, 5, 3)),
        ({"board": [1, 2, 3, 0], "goal": [0, 1, 2, 3]},
         ("sliding", 2, 2, (0, 1, 2, 3)), (1, 2, 3, 0)),
        # A result of plansolve is a board.
        ({"schema": "plansolve.result/1", "puzzle": TORUS_OF_OUTER, "start": [[2, 1], [3, 4]],
          "goal": [[1, 2], [3, 4]], "boards": [], "status": "optimal", "plan": ["R1"]},
         (TORUS_OF_OUTER, 2, 2), (2, 1, 3, 4)),
    ],
)  # fmt: skip
def test_puzzle_board_and_goal_of_a_document(document, puzzle, start):
    problem = read(document)
    assert (problem.puzzle, problem.start) == (make_puzzle(*puzzle), start)


@pytest.mark.parametrize(
    ("board", "goal", "puzzle"),
    [
        (["RATE", "Y.YR"], ["RATE", "YRY."], "sliding"),
        (["R A T", "_ A E"], ["RAT", [".", "A", "E"]], None),
        ([["X", "A"], ["A", "X"]], ["AA", "XX"], "loopover"),
        (["AB-", "BA."], ["A*-", "**."], None),
        (["AB.", "B.A"], ["A*.", "**."], None),
        (["YRRY", "YBBY"], ["YRRY", "YBYB"], "hungarian-rings:apart=2,colours=3"),
    ],
)
def test_letters_are_those_of_text(board, goal, puzzle):
    def text(rows):
        return "\n".join("".join(row).replace(" ", "") for row in rows)

    written = read_problem(f"{text(board)}\ngoal:\n{text(goal)}", format="letters", puzzle=puzzle)
    told = {} if puzzle is None else {"puzzle": puzzle}
    assert read({"board": board, "goal": goal} | told) == written
    spaced = "\n".join(" ".join(row) for row in text(goal).split("\n"))
    assert read({"board": board} | told, goal=spaced) == written


def test_long_names_of_puzzles_are_written_and_read():
    walls = "+".join(f"{cell}-{cell + 1}" for cell in range(1, 100) if cell % 10)
    puzzle = make_puzzle(f"sliding:holes=5,walls={walls}", 10, 10)
    assert len(puzzle.name) > 300
    lettered = replace(puzzle, labels=(".", *puzzle.labels[1:]))
    for rules in (puzzle, lettered):
        problem = Problem(rules, rules.goal)
        assert read_problem(write_problem(problem, "json")) == problem
    twice = [[0] * 10 for _ in range(10)]
    with pytest.raises(
        BoardError, match=r"boards of sliding:holes=5,walls=1-2.*\.\.\. have"
    ) as caught:
        read({"puzzle": puzzle.name, "board": twice})
    assert len(str(caught.value)) < 500
    for specification, rows, columns in (("sliding", 1, 3), ("sliding:metric=multi-tile", 2, 4)):
        rules = replace(make_puzzle(specification, rows, columns), name="named,so")
        assert read_problem(write_problem(Problem(rules, rules.goal), "json")).puzzle == rules
    with pytest.raises(BoardError, match=r"name: 'b\[c' is not a name"):
        read({"puzzle": SWAP | {"name": "a,b[c"}, "board": [[3, 1, 2]]})
    spaced = read({"puzzle": SWAP | {"name": " two  rings"}, "board": [[3, 1, 2]]})
    assert spaced.puzzle.name == "two-rings"


def test_arguments_stand_above_the_document():
    document = {"puzzle": "sliding", "board": [[1, 2, 3], [4, 5, 6], [7, 8, 0]], "goal": "snail"}
    problem = read(document, puzzle="lloyd", goal="blank-last")
    assert problem.puzzle == make_puzzle("lloyd", 3, 3)


@pytest.mark.parametrize("key", ["board", "start", "initial", "initial_state", "tiles"])
@pytest.mark.parametrize("board", ["867254301", "8 6 7/2 5 4/3 0 1", "8 6 7\n2 5 4\n3 . 1"])
def test_boards_of_other_programs(key, board):
    problem = read({key: board, "goal_state": "snail", "title": "homework"})
    assert problem == read({"board": [[8, 6, 7], [2, 5, 4], [3, 0, 1]], "goal": "snail"})


def test_rules_that_a_user_defines():
    problem = read({"puzzle": SWAP, "board": [[3, 2, 1]]})
    puzzle = problem.puzzle
    assert (puzzle.name, puzzle.rows, puzzle.columns) == ("swap", 1, 3)
    assert puzzle.goal == (1, 2, 3)
    assert puzzle.operators == (Operator("A", ((0, 1), (1, 0))), Operator("B", ((1, 2), (2, 1))))
    assert puzzle.labels == ("0", "1", "2", "3")
    assert problem.start == (3, 2, 1)


def test_rules_with_a_blank_and_labels():
    problem = read({"puzzle": HOP, "board": ["_ba"]})
    assert problem.start == (0, 2, 1)
    assert problem.goal == (1, 2, 0)
    assert problem.puzzle.operators[0] == Operator("in", ((2, 0), (0, 2)), 2)
    assert problem.puzzle.blank_names == {"in": "west", "out": "east"}
    assert read({"puzzle": HOP, "board": ["_ba"], "goal": [[2, 1, 0]]}).goal == (2, 1, 0)
    assert read_problem(write_problem(problem, "json")) == problem
    with pytest.raises(OptionError, match="puzzle hop has no named goals: give the goal's board"):
        read({"puzzle": HOP, "board": ["ab_"], "goal": "snail"})


def test_a_puzzle_of_no_family_is_written_with_its_rules():
    puzzle = make_puzzle("torus-ring:rows=LRL,rings=none", 3, 3)
    text = write_problem(Problem(puzzle, puzzle.goal), "json")
    assert json.loads(text)["puzzle"] == "torus-ring:rows=LRL,rings=none"
    text = write_problem(Problem(replace(puzzle, name="mine"), puzzle.goal), "json")
    assert json.loads(text)["puzzle"]["operators"][0] == {
        "name": "L1",
        "moves": [[1, 2], [0, 1], [2, 0]],
        "blank": None,
    }
    assert json.loads(write_problem(read({"board": [[1, 0]]}), "json")) == {
        "puzzle": "sliding",
        "board": [[1, 0]],
        "goal": [[1, 0]],
    }


LAYOUT = {"positions": [[0, 0], [1, 0], [1.5, 2]], "edges": [[0, 1]]}


@pytest.mark.parametrize("more", [{}, {"holes": [1], "colours": ["#ff8800"], "round": True}])
def test_a_layout_is_kept_and_is_no_rule(more):
    rules = {**HOP, "layout": LAYOUT | more}
    problem = read({"puzzle": rules, "board": ["_ba"]})
    assert problem == read({"puzzle": HOP, "board": ["_ba"]})
    layout = problem.puzzle.layout
    assert layout.positions == ((0, 0), (1, 0), (1.5, 2)) and layout.edges == ((0, 1),)
    assert (layout.holes, layout.colours, layout.round) == (
        ((1,), ("#ff8800",), True) if more else ((), (), False)
    )
    again = read_problem(write_problem(problem, "json"))
    assert again.puzzle.layout == problem.puzzle.layout
    assert read({"puzzle": rules, "board": ["_ba"], "goal": ["b_a"]}).puzzle.layout is not None


DOCUMENTS = [
    ({"bord": [[1, 0]]}, "unknown key 'bord': did you mean 'board'?"),
    ({"board": [[1, 0]], "gaol": "snail"}, "unknown key 'gaol': did you mean 'goal'?"),
    ({"comment": "no board"}, "the JSON document has no 'board'"),
    ({"board": [[1, 0]], "start": [[1, 0]]}, "the JSON document has both 'board' and 'start'"),
    ({"board": 5}, "board: a list is expected, not 5"),
    ({"board": [[1, 2], [0]]}, "board: row 2 has 1 cell, the first row has 2"),
    ({"board": []}, "board: the list is empty, rows are expected"),
    ({"board": [[1, True]]}, "board: row 1: true is not a whole number from 0 to 9999"),
    ({"board": [[1, 1.5]]}, "board: row 1: 1.5 is not a whole number from 0 to 9999"),
    ({"board": [[1, -1]]}, "board: row 1: -1 is not a whole number from 0 to 9999"),
    ({"board": [[1, 10**20]]}, "board: row 1: 100000000000000000000 is not a whole number from"),
    ({"board": [[1, "*"], [2, 0]]}, "board: row 1: each cell needs its tile: only a goal"),
    ({"board": ["1 q"]}, "board: row 1: 'q' is not a tile"),
    ({"board": ["1 99999"]}, "board: row 1: '99999' is not a tile"),
    ({"board": ["AB+"]}, "board: row 1: '+' is not a letter, a gap"),
    ({"board": [[1, 2], [2, 0]]}, "row 2: 2 appears twice, 3 is missing"),
    ({"board": [[1, 0]], "goal": [[1], [0]]}, "the goal is 2x1, but the board is 1x2"),
    ({"board": [[1, 0]], "goal": 5}, "goal: a name or a list of rows is expected, not 5"),
    ({"board": [[1, 0]], "goal": "x" * 999}, f"goal: '{'x' * 29}...' is too long"),
    ({"board": [[1, 0]], "puzzle": []}, "puzzle: a name or an object with rules is expected, not"),
    ({"board": [[1, 0]], "rows": 2}, "the document says rows '2', but the board has 1"),
    ({"board": [1, 2, 3, 4, 0, 5], "rows": 4}, "6 numbers"),
    ({"board": [1, 0, 2], "columns": 99}, "columns: 99 is not a whole number from 0 to 30"),
    ({"board": [[1, 0]], "schema": "plansolve.result/2"}, "schema: 'plansolve.result/2' has no"),
    ({"start": [[1, 0]], "schema": "other/1"}, "schema: 'other/1' has no board"),
    ({"board": [[1, 0]], "schema": None}, "schema: null has no board: choose from "),
    ({"board": [[1, 0]], "schema": ["plansolve.result/1"]}, "schema: a list has no board"),
    ({"board": [[1, 0]], "walls": [[1, 2]]}, "'walls' is a parameter of the puzzle"),
    ({"board": [[1, 0]], "tiles": [[1, 0]]}, "has both 'board' and 'tiles': give one of them"),
    ({"board": "8 6 7/2 5 ²"}, "board: row 2: '²' is not a tile"),
    ({"board": [[1, 0]], "operators": []}, "'operators' stands beside the board: rules belong"),
    ({"board": [[1, 0]], "labels": ["a"]}, "'labels' stands beside the board: rules belong"),
    ({"board": [[1, 0]], "blank_names": {}}, "'blank_names' stands beside the board: rules"),
    ({"board": [[1, 0]], "layout": {}}, "'layout' stands beside the board: rules belong"),
    ({**SWAP, "board": [[3, 1, 2]]}, "'operators' stands beside the board: rules belong"),
    ({"board": [1, 0, 2], "columns": 2}, "board: row 2 has 1 cell, the first row has 2"),
]
LETTERS = [
    ([["A", 1], ["B", "."]], None, "board: row 1: 1 is not a letter, a gap"),
    ([[1, "A"], ["B", "."]], None, "board: row 1: 'A' is not a tile"),
    (["AB", "A."], ["AB", "A0"], "goal: row 2: '0' is not a letter, a gap"),
    (["AB", "A."], ["AB", ["A", "BC"]], "goal: row 2: 'BC' is not a letter"),
    (["AB", "A."], ["AB", "A"], "goal: row 2 has 1 cell"),
    (["AB", "A."], "snail", "a board of letters needs a goal"),
    (["AB", "C."], ["AB", "A."], "row 2: 'C' is not a piece of the goal"),
    (["AB", "**"], ["AB", "A."], "row 2: only a goal may leave cells open"),
]
RULES = [
    ({"name": None}, "puzzle.name: expected a text, got null"),
    ({"rows": 0}, "puzzle.rows: expected a whole number from 1 to 900, got 0"),
    ({"rows": "1"}, "puzzle.rows: expected a whole number from 1 to 900, got '1'"),
    ({"operators": {}}, "puzzle.operators: expected a list, got an object"),
    ({"operators": ["A"]}, "puzzle.operators[0]: expected an object, got 'A'"),
    ({"operators": [{"name": "A", "moves": [], "cost": 2}]}, "puzzle.operators[0]: unknown key 'c"),
    ({"operators": [{"name": "A,B", "moves": []}]}, "operators: 'A,B' is not a name"),
    ({"operators": [{"name": "A", "moves": [[0]]}]}, "puzzle.operators[0].moves[0]: expected a li"),
    ({"operators": [{"name": "A", "moves": [[0, -1]]}]}, "operator 'A' does not permute the cells"),
    ({"labels": ["_", "a"]}, "labels: 2 labels for the tiles 0 to 3"),
    ({"labels": list("_abcd")}, "labels: 5 are too many: at most 4"),
    ({"blank_names": {"A": "B"}}, "blank_names: the move 'B' has no name there"),
    ({"blank_names": {"A": "x", "B": "x"}}, "blank_names: two moves are called x"),
    ({"operator": []}, "puzzle: unknown key 'operator'; the keys are name, rows, colum"),
]
LAYOUTS = [
    ([], "puzzle.layout: expected an object or null, got a list"),
    ({}, "puzzle.layout: missing key 'positions'"),
    ({**LAYOUT, "colour": "red"}, "puzzle.layout: unknown key 'colour'; the keys are positions, e"),
    ({"positions": "abc"}, "puzzle.layout.positions: expected a list, got 'abc'"),
    ({"positions": [[0, 0], [1, 0], [2]]}, "puzzle.layout.positions[2]: expected a list of 2, got"),
    ({"positions": [[0, 0], [1, 0], [2, "0"]]}, "puzzle.layout.positions[2][1]: expected a number"),
    ({"positions": [[0, 0], [1, 0], [2, True]]}, "puzzle.layout.positions[2][1]: expected a numbe"),
    (
        {"positions": [[0, 0], [1, 0], [2, 10**400]]},
        "layout: the position of cell 2 must be from 0",
    ),
    (
        {"positions": [[0, 0], [1, 0], [2, -1]]},
        "layout: the position of cell 2 must be from 0 to 60",
    ),
    ({"positions": [[0, 0], [1, 0]]}, "3 positions are expected, not 2"),
    ({"positions": [[0, 0], [1, 0], [0.4, 0.4]]}, "the cells 0 and 2 overlap"),
    ({**LAYOUT, "edges": [[0, 3]]}, "the edge [0, 3] does not join two of 3 cells"),
    ({**LAYOUT, "edges": [[0, 0]]}, "the edge [0, 0] does not join two"),
    ({**LAYOUT, "edges": [[0, 1.0]]}, "puzzle.layout.edges[0][1]: expected a whole number, got 1."),
    ({**LAYOUT, "edges": {"0": 1}}, "puzzle.layout.edges: expected a list, got an object"),
    ({**LAYOUT, "edges": [[0, 1]] * 4001}, "4001 edges: at most 4000"),
    ({**LAYOUT, "holes": [3]}, "there is no cell 3 for a hole"),
    ({**LAYOUT, "holes": 1}, "puzzle.layout.holes: expected a list, got 1"),
    ({**LAYOUT, "holes": [True]}, "puzzle.layout.holes[0]: expected a whole number, got true"),
    ({**LAYOUT, "colours": ["red"]}, "'red' is not a colour like #ff8800"),
    ({**LAYOUT, "colours": ['#ff8800"/>']}, "is not a colour like #ff8800"),
    ({**LAYOUT, "colours": [1]}, "puzzle.layout.colours[0]: expected a text, got 1"),
    ({**LAYOUT, "colours": ["#ffffff"] * 1001}, "1001 colours: at most 1000"),
    ({**LAYOUT, "round": 1}, "puzzle.layout.round: expected true or false, got 1"),
]


@pytest.mark.parametrize(
    ("document", "message"),
    [
        *DOCUMENTS,
        *(({"puzzle": "sliding", "board": b, "goal": goal}, told) for b, goal, told in LETTERS),
        *(({"puzzle": SWAP | change, "board": [[1, 2, 3]]}, told) for change, told in RULES),
        *(({"puzzle": {**HOP, "layout": x}, "board": ["_ba"]}, told) for x, told in LAYOUTS),
        ({"puzzle": SWAP, "board": [[1, 2]]}, "the board has 2 cells, puzzle swap has 3"),
        ({"puzzle": {k: v for k, v in SWAP.items() if k != "operators"}, "board": [[1, 2, 3]]},
         "puzzle: missing key 'operators'"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_document(document, message):
    with pytest.raises(BoardError) as caught:
        read(document)
    assert message in str(caught.value)


def test_what_is_no_document():
    with pytest.raises(BoardError, match="line 2: not a JSON document: Expecting value"):
        read_problem('{"board":\n')
