"""Each board written in each form is read as itself, and no text makes the reader fail."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plansolve.errors import InputError
from plansolve.formats import read_problem
from plansolve.puzzles.registry import make_puzzle

DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def lines(rows, between=" ", gap="0"):
    return [between.join(gap if tile == 0 else str(tile) for tile in row) for row in rows]


def columns(rows, gap):
    width = len(str(max(map(max, rows))))
    return [" ".join(f"{gap if tile == 0 else tile:>{width}}" for tile in row) for row in rows]


def drawn(rows, corner="+", flat="-", bar="|"):
    width = len(str(max(map(max, rows)))) + 2
    rule = corner + corner.join(flat * width for _ in rows[0]) + corner
    shown = [
        bar + bar.join(f"{tile or '':^{width}}" for tile in row) + bar + "\n" + rule for row in rows
    ]
    return "\n".join([rule, *shown])


def markdown(rows):
    first, *others = ["| " + " | ".join(str(tile or "") for tile in row) + " |" for row in rows]
    return "\n".join([first, "|" + "---|" * len(rows[0]), *others])


def digits(rows):
    return ["".join(DIGITS[tile] for tile in row) for row in rows]


ANY = {
    "slashes": lambda rows: "/".join(lines(rows)),
    "spaced slashes": lambda rows: " / ".join(lines(rows, gap=".")),
    "backslashes": lambda rows: "\\".join(lines(rows)),
    "semicolons": lambda rows: ";".join(lines(rows)),
    "bars": lambda rows: "|".join(lines(rows)),
    "commas and slashes": lambda rows: "/".join(lines(rows, ",")),
    "commas between rows": lambda rows: ",\n".join(lines(rows)),
    "dashes": lambda rows: "\n".join(lines(rows, "-", "_")),
    "columns": lambda rows: "\n".join(columns(rows, "")),
    "underscores": lambda rows: "\n".join(columns(rows, "__")),
    "words": lambda rows: "\n".join(lines(rows, gap="None")),
    "hyphen": lambda rows: "\n".join(lines(rows, gap="-")),
    "star": lambda rows: "\n".join(lines(rows, gap="*")),
    "tabs": lambda rows: "\n".join(lines(rows, "\t", "")),
    "csv": lambda rows: "\n".join(lines(rows, ",", "")),
    "drawn": drawn,
    "box": lambda rows: drawn(rows, "┼", "─", "│"),
    "markdown": markdown,
    "assigned": lambda rows: f"board = {rows}",
    "braces": lambda rows: "{{" + "},{".join(lines(rows, ",")) + "}};",
    "java": lambda rows: "int[][] b = {\n{" + "},\n{".join(lines(rows, ", ")) + "}\n};",
    "lists": lambda rows: "\n".join(f"[{row}]," for row in lines(rows, ", ")),
    "quoted": lambda rows: str([[str(tile or "X") for tile in row] for row in rows]),
    "none": lambda rows: str([[tile or None for tile in row] for row in rows]),
    "numpy": lambda rows: "array([[" + "],\n       [".join(lines(rows, ", ")) + "]])",
    "title": lambda rows: "Board 7\n" + "\n".join(lines(rows)),
    "foot": lambda rows: "\n".join([*lines(rows), "END OF FILE"]),
    "heading": lambda rows: "Initial state:\n" + "\n".join(lines(rows)),
    "rows and columns": lambda rows: f"{len(rows)} {len(rows[0])}\n" + "\n".join(lines(rows)),
    "fenced": lambda rows: "```text\n" + "\n".join(lines(rows)) + "\n```",
    "remarks": lambda rows: "\n".join(f"{row} // and" for row in lines(rows)),
}
SQUARE = {
    "on one line": lambda rows: " ".join(lines(rows)),
    "one a line": lambda rows: "\n".join(lines(rows, "\n", "x")),
    "size and one a line": lambda rows: f"{len(rows)}\n" + "\n".join(lines(rows, "\n")),
    "tiles and gap": lambda rows: f"{len(rows) ** 2 - 1}\n-1\n" + "\n".join(lines(rows)),
    "tiles and gap on one line": lambda rows: f"{len(rows) ** 2 - 1} -1\n" + "\n".join(lines(rows)),
    "digits": lambda rows: "".join(digits(rows)),
    "digits in rows": lambda rows: "\n".join(digits(rows)),
    "digits and slashes": lambda rows: "/".join(digits(rows)),
    "hexadecimal": lambda rows: "0x" + "".join(digits(rows)),
}


@st.composite
def boards(draw, *, square=False):
    height = draw(st.integers(3, 5))
    width = height if square else draw(st.integers(3, 6))
    cells = draw(st.permutations(range(height * width)))
    return [cells[i : i + width] for i in range(0, len(cells), width)]


@pytest.mark.parametrize("form", [*ANY, *SQUARE])
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_a_board_in_a_form_is_read_as_itself(form, data):
    rows = data.draw(boards(square=form in SQUARE))
    problem = read_problem((ANY | SQUARE)[form](rows))
    assert problem.puzzle == make_puzzle("sliding", len(rows), len(rows[0]))
    assert [*map(list, problem.puzzle.in_rows(problem.start))] == rows


SIGNS = [*"0123456789 .,;|/\\-+_xX*#[]{}()=:'\"\t\n", "goal:", "None", "END", "|---|", "\n\n", "é"]


def mutated(seed):
    """A board in some form, damaged in one to four places."""
    choice = random.Random(seed)
    side = choice.choice((2, 3, 3, 4))
    cells = choice.sample(range(side * side), side * side)
    rows = [cells[i : i + side] for i in range(0, len(cells), side)]
    text = choice.choice([*(ANY | SQUARE).values()])(rows)
    for _ in range(choice.randint(1, 4)):
        place = choice.randint(0, len(text))
        until = min(len(text), place + choice.choice((0, 0, 1, 2, 9)))
        match choice.randrange(3):
            case 0:
                text = text[:place] + choice.choice(SIGNS) + text[until:]
            case 1:
                text = text[:place] + text[until:]
            case _:
                text = text[:until] + text[place:until] * choice.choice((1, 3)) + text[until:]
    return text


def read_mutated(seeds):
    """Read damaged boards; return how many were read."""
    count = 0
    for seed in seeds:
        try:
            problem = read_problem(mutated(seed))
        except InputError as error:
            assert str(error) and "\n" not in str(error)
        else:
            cells = sorted(problem.start)
            assert cells == sorted(problem.goal) and len(cells) == problem.puzzle.cells
            count += 1
    return count


@pytest.mark.parametrize("count", [300, pytest.param(100_000, marks=pytest.mark.slow)])
def test_damaged_boards_are_read_or_refused(count):
    assert 0 < read_mutated(range(count)) < count
