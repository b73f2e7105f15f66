"""The judgement as one HTML page; whatever programs print is hostile, so every text is escaped."""

from collections.abc import Iterator
from html import escape

from plansolve.apps.judge.ranking import Outcome, Standing
from plansolve.apps.judge.referee import Judgement
from plansolve.apps.judge.scoring import shown
from plansolve.formats import format_plan
from plansolve.puzzles.registry import goal_text
from plansolve.replay.tables_page import number_cell, sorted_table, tables_page
from plansolve.text import counted

_SHOWN_COMMAND = 300
_SHOWN_PLAN = 400
_SHOWN_DETAIL = 160


def html_page(judgement: Judgement) -> str:
    """Return the whole page, as text without surrogates, ready to be written as UTF-8."""
    page = "".join(_page(judgement))
    return page.encode("utf-8", "backslashreplace").decode()


def _page(judgement: Judgement) -> Iterator[str]:
    programs, boards = len(judgement.programs), len(judgement.boards)
    heading = f"{counted(programs, 'program')} on {counted(boards, 'board')}"
    return tables_page("plansolve judge", heading, _body(judgement))


def _body(judgement: Judgement) -> Iterator[str]:
    yield from _notices(judgement)
    yield "<h2>Ranking</h2>\n"
    yield from _ranking(judgement)
    yield "<h2>Boards</h2>\n"
    yield from _boards(judgement)
    yield "<h2>How it was judged</h2>\n"
    yield from _conditions(judgement)


def _text(text: str, longest: int) -> str:
    return escape(shown(text, longest))


def _notices(judgement: Judgement) -> Iterator[str]:
    if not judgement.is_complete:
        yield '<p class="notice">Interrupted: this report is not complete.</p>\n'
    for outcome in judgement.contradictions:
        yield (
            f'<p class="notice">A record is wrong: {_text(outcome.board, 80)}, '
            f"{_text(outcome.score.detail, _SHOWN_DETAIL)}.</p>\n"
        )


def _ranking(judgement: Judgement) -> Iterator[str]:
    contest = judgement.is_contest
    figures = ("placed", "moves", "transports") if contest else ("mean excess",)
    last = ("CPU seconds",) if contest else ("mean seconds",)
    names = ("rank", "program", "solved", "optimal", *figures, *last, "peak MB")
    headings = [(name, name != "program") for name in names]
    yield from sorted_table(headings, (_standing(judgement, s) for s in judgement.standings))


def _standing(judgement: Judgement, standing: Standing) -> str:
    program = next(p for p in judgement.programs if p.name == standing.program)
    runs = standing.runs
    cells = [
        number_cell(standing.rank),
        f"<td><b>{_text(standing.program, 80)}</b><small><code>"
        f"{_text(program.command, _SHOWN_COMMAND)}</code> ({program.protocol.name})</small></td>",
        number_cell(standing.solved, f"{standing.solved} of {runs}"),
        number_cell(standing.optimal, f"{standing.optimal} of {runs}"),
    ]
    if judgement.is_contest:
        figures = (standing.placed, standing.moves, standing.penalty)
        cells += [number_cell(figure) for figure in figures]
        cells.append(number_cell(standing.cpu_seconds, f"{standing.cpu_seconds:.2f}"))
    else:
        excess = standing.mean_excess
        mean = standing.mean_seconds
        cells.append(number_cell(excess, None if excess is None else f"{excess:.2f}"))
        cells.append(number_cell(mean, None if mean is None else f"{mean:.2f}"))
    cells.append(number_cell(standing.peak_memory, f"{standing.peak_memory / 1e6:.0f}"))
    return f"<tr>{''.join(cells)}</tr>\n"


def _boards(judgement: Judgement) -> Iterator[str]:
    headings = [("board", False), ("optimum", True)]
    headings += [(_text(program.name, 80), False) for program in judgement.programs]
    found = {(outcome.board, outcome.program): outcome for outcome in judgement.outcomes}
    names = [program.name for program in judgement.programs]
    rows = (
        f"<tr>{_board_cells(judgement, i)}"
        f"{''.join(_cell(found.get((board.name, name))) for name in names)}</tr>\n"
        for i, board in enumerate(judgement.boards)
    )
    yield from sorted_table(headings, rows)


def _board_cells(judgement: Judgement, place: int) -> str:
    board = judgement.boards[place]
    known, puzzle = judgement.known[board.name], board.problem.puzzle
    plan = ""
    if known.plan:
        told = _text(format_plan(known.plan, puzzle), _SHOWN_PLAN)
        plan = f"<details><summary>a plan</summary><code>{told}</code></details>"
    if known.solvable is False:
        optimum = '<td class="n" data-k="">unsolvable</td>'
    elif known.optimal_length is None:
        optimum = number_cell(known.lower_bound, f"≥ {known.lower_bound}")
    else:
        optimum = number_cell(known.optimal_length)
    goal = f"<small>to {_text(goal_text(puzzle), 80)}</small>"
    return f'<td data-k="{place}">{_text(board.name, 80)}{goal}{plan}</td>{optimum}'


def _cell(outcome: Outcome | None) -> str:
    if outcome is None:
        return "<td>not run</td>"
    score, run = outcome.score, outcome.run
    figures = f"{run.seconds:.2f} s, {run.peak_memory / 1e6:.0f} MB"
    return (
        f'<td class="{score.mark}"><b>{score.rating}</b>'
        f"<small>{_text(score.detail, _SHOWN_DETAIL)}</small><small>{figures}</small></td>"
    )


def _conditions(judgement: Judgement) -> Iterator[str]:
    limits, isolation = judgement.sandbox.limits, judgement.sandbox.isolation
    rules = (
        "tiles placed (squares solved where there are several), moves, transports, processor time"
        if judgement.is_contest
        else "boards solved, boards solved optimally, moves on the boards that all solved, time"
    )
    yield (
        f"<p>Ranked by {rules}. Each run had {limits.seconds:g} s and "
        f"{limits.memory / 2**20:.0f} MiB of memory. Isolation: {escape(isolation.name)}; "
        f"{escape(isolation.description)}. “Optimal” means proved; “optimal as recorded” "
        "rests on the word of the instance set. Every plan was replayed."
        "</p>\n"
    )
