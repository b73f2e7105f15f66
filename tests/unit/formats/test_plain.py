"""Boards as people write them: dozens of ways to write one board, and what stays an error."""

from pathlib import Path

import pytest

from plansolve.errors import InputError
from plansolve.formats import decode, parse, parse_all, read_problem
from plansolve.formats.forms import FORMS
from plansolve.formats.specify import make, reading, specify

SAME = {
    "separators": [
        "8 6 7/\n2 5 4/\n3 0 1/",
        "8-6-7/2-5-4/3-0-1",
        "8\t6\t7/2\t5\t4/3\t0\t1",
        "8 6 7 \\ 2 5 4 \\ 3 _ 1",
        "| 8 6 7 | 2 5 4 | 3 0 1 |",
        "8 6 7;2 5 4;3 x 1",
        "8,6,7;2,5,4;3,0,1;",
        "8 6 7, 2 5 4, 3 0 1",
        "8 6 7;\n2 5 4;\n3 0 1;\n",
        "8 - 6 - 7\n2 - 5 - 4\n3 - _ - 1",
        "8/6/7\n2/5/4\n3/0/1",
        "8|6|7\n2|5|4\n3| |1",
        "8/6/7/2/5/4/3/0/1",
        "867 / 254 / 3_1",
        "867|254|301",
        "867;254;301",
        "8-6-7-2-5-4-3-0-1",
        "8 6 7\t2 5 4\t3 0 1",
        "8, 6, 7, 2, 5, 4, 3, , 1",
        "8 6 7 - 2 5 4 - 3 0 1",
        "867 254 301",
        "867-254-301",
        "8-6-7;2-5-4;3-0-1",
        "8 - 6 - 7 : 2 - 5 - 4 : 3 - 0 - 1",
        "8-6-7||2-5-4||3-0-1",
        "8:6:7\n2:5:4\n3:0:1",
        "8-6-7 2-5-4 3-0-1",
        "8,6,7 2,5,4 3,0,1",
        "8\u20136\u20137\n2\u20135\u20134\n3\u20130\u20131",
        "8 6 7\\n2 5 4\\n3 0 1\\n",
        "8,\n6,\n7,\n2,\n5,\n4,\n3,\n0,\n1,",
    ],
    "gaps": [
        "  8 6 7\n  2 5 4\n  3   1\n",
        " 8  6  7\n 2  5  4\n 3     1\n",
        "8\t6\t7\n2\t5\t4\n3\t\t1",
        "\t8\t6\t7\n\t2\t5\t4\n\t3\t0\t1",
        "8\t6\t7\t\n2\t5\t4\t\n3\t\t1\t",
        "8;6;7\n2;5;4\n3;;1",
        "867\n254\n3 1",
        "867/254/3 1",
        *(
            f"8 6 7\n2 5 4\n3 {gap} 1"
            for gap in (
                *("__", "___", "-", "x", "X", '"X"', "'x'", "*", "None", "none", "null", "nil"),
                *("NULL", "00", ".", "blank", "BLANK", "empty", "gap", "\u25a1", "\u2b1c", "' '"),
                *("[ ]", "[]", "( )", "<>", "b", "E", "?", "@", "-1"),
                *("--", "**", "..", "o", "O", "+", "(blank)", "[empty]"),
            )
        ),
        *(
            f"8,6,7\n2,5,4\n3,{gap},1"
            for gap in ("None", "_", "__", "x", "blank", "00", "-", '" "')
        ),
        *(
            f"[[8, 6, 7], [2, 5, 4], [3, {gap}, 1]]"
            for gap in ("None", '"X"', "'_'", "''", "-1", "EMPTY")
        ),
        *(f"| 8 | 6 | 7 |\n| 2 | 5 | 4 |\n| 3 |{gap}| 1 |" for gap in ("", "   ", " _ ", " X ")),
        "08 06 07\n02 05 04\n03 00 01",
    ],
    "drawings": [
        "+-------+\n| 8 6 7 |\n| 2 5 4 |\n| 3   1 |\n+-------+\n",
        "-------------\n| 8 | 6 | 7 |\n-------------\n| 2 | 5 | 4 |\n-------------\n| 3 |   | 1 |\n"
        "-------------\n",
        " 8 | 6 | 7\n---+---+---\n 2 | 5 | 4\n---+---+---\n 3 |   | 1\n",
        "| a | b | c |\n|---|---|---|\n| 8 | 6 | 7 |\n| 2 | 5 | 4 |\n| 3 |   | 1 |\n",
        "|   |   |   |\n|:-:|:-:|:-:|\n| 8 | 6 | 7 |\n| 2 | 5 | 4 |\n| 3 |   | 1 |\n",
        "```\n8 6 7\n2 5 4\n3 . 1\n```\n",
        "┌───┬───┬───┐\n│ 8 │ 6 │ 7 │\n├───┼───┼───┤\n│ 2 │ 5 │ 4 │\n├───┼───┼───┤\n│ 3 │   │ 1 │\n"
        "└───┴───┴───┘\n",
        "╔═══════╗\n║ 8 6 7 ║\n║ 2 5 4 ║\n║ 3   1 ║\n╚═══════╝\n",
        "┏━┳━┳━┓\n┃8┃6┃7┃\n┣━╋━╋━┫\n┃2┃5┃4┃\n┣━╋━╋━┫\n┃3┃ ┃1┃\n┗━┻━┻━┛",
        "+---+---+---+\n|   |   |   |\n| 8 | 6 | 7 |\n|   |   |   |\n+---+---+---+\n| 2 | 5 | 4 |\n"
        "+---+---+---+\n| 3 | x | 1 |\n+---+---+---+\n",
        *(
            f"{rule}\n| 8 | 6 | 7 |\n{rule}\n| 2 | 5 | 4 |\n{rule}\n| 3 |   | 1 |\n{rule}\n"
            for rule in ("*---*---*---*", "o---o---o---o", "/---|---|---\\")
        ),
        "[8] [6] [7]\n[2] [5] [4]\n[3] [ ] [1]\n",
        "> 8 6 7\n> 2 5 4\n> 3 0 1",
        "The board:\n\n| 8 | 6 | 7 |\n|---|---|---|\n| 2 | 5 | 4 |\n| 3 |   | 1 |\nA table",
        "=======\n8 6 7\n2 5 4\n3 0 1\n=======\n",
        "_____________\n| 8 | 6 | 7 |\n| 2 | 5 | 4 |\n| 3 | 0 | 1 |\n_____________\n",
        "_____________\n| 8 | 6 | 7 |\n|___|___|___|\n| 2 | 5 | 4 |\n|___|___|___|\n| 3 |   | 1 |\n"
        "|___|___|___|\n",
    ],
    "lists": [
        "puzzle = [[8, 6, 7], [2, 5, 4], [3, 0, 1]]",
        "puzzle = EightPuzzle((8, 6, 7, 2, 5, 4, 3, 0, 1))",
        "start_state = [\n    [8, 6, 7],\n    [2, 5, 4],\n    [3, 0, 1],\n]\n",
        "const board = [[8,6,7],[2,5,4],[3,0,1]];",
        "let b: Vec<Vec<u8>> = vec![vec![8, 6, 7], vec![2, 5, 4], vec![3, 0, 1]];",
        "board = ((8, 6, 7), (2, 5, 4), (3, None, 1))",
        "tiles = [8, 6, 7, 2, 5, 4, 3, 0, 1]",
        "{{8,6,7},{2,5,4},{3,0,1}}",
        "{8,6,7,2,5,4,3,0,1}",
        "int[][] tiles = {{8, 6, 7}, {2, 5, 4}, {3, 0, 1}};",
        "int start[3][3] = {\n  {8, 6, 7},\n  {2, 5, 4},\n  {3, 0, 1}\n};\n",
        "vector<vector<int>> a = {{8,6,7},{2,5,4},{3,0,1}};",
        "std::vector<std::vector<int>> a{{8,6,7},{2,5,4},{3,0,1}};",
        "int[][] a = new int[][]{{8,6,7},{2,5,4},{3,0,1}};",
        "char b[3][3] = {{'8','6','7'},{'2','5','4'},{'3','x','1'}};",
        "np.array([[8, 6, 7], [2, 5, 4], [3, 0, 1]], dtype=np.int8)",
        "state = np.array([[8, 6, 7], [2, 5, 4], [3, 0, 1]])",
        "[[8 6 7]\n [2 5 4]\n [3 0 1]]",
        "[[8. 6. 7.]\n [2. 5. 4.]\n [3. 0. 1.]]",
        "[[8.0, 6.0, 7.0], [2.0, 5.0, 4.0], [3.0, 0.0, 1.0]]",
        "[8, 6, 7]\n[2, 5, 4]\n[3, 0, 1]\n",
        "[8, 6, 7],\n[2, 5, 4],\n[3, 0, 1]",
        "{8,6,7},{2,5,4},{3,0,1}",
        "[8 6 7; 2 5 4; 3 0 1]",
        "A = [8,6,7;2,5,4;3,0,1];",
        "[['8', '6', '7'], ['2', '5', '4'], ['3', ' ', '1']]",
        '["867", "254", "301"]',
        "['8 6 7', '2 5 4', '3 0 1']",
        "[[[8, 6, 7], [2, 5, 4], [3, 0, 1]]]",
        "# mine\nboard = [[8, 6, 7],  # one\n [2, 5, 4], [3, 0, 1]]",
        "My board:\n[[8, 6, 7], [2, 5, 4], [3, 0, 1]]",
        "let b: [[u8; 3]; 3] = [[8, 6, 7], [2, 5, 4], [3, 0, 1]];",
        "b := [3][3]int{{8, 6, 7}, {2, 5, 4}, {3, 0, 1}}",
        "var b = new int[,] { {8,6,7}, {2,5,4}, {3,0,1} };",
        "std::array<int, 9> s{8,6,7,2,5,4,3,0,1};",
        "np.array([8, 6, 7, 2, 5, 4, 3, 0, 1]).reshape(3, 3)",
        'String s = "867254301";',
        "s = '8 6 7\\n2 5 4\\n3 0 1'",
        '"""\n8 6 7\n2 5 4\n3 0 1\n"""',
        '{"initial": [[8, 6, 7], [2, 5, 4], [3, 0, 1]]}',
        "return [[8, 6, 7], [2, 5, 4], [3, 0, 1]]",
        "'((8 6 7) (2 5 4) (3 0 1))",
        "(setq board '((8 6 7) (2 5 4) (3 nil 1)))",
        "(list (list 8 6 7) (list 2 5 4) (list 3 0 1))",
        "$board = array(array(8,6,7), array(2,5,4), array(3,0,1));",
        "Board b = new Board(new int[][] {{8, 6, 7}, {2, 5, 4}, {3, 0, 1}});",
        '{"data": {"board": [[8, 6, 7], [2, 5, 4], [3, 0, 1]]}, "time": 1}',
        '{"puzzle": [[8, 6, 7], [2, 5, 4], [3, 0, 1]]}',
        '{"size": 3, "state": [8, 6, 7, 2, 5, 4, 3, "_", 1]}',
        "{'initial': [(8, 6, 7), (2, 5, 4), (3, None, 1)],}",
        "puzzle = {\n  start: [[8, 6, 7], [2, 5, 4], [3, 0, 1]], name: 'easy'\n};",
        *(
            f'{{"state": {board}}}'
            for board in (
                *('"867254301"', '"8 6 7 2 5 4 3 _ 1"', '"867\\n254\\n3 1"', '"8-6-7;2-5-4;3-0-1"'),
                *("[[8, 6, 7], [2, 5, 4], [3, null, 1]]", "[8, 6, 7, 2, 5, 4, 3, null, 1]"),
                '[["8", "6", "7"], ["2", "5", "4"], ["3", "", "1"]]',
            )
        ),
    ],
    "digits": [
        "8672543x1",
        "8672543_1",
        "8672543.1",
        "8672543X1",
        "867\n254\n3x1",
        # Wide digits, and keys.
        "".join(chr(ord(sign) + 0xFEE0) if sign.isdigit() else sign for sign in "867\n254\n301"),
        "867\n254\n3\u2b1c1".translate({ord(c): f"{c}\ufe0f\u20e3" for c in "12345678"}),
        "# a comment\n3\n\n8\n6\n7\n2\n5\n4\n3\n0\n1\n",
        *(f"{head}\n8\n6\n7\n2\n5\n4\n3\n0\n1\n" for head in ("9", "8", "N = 3")),
    ],
    "heads": [
        "8 6 7\n2 5 4\n3 0 1\nend of file",
        *(f"8 6 7\n2 5 4\n3 0 1\n{foot}" for foot in ("EOF", "End", "<EOF>", "END OF INPUT FILE")),
        "Board\n8 6 7\n2 5 4\n3 0 1\n",
        "8, -1\n8, 6, 7\n2, 5, 4\n3, 0, 1\n",
        "3 x 3\n867\n254\n301",
        "Please solve:\n8 6 7/2 5 4/3 0 1",
        "8-puzzle: 8 6 7/2 5 4/3 0 1",
        "8\n8\n8 6 7\n2 5 4\n3 0 1\n",
        "8 -1\n8 6 7 2 5 4 3 0 1\n",
        "3\n3\n8 6 7\n2 5 4\n3 0 1\n",
        "9\n8 6 7\n2 5 4\n3 0 1\n",
        "8\n8 6 7\n2 5 4\n3 0 1\n",
        "3x3\n8 6 7\n2 5 4\n3 0 1",
        "n = 3\n8 6 7\n2 5 4\n3 0 1",
        "START 8 6 7 2 5 4 3 0 1",
        "**Initial state:**\n\n8 6 7\n2 5 4\n3 0 1",
        "Easy\n8 6 7\n2 5 4\n3 . 1\n",
        "Board 1\n8 6 7\n2 5 4\n3 . 1\n",
        "8-puzzle, 31 moves\n8 6 7\n2 5 4\n3   1\n",
        "Puzzle 17:\n867\n254\n301\n",
        "START\n8 6 7\n2 5 4\n3 0 1\n",
        "start = 8 6 7/2 5 4/3 0 1",
        "Board: 867254301",
        "Initial State: [[8,6,7],[2,5,4],[3,0,1]]",
        "8 6 7 # the first row\n2 5 4 # and\n3 0 1\n",
        "8 6 7 // the first row\n2 5 4\n3 0 1\n",
        "// a remark\n8 6 7\n2 5 4\n3 0 1\n",
    ],
}
PAGE = (Path(__file__).parents[3] / "docs" / "reference" / "formats.md").read_text(encoding="utf-8")
BOARD = read_problem("8 6 7\n2 5 4\n3 0 1")


@pytest.mark.parametrize("text", [text for kind in SAME.values() for text in kind])
def test_one_board_in_many_ways(text):
    assert read_problem(text) == BOARD


GOALS = {
    "(1, 2, 3, 4, 5, 6, 7, 0, 8)": [
        "8 6 7\n2 5 4\n3 0 1\ngoal:\n1 2 3\n4 5 6\n7 0 8",
        "8 6 7\n2 5 4\n3 0 1\nGoal state:\n1 2 3\n4 5 6\n7   8",
        "Initial state:\n8 6 7\n2 5 4\n3 0 1\n\nGoal state:\n1 2 3\n4 5 6\n7 0 8\n",
        "INITIAL STATE\n867\n254\n301\nGOAL STATE\n123\n456\n708\n",
        "start:\n8,6,7\n2,5,4\n3,0,1\ntarget:\n1,2,3\n4,5,6\n7,0,8",
        "goal: 1 2 3/4 5 6/7 0 8\nstart: 8 6 7/2 5 4/3 0 1",
        "start = 867254301\ngoal = 123456708",
        "initial_state = [[8,6,7],[2,5,4],[3,0,1]]\ngoal_state = [[1,2,3],[4,5,6],[7,0,8]]",
        "start = [\n [8,6,7],\n [2,5,4],\n [3,0,1]\n]\ngoal = [\n [1,2,3],\n [4,5,6],\n [7,0,8]\n]",
        "Start:\n|8|6|7|\n|2|5|4|\n|3| |1|\nFinal:\n|1|2|3|\n|4|5|6|\n|7| |8|",
        "8\n7\n8 6 7\n2 5 4\n3 0 1",
        "int start[3][3] = {{8,6,7},{2,5,4},{3,0,1}};\nint goal[3][3] = {{1,2,3},{4,5,6},{7,0,8}};",
        '{"initial_state": [[8,6,7],[2,5,4],[3,0,1]], "goal_state": [[1,2,3],[4,5,6],[7,0,8]]}',
        "START 8 6 7 2 5 4 3 0 1\nGOAL 1 2 3 4 5 6 7 0 8",
        "From:\n8 6 7\n2 5 4\n3 0 1\nTo:\n1 2 3\n4 5 6\n7 0 8",
        "{'initial': [[8,6,7],[2,5,4],[3,0,1]], 'goal': [[1,2,3],[4,5,6],[7,0,8]]}",
        '{"board": "867254301", "goal": "1 2 3/4 5 6/7 0 8"}',
        "start: 867254301 goal: 123456708",
        "Initial state = 8 6 7 2 5 4 3 0 1; goal state = 1 2 3 4 5 6 7 0 8",
        "867254301 -> 123456708",
        "Initial: 867254301, Goal: 123456708",
        "Source: 8 6 7 2 5 4 3 0 1\nDestination: 1 2 3 4 5 6 7 0 8",
        "Enter the initial state:\n8 6 7\n2 5 4\n3 0 1\nEnter the goal state:\n1 2 3\n4 5 6\n7 0 8",
        "Start\n-----\n8 6 7\n2 5 4\n3 0 1\n\nGoal\n----\n1 2 3\n4 5 6\n7 0 8",
        'char *start = "867254301";\nchar *goal = "123456708";',
    ],
    "(0, 1, 2, 3, 4, 5, 6, 7, 8)": [
        "8\n0\n8 6 7\n2 5 4\n3 0 1",
        "8 0\n8 6 7\n2 5 4\n3 0 1",
        "867254301\ngoal: blank-first",
        "The initial state is:\n8 6 7\n2 5 4\n3 0 1\nThe goal state is:\n0 1 2\n3 4 5\n6 7 8",
    ],
    "(1, 2, 3, 8, 0, 4, 7, 6, 5)": ["# This puzzle is solvable\n3\n8\n6\n7\n2\n5\n4\n3\n0\n1\n"],
}


@pytest.mark.parametrize(("goal", "text"), [(g, t) for g, texts in GOALS.items() for t in texts])
def test_the_goal_where_people_write_it(goal, text):
    problem = read_problem(text)
    assert (problem.start, str(problem.goal)) == (BOARD.start, goal)


OTHERS = [
    ("1 2 3, 4 5 0", {}, "sliding 2x3", "1 2 3 4 5 0"),
    ("3 2\n1 4\n5 6\n7 0", {}, "sliding 4x2", "3 2 1 4 5 6 7 0"),
    ("1 2 3\n4   5", {}, "sliding 2x3", "1 2 3 4 0 5"),
    ("  2 3\n1 4 5", {}, "sliding 2x3", "0 2 3 1 4 5"),
    ("1 2 3\n4 5  \n", {}, "sliding 2x3", "1 2 3 4 5 0"),
    ("  1\n2 3", {}, "sliding 2x2", "0 1 2 3"),
    # The gap shows in rows with equal spaces too, where columns do not stand below each other.
    ("1  2  3\n10  4     \n6  7  11\n8  5  9", {}, "sliding 4x3", "1 2 3 10 4 0 6 7 11 8 5 9"),
    ("1 2 3\n10 11  \n6 7 4\n8 5 9", {}, "sliding 4x3", "1 2 3 10 11 0 6 7 4 8 5 9"),
    ("0xfe169b4c0a73d852", {}, "sliding 4x4", "15 14 1 6 9 11 4 12 0 10 7 3 13 8 5 2"),
    ("fe16/9b4c/0a73/d852", {}, "sliding 4x4", "15 14 1 6 9 11 4 12 0 10 7 3 13 8 5 2"),
    ("FE16\n9B4C\n.A73\nD852", {}, "sliding 4x4", "15 14 1 6 9 11 4 12 0 10 7 3 13 8 5 2"),
    ("2 1 4 3", {"puzzle": "loopover"}, "torus-ring:rings=none 2x2", "2 1 4 3"),
    ("2\n1\n4\n3", {"puzzle": "loopover"}, "torus-ring:rings=none 2x2", "2 1 4 3"),
    ("2 1 4 3", {"puzzle": "loopover", "format": "puz"}, "torus-ring:rings=none 1x4", "2 1 4 3"),
    ("BADC", {"puzzle": "loopover"}, "torus-ring:rings=none 2x2", "2 1 4 3"),
    ('{"width": 3, "height": 2, "board": [1, 2, 3, 4, 5, 0]}', {}, "sliding 2x3", "1 2 3 4 5 0"),
    ("1 2 3 4\n5 6 7 8\n9 A B C\nD E F 0", {}, "sliding 4x4", None),
    ("2 1 3 4", {"puzzle": "pancake"}, "pancake 1x4", "2 1 3 4"),
    ("BA\nDC", {"puzzle": "loopover"}, "torus-ring:rings=none 2x2", "2 1 4 3"),
    ("BA/DC", {"puzzle": "loopover"}, "torus-ring:rings=none 2x2", "2 1 4 3"),
    ("BA\nDC", {"puzzle": "loopover", "goal": "AB\nCD"}, "torus-ring:rings=none 2x2", "2 1 4 3"),
    ("| B | A |\n| C |   |", {}, "sliding 2x2", "2 1 3 0"),
    ("[['B', 'A'], ['C', ' ']]", {}, "sliding 2x2", "2 1 3 0"),
    ("BA\nC_", {"goal": "blank-first"}, "sliding 2x2", "2 1 3 0"),
    ('["ACC", "A.."]', {"goal": "C at row 2 column 2"}, "blocks 2x3", "1 3 4 2 0 0"),
    ("ACC\nA--", {"goal": "C at row 2 column 2"}, "blocks 2x3", "1 3 4 2 0 0"),
    ("BAC/DEF/+GH", {}, "lloyd 3x3", "2 1 3 4 5 6 0 7 8"),
    ("1 2\n3 0", {"goal": "0 1/2 3"}, "sliding 2x2", "1 2 3 0"),
    ("1 2\n3 0", {"goal": "0123"}, "sliding 2x2", "1 2 3 0"),
    ("1 2\n3 0", {"goal": "0\n1\n2\n3"}, "sliding 2x2", "1 2 3 0"),
]


@pytest.mark.parametrize(("text", "named", "title", "cells"), OTHERS)
def test_other_sizes_and_puzzles(text, named, title, cells):
    problem = read_problem(text, **named)
    assert problem.puzzle.title == title
    assert cells is None or " ".join(map(str, problem.start)) == cells


WRONG = [
    # Ragged rows, doubled and missing tiles, prose: each with its place.
    ("1 2 3/4 5/6 7 0", "row 2: 2 entries, the first row has 3"),
    ("1 2 3\n4 5\n6 7 8", "line 2: 2 entries, the first row has 3; write the gap as . or 0"),
    ("1 2 3\n4 5 6\n7 8", "line 3: 2 entries, the first row has 3; write the gap as . or 0"),
    ("1 2\n3\n", "line 2: 1 entry, the first row has 2"),
    ("8 6 7/2 5 4/3 0 8", "row 3: 8 appears twice, 1 is missing"),
    ("# a\n\n867\n255\n301", "line 4: 5 appears twice, 4 is missing"),
    ("| 1 | 2 |\n+---+---+\n| 2 | 0 |", "line 3: 2 appears twice, 3 is missing"),
    ("```\n1 2\n2 0\n```", "line 3: 2 appears twice, 3 is missing"),
    ("a = [[1, 2],\n [2, 0]]", "line 2: 2 appears twice, 3 is missing"),
    ("8\n-1\n1 2 3\n4 5 6\n7 7 0", "line 5: 7 appears twice, 8 is missing"),
    ("8 6 7\n2 5 4\n3 . -", "line 1: there is no tile 8, since - is a hole; a gap is . or 0"),
    ("3 - 1\n2 - 4", "the board has no gap (write 0 or .), and is not a torus-ring board"),
    (
        "8 6 7\n2 5 4\n3 9 1",
        "the board has no gap (write 0 or .), and is not a torus-ring board",
    ),
    ("start:\n1 2\n3 0\ngoal:\n1 2\n3 3", "the goal is not a board of sliding: 3 appears twice"),
    ("1 2\n3 0\ngoal:\n1 2 3\n4 5 0", "the goal is 2x3, but the board is 2x2"),
    ("goal:\n1 2\n3 0", "line 1: the board must stand before 'goal:', and the goal after it"),
    ("1 2\n3 0\ngoal:\n1 2\n3 0\ntarget:\n1 2\n3 0", "line 6: a second goal"),
    ("I have 3 apples and 4 pears,\n1 of them is green.", "'I have 3 apples and 4 pears,' does"),
    ("On 12/11 I made 3 moves", "row 1: 'On' is not a tile"),
    ("Dear Sir\nor Madam\n1 2\n3 0", "'Dear Sir' does not begin a board"),
    ("12345678", "line 1: '8' is not a digit of a board with 8 cells: 0 to 7"),
    ("AAB\n..B", "a board of blocks needs its goal"),
    ("0x123", "line 1: 'x' is not a digit of a board with 5 cells: 0 to 4"),
    ("Board 1\n8 6 7\n2 5\n3 . 1\n", "line 3: 2 entries"),
    ("Easy\nand short\n8 6 7\n2 5 4\n3 . 1\n", "'Easy' does not begin a board"),
    (
        "\u0661 \u0662\n\u0663 \u0660\n",
        "'\u0661 \u0662' does not begin a board; write rows of numbers with 0 or . for the gap",
    ),
    ("1-2-3\n4-5", "line 2: 2 entries, the first row has 3"),
    # What looks like the first row is neither a name nor a title.
    ("8 66 7;2 5 4;3 x 1", "row 1: 66 is not a tile, 6 is missing"),
    ("B8, 6, 7]\n[2, 5, 4]\n[3, 0, 1]", "'B8, 6, 7]' does not begin a board"),
    ("8 6 7first row\n2 5 4\n3 0 1", "line 1: '7first' is not a tile"),
    ("/--|--\\\n|\n|--\\\n|", "'/--|--\\\\' does not begin a board"),
    ("8-6-6;2-5-4;3-0-1", "row 1: 6 appears twice, 7 is missing"),
    ("8 6 7\n2 b 4\n3 b 1", "line 2: 'b' is not a tile"),
    ("8 6 7\n2 S 4\n3 0 1", "line 2: 'S' is not a tile"),
    ("| 8 | six | 7 |\n| 2 | 5 | 4 |\n| 3 |   | 1 |", "line 1: 'six' is not a tile"),
]


@pytest.mark.parametrize(("text", "message"), WRONG)
def test_what_is_no_board_stays_an_error_with_its_place(text, message):
    with pytest.raises(InputError) as caught:
        read_problem(text)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("text", "puzzle", "said"),
    [
        ("8\n6\n7\n2\n5\n4\n3\n0\n1", None, "read as 3x3 sliding; --format puz reads it as 9x1"),
        ("2 1 4 3", "loopover", "read as 2x2 loopover; --format puz reads it as 1x4"),
        ("BADC", "loopover", "read as 2x2 loopover"),
        ("1 2 3\n4 5 .", None, ""),
        ("1 0 2 3 4", None, "read as 1x5 sliding; a board of several rows has one row per line"),
        ("AAB\nC.B\ngoal:\nAAB\nBC.", None, "each letter is a piece of one cell here"),
        ("ABA\nC.B\ngoal:\nAAB\nBC.", None, ""),
        ("1 2 .\n. 3 4", None, "read as 2x3 sliding-gaps:2"),
    ],
)
def test_how_a_board_was_read_is_said(text, puzzle, said):
    document = parse(text, puzzle=puzzle)
    found = reading(document, make(specify(document, puzzle)), puzzle)
    assert found.startswith(said) and bool(found) == bool(said)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("8 6 7/2 5 4/3 0 1\n8 6 7/2 5 4/3 1 0\n", 2),
        ("1. 8 6 7/2 5 4/3 0 1\n2) 8 6 7/2 5 4/3 1 0\n", 2),
        ("scramble 1: 8 6 7/2 5 4/3 0 1\nscramble 2: 8 6 7/2 5 4/3 1 0\n", 2),
        ("a,8 6 7/2 5 4/3 0 1\nb,8 6 7/2 5 4/3 1 0\n", 2),
        ("8 6 7|2 5 4|3 0 1\n8 6 7|2 5 4|3 1 0\n8 6 7|2 5 4|1 3 0", 3),
        ("8 6 7\n2 5 4\n3 0 1\n---\n1 2 3\n4 5 6\n7 8 0\n", 2),
        ("|8|6|7|\n|2|5|4|\n|3| |1|\n\n|1|2|3|\n|4|5|6|\n|7|8| |", 2),
        ('name,board\na,"8 6 7/2 5 4/3 0 1"\n', 1),
    ],
)
def test_many_boards_in_one_text(text, count):
    found = [document for _, document in parse_all(text)]
    assert len(found) == count and all(len(document.cells) == 9 for document in found)


def test_bytes_that_are_no_utf_8_are_windows_1252():
    assert decode("1 2 # Hälfte €\n3 0".encode("cp1252")) == "1 2 # Hälfte €\n3 0"
    assert decode("3 0 # à".encode("latin-1")) == "3 0 # à"
    with pytest.raises(InputError, match="not a text file: byte 0x81 at offset 2, line 2"):
        decode(b"1\n\x81")


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_each_form_of_the_list_is_read_and_stands_on_the_page(form):
    assert read_problem(form.example) == BOARD
    shown = form.example.replace("\n", " ⏎ ").replace("|", "\\|")
    assert f"| {form.name.replace('|', chr(92) + '|')} | `{shown}` | {form.writer} |" in PAGE
