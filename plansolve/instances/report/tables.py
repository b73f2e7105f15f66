"""The contents of a store as tables: a row for each set and engine, and a row for each board.

The columns of the boards are also the keys of `plansolve.row/1`, one line of JSON per board.
"""

from collections.abc import Iterable, Sequence
from statistics import mean, median
from typing import Any

from plansolve.formats.json_document import problem_text
from plansolve.instances.batch import Outcome
from plansolve.instances.report.contents import gaps, is_settled
from plansolve.model.problem import MoveNames, Problem
from plansolve.puzzles.registry import DEFAULT_PUZZLE, goal_text, made
from plansolve.records.board import Attempt
from plansolve.tables import Cell, Table, Value
from plansolve.text import PROVED, at_least, counted

ROW_SCHEMA = "plansolve.row/1"

COLUMNS = (
    "set", "name", "puzzle", "goal", "status", "length", "lower_bound", "recorded_length",
    "engine", "lower_bound_by", "upper_bound_by", "stop_reason", "seconds", "nodes", "conflicts",
    "host", "began", "version", "error", "plan", "board",
)  # fmt: skip


def boards_table(results: Iterable[Outcome]) -> Table:
    """Return a row for each board, for programs."""
    return Table("Boards", COLUMNS, [[*fields_of(result).values()] for result in results])


def fields_of(result: Outcome) -> dict[str, Any]:
    """Return the values of `COLUMNS`; unknown ones are None."""
    board, attempt = result.board, result.attempt
    fields: dict[str, Any] = dict.fromkeys(COLUMNS)
    if attempt is not None:
        fields |= {name: value for name, value in vars(attempt).items() if name in fields}
        if attempt.plan is not None:
            fields["plan"] = str(MoveNames.of(attempt.plan.split(), board.problem.puzzle))
    return fields | {
        "set": board.set_name,
        "name": board.name,
        "puzzle": board.problem.puzzle.title,
        "goal": goal_text(board.problem.puzzle),
        "recorded_length": board.optimal_length,
        "status": "not attempted" if attempt is None else attempt.status,
        "board": board_line(board.problem),
    }


def board_line(problem: Problem) -> str:
    """Return a text that can be read as the problem: its numbers, or the JSON document."""
    puzzle = problem.puzzle
    is_usual = puzzle.rows == puzzle.columns and puzzle.name == DEFAULT_PUZZLE
    if is_usual and puzzle == made(DEFAULT_PUZZLE, puzzle.rows, puzzle.columns):
        return " ".join(map(str, problem.start))
    return problem_text(problem)


def attempt_text(attempt: Attempt, goal: str) -> str:
    """Return the outcome of an attempt in the words of `solve`, with the goal."""
    moves, bound = counted(attempt.length or 0, "move"), at_least(attempt.lower_bound, "move")
    match attempt.status:
        case "optimal":
            return f"{moves} to {goal}, {PROVED}"
        case "feasible":
            least = at_least(attempt.lower_bound)
            return f"{moves} to {goal}, not {PROVED} ({attempt.error}): {least}"
        case "unsolvable":
            return f"unsolvable, no plan to {goal}: {attempt.error}"
        case "no plan within horizon":
            return f"no plan to {goal} within the horizon: {bound}"
        case "unknown":
            return f"gave up ({attempt.error}), no plan to {goal} yet: {bound}"
    return f"failed: {attempt.error}"


def groups_table(results: Iterable[Outcome]) -> Table:
    """Return a row for each set and engine; the gap sums plans minus bounds."""
    groups: dict[tuple[str, str], list[Attempt | None]] = {}
    for result in results:
        engine = "-" if result.attempt is None else result.attempt.engine
        groups.setdefault((result.board.set_name, engine), []).append(result.attempt)
    columns = (
        *("set", "engine", "boards", "proved", "plan only", "failed", "mean length", "gap"),
        *("seconds", "median", "nodes"),
    )
    rows = [[name, engine, *_figures(group)] for (name, engine), group in groups.items()]
    return Table("Sets and engines", columns, rows)


def _figures(attempts: Sequence[Attempt | None]) -> list[Cell | Value]:
    made = [attempt for attempt in attempts if attempt is not None]
    lengths = [attempt.length for attempt in made if attempt.length is not None]
    seconds = [attempt.seconds for attempt in made]
    proved = sum(is_settled(attempt) for attempt in made)
    return [
        len(attempts),
        Cell(proved, mark="good" if proved == len(attempts) else ""),
        sum(attempt.status == "feasible" for attempt in made),
        sum(attempt.status == "error" for attempt in made),
        Cell(mean(lengths), f"{mean(lengths):.2f}") if lengths else None,
        sum(upper - lower for lower, upper in gaps(made)),
        Cell(sum(seconds), f"{sum(seconds):.1f}"),
        Cell(median(seconds), f"{median(seconds):.3f}") if seconds else None,
        sum(attempt.nodes or 0 for attempt in made),
    ]
