"""The judgement as tables of text."""

from plansolve.apps.judge.ranking import Outcome, Standing
from plansolve.apps.judge.referee import Judgement
from plansolve.apps.judge.scoring import shown
from plansolve.puzzles.registry import goal_text
from plansolve.replay.text_table import ReportTable

_LONGEST_NAME = 40
_LONGEST_GOALS = 200
_WIDE = 120
_STYLES = {"good": "green", "fair": "yellow", "bad": "red", "odd": "bold magenta"}


def tables(
    judgement: Judgement, *, details: bool, width: int | None = None
) -> tuple[ReportTable, ...]:
    """Return the standings, with `details` every run, in a small `width` fewer figures."""
    standings = _standings(judgement)
    if not details:
        return (standings,)
    return standings, _runs(judgement, is_brief=width is not None and width < _WIDE)


def goals_line(judgement: Judgement) -> str:
    """Return the line that names the goals of all boards, after the tables."""
    goals = dict.fromkeys(goal_text(board.problem.puzzle) for board in judgement.boards)
    return f"goal: {shown(', '.join(goals), _LONGEST_GOALS)}"


def _standings(judgement: Judgement) -> ReportTable:
    contest = judgement.is_contest
    figures = ("placed", "moves", "transports", "CPU s") if contest else ("excess", "mean s")
    headings = ("rank", "program", "solved", "optimal", *figures)
    rows = [_standing_row(standing, contest) for standing in judgement.standings]
    numbers = (True, False, *(True for _ in headings[2:]))
    styles = tuple("green" if s.optimal == s.runs else "" for s in judgement.standings)
    return ReportTable(headings, numbers, tuple(rows), styles)


def _standing_row(standing: Standing, contest: bool) -> tuple[str, ...]:
    first = (
        str(standing.rank),
        shown(standing.program, _LONGEST_NAME),
        f"{standing.solved}/{standing.runs}",
        f"{standing.optimal}/{standing.runs}",
    )
    if contest:
        figures = (standing.placed, standing.moves, standing.penalty)
        return (*first, *map(str, figures), f"{standing.cpu_seconds:.2f}")
    excess = "-" if standing.mean_excess is None else f"{standing.mean_excess:.2f}"
    mean = "-" if standing.mean_seconds is None else f"{standing.mean_seconds:.2f}"
    return (*first, excess, mean)


def _runs(judgement: Judgement, *, is_brief: bool) -> ReportTable:
    figures = ("seconds",) if is_brief else ("seconds", "CPU s", "MB")
    headings = ("board", "program", "verdict", *figures, "what")
    return ReportTable(
        headings,
        tuple(heading in figures for heading in headings),
        tuple(_run_row(outcome, len(figures)) for outcome in judgement.outcomes),
        tuple(_STYLES[outcome.score.mark] for outcome in judgement.outcomes),
    )


def _run_row(outcome: Outcome, count: int) -> tuple[str, ...]:
    run, score = outcome.run, outcome.score
    figures = (f"{run.seconds:.2f}", f"{run.cpu_seconds:.2f}", f"{run.peak_memory / 1e6:.0f}")
    return (
        shown(outcome.board, _LONGEST_NAME),
        shown(outcome.program, _LONGEST_NAME),
        score.rating.value,
        *figures[:count],
        score.detail,
    )
