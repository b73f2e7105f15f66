"""A judgement as tables, as a JSON document, as CSV with one line per run, and as an HTML page."""

from collections.abc import Iterator
from dataclasses import asdict
from datetime import date
from typing import Any

from plansolve.apps.judge.ranking import Outcome, Standing
from plansolve.apps.judge.referee import Judgement
from plansolve.formats import format_plan
from plansolve.formats.json_document import puzzle_entry
from plansolve.puzzles.registry import goal_name, goal_text
from plansolve.puzzles.rules import written_goal
from plansolve.tables import Cell, Table, Value, as_csv, as_html, html_page, paragraph
from plansolve.text import counted, shown

SCHEMA = "plansolve.judgement/1"

_MOST_MOVES = 10_000
"""The document has only the figures of longer plans, since output is untrusted."""

_LONGEST_NAME, _LONGEST_NAME_ON_PAGE = 40, 80
_SHORT_DETAIL = 40
"""A longer detail is folded on the page."""
_WIDE = 120

_COLUMNS = (
    "board", "goal", "program", "verdict", "solves", "length", "optimal_length", "lower_bound",
    "excess", "placed", "transports", "step", "seconds", "cpu_seconds", "peak_memory", "exit_code",
    "signal", "detail",
)  # fmt: skip


def tables(judgement: Judgement, *, details: bool, width: int | None = None) -> list[Table]:
    """Return the standings, with `details` also every run; a small `width` shows fewer figures."""
    standings = _standings(judgement)
    if not details:
        return [standings]
    figures = ("seconds",) if width is not None and width < _WIDE else ("seconds", "CPU s", "MB")
    columns = ("board", "program", "verdict", *figures, "detail")
    runs = [_run_cells(outcome, len(figures)) for outcome in judgement.outcomes]
    return [standings, Table("Runs", columns, runs)]


def goals_line(judgement: Judgement) -> str:
    """Return the line that names the goals of all boards, after the tables."""
    goals = dict.fromkeys(goal_text(board.problem.puzzle) for board in judgement.boards)
    return f"goal: {shown(', '.join(goals))}"


def _standings(judgement: Judgement) -> Table:
    contest = judgement.is_contest
    figures = ("placed", "moves", "transports", "CPU s") if contest else ("excess", "mean s")
    columns = ("rank", "program", "solved", "optimal", *figures)
    rows = [_standing_cells(judgement, standing) for standing in judgement.standings]
    return Table("Ranking", columns, rows)


def _standing_cells(judgement: Judgement, standing: Standing) -> list[Cell]:
    program = next(p for p in judgement.programs if p.name == standing.program)
    runs, solved, optimal = standing.runs, standing.solved, standing.optimal
    command = f"{shown(program.command)} ({program.protocol.name})"
    memory = f"peak memory {standing.peak_memory / 1e6:.0f} MB"
    cells = [
        Cell(standing.rank),
        Cell(standing.program, shown(standing.program, _LONGEST_NAME), notes=(command, memory)),
        Cell(solved, f"{solved}/{runs}"),
        Cell(optimal, f"{optimal}/{runs}", "good" if optimal == runs else ""),
    ]
    if judgement.is_contest:
        cells += map(Cell, (standing.placed, standing.moves, standing.penalty))
        return [*cells, Cell(standing.cpu_seconds, f"{standing.cpu_seconds:.2f}")]
    means = (standing.mean_excess, standing.mean_seconds)
    return cells + [Cell(mean, "" if mean is None else f"{mean:.2f}") for mean in means]


def _run_cells(outcome: Outcome, figures: int) -> list[Cell]:
    run, score = outcome.run, outcome.score
    measured = [
        Cell(run.seconds, f"{run.seconds:.2f}"),
        Cell(run.cpu_seconds, f"{run.cpu_seconds:.2f}"),
        Cell(run.peak_memory, f"{run.peak_memory / 1e6:.0f}"),
    ]
    return [
        Cell(shown(outcome.board, _LONGEST_NAME)),
        Cell(shown(outcome.program, _LONGEST_NAME)),
        Cell(score.rating.value, mark=score.mark),
        *measured[:figures],
        Cell(score.detail),
    ]


def judgement_document(judgement: Judgement) -> dict[str, Any]:
    """Return the judgement as an object for JSON.

    Moves are operator names, which name the motion of the tile; times are in seconds, memory in
    bytes.
    """
    limits, isolation = judgement.sandbox.limits, judgement.sandbox.isolation
    return {
        "schema": SCHEMA,
        "complete": judgement.is_complete,
        "all_optimal": judgement.is_all_right,
        "ranking": "contest" if judgement.is_contest else "general",
        "limits": asdict(limits),
        "isolation": asdict(isolation),
        "programs": [_program(judgement, standing) for standing in judgement.standings],
        "boards": _boards(judgement),
        "runs": [_run(outcome) for outcome in judgement.outcomes],
    }


def csv_text(judgement: Judgement) -> str:
    """Return one line per run, after a line of column names; lines end as RFC 4180 says."""
    goals = {board.name: goal_text(board.problem.puzzle) for board in judgement.boards}
    rows: list[list[Cell | Value]] = []
    for outcome in judgement.outcomes:
        known = judgement.known[outcome.board]
        fields = _run(outcome) | {
            "goal": goals[outcome.board],
            "optimal_length": known.optimal_length,
            "lower_bound": known.lower_bound if known.solvable is not False else None,
        }
        rows.append([fields[column] for column in _COLUMNS])
    return "".join(as_csv(Table("Runs", _COLUMNS, rows)))


def _program(judgement: Judgement, standing: Standing) -> dict[str, Any]:
    program = next(p for p in judgement.programs if p.name == standing.program)
    figures = asdict(standing)
    return figures | {
        "transports": figures.pop("penalty"),
        "command": program.command,
        "protocol": program.protocol.name,
        "moves": program.convention,
        "total_moves": standing.moves,
        "mean_seconds": standing.mean_seconds,
    }


def _boards(judgement: Judgement) -> list[dict[str, Any]]:
    return [
        {
            "board": board.name,
            "puzzle": puzzle_entry(board.problem.puzzle),
            "start": board.problem.puzzle.in_rows(board.problem.start),
            "goal": written_goal(board.problem.puzzle),
            "goal_name": goal_name(board.problem.puzzle),
            "optimal_length": known.optimal_length,
            "lower_bound": None if known.solvable is False else known.lower_bound,
            "solvable": known.solvable,
            "source": known.source,
            "reason": known.reason,
            "plan": known.plan,
        }
        for board in judgement.boards
        for known in (judgement.known[board.name],)
    ]


def _run(outcome: Outcome) -> dict[str, Any]:
    score, run = outcome.score, outcome.run
    return {
        "board": outcome.board,
        "program": outcome.program,
        "verdict": score.rating.value,
        "solves": score.solves,
        "detail": score.detail,
        "length": score.length,
        "excess": score.excess,
        "placed": score.placed,
        "transports": score.penalty,
        "step": score.step,
        "plan": None if score.plan is None or len(score.plan) > _MOST_MOVES else score.plan,
        "seconds": round(run.seconds, 3),
        "cpu_seconds": round(run.cpu_seconds, 3),
        "peak_memory": run.peak_memory,
        "exit_code": run.exit_code,
        "signal": run.signal,
    }


def judgement_page(judgement: Judgement) -> str:
    """Return the page; output of programs is untrusted, and appears only as escaped text."""
    programs, boards = len(judgement.programs), len(judgement.boards)
    heading = f"{counted(programs, 'program')} on {counted(boards, 'board')}"
    return html_page("plansolve judge", heading, _body(judgement))


def _body(judgement: Judgement) -> Iterator[str]:
    sets = ", ".join(dict.fromkeys(board.set_name or board.name for board in judgement.boards))
    limits = judgement.sandbox.limits
    yield paragraph(
        f"Boards: {shown(sets)}. Judged on {date.today().isoformat()}. "
        f"Each run had {limits.seconds:g} s and {limits.memory / 2**20:.0f} MiB of memory."
    )
    if not judgement.is_complete:
        yield paragraph("Interrupted: this report is not complete.", "notice")
    for outcome in judgement.contradictions:
        board, what = shown(outcome.board, _LONGEST_NAME_ON_PAGE), outcome.score.detail
        yield paragraph(f"A record is wrong: {board}, {shown(what)}.", "notice")
    yield from as_html(_standings(judgement))
    yield from as_html(_boards_by_programs(judgement))
    yield "<h2>How it was judged</h2>\n"
    yield paragraph(_conditions(judgement))


def _boards_by_programs(judgement: Judgement) -> Table:
    found = {(outcome.board, outcome.program): outcome for outcome in judgement.outcomes}
    names = [program.name for program in judgement.programs]
    rows = []
    for board in judgement.boards:
        known, puzzle = judgement.known[board.name], board.problem.puzzle
        optimum = Cell(known.optimal_length)
        if known.solvable is False:
            optimum = Cell(None, "unsolvable")
        elif known.optimal_length is None:
            optimum = Cell(known.lower_bound, f"≥ {known.lower_bound}")
        plan = shown(format_plan(known.plan, puzzle)) if known.plan else ""
        name = Cell(
            board.name,
            shown(board.name, _LONGEST_NAME_ON_PAGE),
            notes=(f"to {shown(goal_text(puzzle), _LONGEST_NAME_ON_PAGE)}",),
            folded=("a plan", plan) if plan else None,
        )
        rows.append([name, optimum, *(_outcome_cell(found.get((board.name, n))) for n in names)])
    programs = (shown(name, _LONGEST_NAME_ON_PAGE) for name in names)
    return Table("Boards", ("board", "optimum", *programs), rows)


def _outcome_cell(outcome: Outcome | None) -> Cell:
    if outcome is None:
        return Cell("not run")
    score, run = outcome.score, outcome.run
    figures = f"{run.seconds:.2f} s, {run.peak_memory / 1e6:.0f} MB"
    detail = shown(score.detail)
    if len(detail) <= _SHORT_DETAIL:
        return Cell(score.rating.value, mark=score.mark, notes=(detail, figures))
    return Cell(score.rating.value, mark=score.mark, notes=(figures,), folded=("why", detail))


def _conditions(judgement: Judgement) -> str:
    isolation = judgement.sandbox.isolation
    rules = (
        "tiles placed (on several squares: squares solved), moves, transports, processor time"
        if judgement.is_contest
        else "boards solved, boards solved optimally, boards with a plan, moves on the boards that "
        "tied programs all solved, time"
    )
    return (
        f"Ranked by {rules}. Isolation: {isolation.name}. {isolation.description} "
        f"{isolation.memory} “Optimal” means proved in this run, “optimal (earlier proof)” in an "
        "earlier one, and “optimal as recorded” recorded without a proof. Every plan was replayed."
    )
