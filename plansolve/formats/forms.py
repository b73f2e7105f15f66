"""The ways in which people write boards, as data for `plansolve list`, the manual and its tests.

Each is detected by itself; `plansolve.formats.plain` turns it into rows of tiles. Most examples
show the same board.
"""

from typing import NamedTuple


class Form(NamedTuple):
    """One way to write a board, an example, and who uses it."""

    name: str
    example: str
    writer: str


FORMS = (
    Form("rows", "8 6 7\n2 5 4\n3 0 1", "course pages, Puget Sound CS431"),
    Form(
        "rows joined by / or \\", "8 6 7/2 5 4/3 0 1", "speed solvers, slidysim, plansolve itself"
    ),
    Form("rows joined by ;, : or |, perhaps doubled", "8 6 7; 2 5 4; 3 0 1", "MATLAB, forum posts"),
    Form("dashes between tiles", "8-6-7\n2-5-4\n3-_-1", "simpleai"),
    Form("commas, semicolons or tabs between tiles", "8,6,7\n2,5,4\n3,,1", "spreadsheets, CSV"),
    Form("digits run together", "867254301", "Rosetta Code, Luogu, HDU"),
    Form("digits run together after 0x", "0x867254301", "Rosetta Code"),
    Form("digits run together in rows", "867\n254\n301", "puzzle pages"),
    Form("one tile per line", "8\n6\n7\n2\n5\n4\n3\n0\n1", "competitive programming"),
    Form("its size, then one tile per line", "3\n8\n6\n7\n2\n5\n4\n3\n0\n1", "42 school's maps"),
    Form("rows and columns, then rows", "3 3\n8 6 7\n2 5 4\n3 0 1", "competitive programming"),
    Form("number of tiles, the gap's goal cell", "8 -1\n8 6 7\n2 5 4\n3 0 1", "FMI Sofia homework"),
    Form("nothing at the gap", "8 6 7\n2 5 4\n3   1", "programs that print boards"),
    Form(
        "a word or sign for the gap",
        "8 6 7\n2 5 4\n3 None 1",
        "many programs; also null, blank, __, -, x, *",
    ),
    Form(
        "a drawing",
        "+---+---+---+\n| 8 | 6 | 7 |\n| 2 | 5 | 4 |\n| 3 |   | 1 |\n+---+---+---+",
        "forum posts; with Unicode boxes too",
    ),
    Form("brackets around tiles", "[8] [6] [7]\n[2] [5] [4]\n[3] [ ] [1]", "programs in C"),
    Form("a table", "| 8 | 6 | 7 |\n|---|---|---|\n| 2 | 5 | 4 |\n| 3 |   | 1 |", "Markdown"),
    Form("a list", "start = [[8, 6, 7], [2, 5, 4], [3, None, 1]]", "Python, JavaScript, JSON"),
    Form("braces", "int[][] a = {{8, 6, 7}, {2, 5, 4}, {3, 0, 1}};", "C, C++, Java"),
    Form("Lisp lists", "'((8 6 7) (2 5 4) (3 nil 1))", "Lisp, Scheme"),
    Form("a string in a program", 'String s = "867254301";', "Java, Python"),
    Form("a dictionary", "{'initial': [[8, 6, 7], [2, 5, 4], [3, 0, 1]]}", "Python, JavaScript"),
    Form("another JSON document", '{"state": "8 6 7/2 5 4/3 0 1"}', "web programs"),
    Form("an array", "array([[8, 6, 7],\n       [2, 5, 4],\n       [3, 0, 1]])", "numpy"),
    Form("a title and a last line", "Board 1\n8 6 7\n2 5 4\n3 0 1\nEND OF FILE", "UTA homework"),
    Form("board -> goal", "867254301 -> 123456780", "forum posts, command lines"),
    Form(
        "headings",
        "Initial state:\n8 6 7\n2 5 4\n3 0 1\nGoal state:\n1 2 3\n4 5 6\n7 8 0",
        "Ariel University homework; also start, goal, target, from, to",
    ),
)
