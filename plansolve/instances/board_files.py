"""Many boards in one file: as text, as CSV, or as a page to print."""

from collections.abc import Iterator, Sequence
from html import escape

from plansolve.errors import BoardError, InputError
from plansolve.formats import BoardDocument, make, parse_all, specify, write_problem
from plansolve.instances.instance_set import natural_format
from plansolve.instances.report.tables import board_line
from plansolve.model.problem import Problem
from plansolve.puzzles.registry import goal_text
from plansolve.records.board import Board
from plansolve.replay.svg import board_svg
from plansolve.tables import Table, Value, as_csv, html_page, paragraph
from plansolve.text import counted

_STYLE = """
.sheet{display:grid;margin:1rem 0;gap:1.5rem;
grid-template-columns:repeat(auto-fill,minmax(min(100%%,%grem),1fr))}
figure{margin:0;max-width:26rem;break-inside:avoid}figure svg{width:100%%;height:auto}
@page{margin:15mm}@media print{main{padding:0;max-width:none}h1{font-size:1.25rem}}
"""
_REM = 2.75
"""The least width of a column of a board on the page."""


def boards_text(boards: Sequence[Board], format_: str | None = None) -> str:
    """Return the boards with empty lines between; raise `BoardError` if that is not readable."""
    problems = [board.problem for board in boards]
    format_ = format_ or natural_format(problems[0])
    text = "\n".join(write_problem(problem, format_) for problem in problems)
    if len(problems) > 1 and not _says(text, problems):
        raise BoardError(
            f"{format_} does not hold several boards in one file: give -o a name that ends with "
            ".csv, or a folder"
        )
    return text


def _says(text: str, problems: Sequence[Problem]) -> bool:
    documents = [found for _, found in parse_all(text)]
    try:
        read = [make(specify(found)) for found in documents if isinstance(found, BoardDocument)]
    except InputError:
        return False
    return [(p.start, p.goal) for p in read] == [(p.start, p.goal) for p in problems]


def boards_csv(boards: Sequence[Board]) -> str:
    """Return a row for each board, whose column `board` can be read as the problem."""
    columns = ("name", "puzzle", "goal", "optimal_length", "note", "board")
    rows: list[list[Value]] = [
        [
            name,
            board.problem.puzzle.title,
            goal_text(board.problem.puzzle),
            board.optimal_length,
            board.note,
            board_line(board.problem),
        ]
        for name, board in enumerate(boards, start=1)
    ]
    return "".join(as_csv(Table("", columns, rows)))


def boards_page(boards: Sequence[Board], title: str, source: str) -> str:
    """Return a page with pictures of the goal and each board, and with their source."""
    width = _REM * max(3, boards[0].problem.puzzle.columns)
    return html_page(title, title, _body(boards, source), _STYLE % width)


def _body(boards: Sequence[Board], source: str) -> Iterator[str]:
    puzzle = boards[0].problem.puzzle
    yield '<div class="sheet">\n'
    yield _figure(board_svg(puzzle, puzzle.goal_board), "goal")
    for number, board in enumerate(boards, start=1):
        length = board.optimal_length
        known = "" if length is None else f": {counted(length, 'move')}"
        known = known if board.solvable else ": no plan"
        yield _figure(board_svg(puzzle, board.problem.start), f"{number}{known}")
    yield "</div>\n"
    yield paragraph(source)


def _figure(picture: str, caption: str) -> str:
    return f"<figure>{picture}<figcaption>{escape(caption)}</figcaption></figure>\n"
