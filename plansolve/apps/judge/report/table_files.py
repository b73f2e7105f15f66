"""The judgement as a JSON document, and as CSV with one line a run."""

import csv
import io
from dataclasses import asdict
from typing import Any

from plansolve.apps.judge.ranking import Outcome, Standing
from plansolve.apps.judge.referee import Judgement
from plansolve.formats.json_document import puzzle_entry
from plansolve.puzzles.registry import goal_name, goal_text
from plansolve.text import without_formula

SCHEMA = "plansolve.judgement/1"

_MOST_MOVES = 10_000
"""Of longer plans the document has the figures only: output is hostile."""

_COLUMNS = (
    "board", "goal", "program", "verdict", "solves", "length", "optimal_length", "lower_bound",
    "excess", "placed", "transports", "step", "seconds", "cpu_seconds", "peak_memory", "exit_code",
    "signal", "detail",
)  # fmt: skip


def judgement_document(judgement: Judgement) -> dict[str, Any]:
    """Return the judgement as an object for JSON.

    Moves are operator names, which tell the motion of the tile; times are in seconds, memory in
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
        "runs": [_run(judgement, outcome) for outcome in judgement.outcomes],
    }


def csv_text(judgement: Judgement) -> str:
    """Return one line a run, after a line of column names; lines end as RFC 4180 says."""
    stream = io.StringIO()
    writer = csv.DictWriter(stream, _COLUMNS, extrasaction="ignore")
    writer.writeheader()
    goals = {board.name: goal_text(board.problem.puzzle) for board in judgement.boards}
    for outcome in judgement.outcomes:
        known = judgement.known[outcome.board]
        fields = _run(judgement, outcome) | {
            "goal": goals[outcome.board],
            "optimal_length": known.optimal_length,
            "lower_bound": known.lower_bound if known.solvable is not False else None,
        }
        writer.writerow({name: without_formula(value) for name, value in fields.items()})
    return stream.getvalue()


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
    boards = []
    for board in judgement.boards:
        known, puzzle = judgement.known[board.name], board.problem.puzzle
        boards.append(
            {
                "board": board.name,
                "puzzle": puzzle_entry(puzzle),
                "start": puzzle.in_rows(board.problem.start),
                "goal": puzzle.in_rows(puzzle.goal),
                "goal_name": goal_name(puzzle),
                "optimal_length": known.optimal_length,
                "lower_bound": None if known.solvable is False else known.lower_bound,
                "solvable": known.solvable,
                "source": known.source,
                "reason": known.reason,
                "plan": known.plan,
            }
        )
    return boards


def _run(judgement: Judgement, outcome: Outcome) -> dict[str, Any]:
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
