"""A result in words: the one place for what every program says of plans, bounds and proofs."""

from collections.abc import Sequence
from itertools import pairwise

from plansolve.model.problem import Problem
from plansolve.model.puzzle import Puzzle
from plansolve.puzzles.registry import to_goal
from plansolve.solvers.evidence import tables_among
from plansolve.solvers.formula.backends import FORMULA_ENGINES
from plansolve.solvers.result import Result, Status, StopReason
from plansolve.solvers.statistics import Statistics
from plansolve.text import PROVED, at_least, counted, within

_TECHNIQUES = {
    "cnf": "SAT",
    "cp-sat": "CP-SAT",
    "breadth-first": "breadth-first search",
    "astar": "A* search",
    "idastar": "IDA* search",
    "beam": "beam search",
    "constructive": "constructive search",
}

# Ends that a user should hear of even where there is a plan.
_UNASKED = (StopReason.MEMORY, StopReason.CRASH, StopReason.INTERRUPTED)


def summary(problem: Problem, result: Result, max_horizon: int | None, seconds: float) -> str:
    """Return one line for people: what was found, what was proved and how, in how long."""
    known, how = headline(problem.puzzle, result, max_horizon), proof(result)
    if result.status == Status.OPTIMAL and result.length:
        known = known.replace(PROVED, f"{PROVED} ({_proved_by(result)})", 1)
        how = _how(result, with_prover=False)
    return f"{known}: {how}; {seconds:.1f} s"


def headline(puzzle: Puzzle, result: Result, max_horizon: int | None = None) -> str:
    """Return what was found and what is known of it; `max_horizon` is that of the search."""
    goal = to_goal(puzzle)
    match result.status:
        case Status.UNSOLVABLE:
            return f"unsolvable{goal}"
        case Status.NO_PLAN_WITHIN_HORIZON:
            assert max_horizon is not None
            return f"proved: no plan of {counted(max_horizon, 'move')} or fewer{goal}"
        case Status.UNKNOWN:
            return f"gave up ({result.explanation}), no plan{goal} yet"
    moves = f"{counted(result.length or 0, 'move')}{goal}"
    if result.status == Status.OPTIMAL:
        return f"{moves}, {PROVED}{_second_key(puzzle, result)}"
    stopped = f" ({result.explanation})" if result.stop_reason in _UNASKED else ""
    return f"{moves}, not {PROVED}{stopped}"


def proof(result: Result) -> str:
    """Return what is proved and how, or why the board is unsolvable."""
    if result.status == Status.UNSOLVABLE:
        return result.explanation
    if result.length == 0:
        return "the board is the goal"
    bound = ""
    if result.status in (Status.FEASIBLE, Status.UNKNOWN):
        # After a plan's length nobody need be told what is counted.
        bound = f"{at_least(result.lower_bound, '' if result.plan else 'move')}, "
        if ratio := within(result.length or 0, result.lower_bound):
            bound += f"so this one is {ratio}, "
    return f"{bound}{_how(result)}"


def not_decided(lower_bound: int | None, explanation: str, noun: str = "") -> str:
    """Return what is left to say of a claim that is neither proved nor refuted."""
    return f"not decided ({explanation}), {at_least(lower_bound, noun)}"


def only_claimed(lower_bound: int, by: str) -> str:
    """Return what an engine says that no proof shows."""
    return f"{lower_bound} or more is only claimed, by {by}"


def penalty(puzzle: Puzzle, count: int | None, known: str = "") -> str:
    """Return a plan's penalty, the second key of the ranking; "" where no move has one."""
    penalised = {o.name: o.penalty for o in puzzle.operators if o.penalty}
    if not penalised:
        return ""
    # The moves' names where each costs 1.
    what = "/".join(penalised) if set(penalised.values()) <= {1} else "penalty"
    return f"{count} {what} ({known})" if known else f"{count} {what}"


def fewest(is_least: bool) -> str:
    """Return what is known of a plan's penalty."""
    return "the fewest" if is_least else "not proved the fewest"


def such_plans(count: int, is_every_plan: bool = True) -> str:
    """Return how many shortest plans there are, or at least are."""
    if not is_every_plan:
        return f"at least {count} such plans"
    return "the only such plan" if count == 1 else f"{count} such plans"


def technique(engine: str) -> str:
    """Return what an engine does, in the field's words; the name itself where it says it."""
    return _TECHNIQUES.get(engine, engine)


def _proved_by(result: Result) -> str:
    """Return what proved that no plan is shorter."""
    statistics = result.statistics
    if result.lower_bound == statistics.initial_bound:
        return statistics.initial_bound_by
    if result.lower_bound == statistics.first_horizon:
        return f"{statistics.initial_bound_by} and parity"
    prover = technique(result.lower_bound_by)
    if by_search := statistics.refuted_by_search:
        is_alone = by_search == statistics.refuted
        prover = "breadth-first search" if is_alone else f"breadth-first search and {prover}"
    return f"{prover}{_with_tables(result)}"


def _second_key(puzzle: Puzzle, result: Result) -> str:
    """Return the penalty, and how many shortest plans there are, where that was asked."""
    if not result.length:
        return ""
    parts = []
    if result.plan_count is None or result.is_least_penalty:
        parts.append(penalty(puzzle, result.penalty, fewest(result.is_least_penalty)))
    if result.plan_count is not None:
        parts.append(such_plans(result.plan_count, result.is_every_plan))
    return "".join(f", {part}" for part in parts if part)


def _how(result: Result, *, with_prover: bool = True) -> str:
    """Return the first bound, and what came to a larger one and found the plan."""
    statistics = result.statistics
    first, initial = statistics.first_horizon, statistics.initial_bound
    text = f"first bound {initial} ({statistics.initial_bound_by})"
    if first != initial:
        text += f", {first} by parity"
    formula = next((e for e in (result.engine, result.lower_bound_by) if e in FORMULA_ENGINES), "")
    if formula and statistics.options is not None:
        text += f"; {_refuted(statistics, formula)}"
        are_searched = statistics.refuted and statistics.refuted == statistics.refuted_by_search
        if result.upper_bound_by == formula and are_searched:
            text += f"; plan by {technique(formula)}"
    elif with_prover and result.lower_bound is not None and result.lower_bound > first:
        text += f"; {result.lower_bound} by {technique(result.lower_bound_by)}"
    text += units_of_store(result)
    if result.upper_bound_by not in ("", result.lower_bound_by, formula):
        text += f"; plan by {technique(result.upper_bound_by)}"
    return text


def units_of_store(result: Result) -> str:
    """Return how much of a proof rests on what a store had, after a semicolon; empty for none."""
    records = (evidence for evidence in result.rests_on if evidence.kind == "records")
    return "".join(f"; {evidence.title} by the word of the store" for evidence in records)


def _with_tables(result: Result) -> str:
    """Return the kept tables that a search took over."""
    tables = tables_among(result.rests_on)
    if not tables:
        return ""
    # Their titles end with the patterns' sizes: "4x4 sliding, 6-6-3".
    sizes = tables[0].title.rpartition(", ")[2]
    is_one = len(tables) == 1 and not sizes.startswith("tiles")
    return f", kept table {sizes}" if is_one else f", {counted(len(tables), 'kept table')}"


def _refuted(statistics: Statistics, engine: str) -> str:
    """Return which horizons were refuted, and by what."""
    assert statistics.options is not None
    solver = f" ({engine}, {statistics.options.backend})"
    by_search = statistics.refuted_by_search
    others = [horizon for horizon in statistics.refuted if horizon not in by_search]
    if not by_search:
        return (f"{_horizons(others)} refuted" if others else "no horizon to refute") + solver
    text = f"{_horizons(by_search)} refuted by breadth-first search"
    return f"{text}, {_horizons(others)} by the solver{solver}" if others else text


def _horizons(horizons: Sequence[int]) -> str:
    word = "horizon" if len(horizons) == 1 else "horizons"
    if len(horizons) <= 10:
        return f"{word} {', '.join(map(str, horizons))}"
    if len({b - a for a, b in pairwise(horizons)}) == 1:
        return f"{word} {horizons[0]}, {horizons[1]} to {horizons[-1]}"
    return f"{len(horizons)} {word} from {horizons[0]} to {horizons[-1]}, not all between,"
