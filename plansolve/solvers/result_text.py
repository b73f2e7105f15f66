"""A result in words: the only module for texts about plans, bounds and proofs."""

from plansolve.model.problem import Problem
from plansolve.model.puzzle import Puzzle
from plansolve.puzzles.registry import to_goal
from plansolve.solvers.evidence import tables_among
from plansolve.solvers.result import Result, Status, StopReason
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

# Stop reasons that a user should see even if there is a plan.
_UNASKED = (StopReason.MEMORY, StopReason.CRASH, StopReason.LOST, StopReason.INTERRUPTED)


def summary(
    problem: Problem,
    result: Result,
    max_horizon: int | None,
    seconds: float,
    *,
    verbose: bool = False,
) -> str:
    """Return one line for people: what was found and proved, the time, and with `verbose` how.

    `max_horizon` is that of the search.
    """
    found, known = headline(problem.puzzle, result, max_horizon), _known(result)
    if verbose:
        known = proof(result)
        if result.status == Status.OPTIMAL and result.length:
            found = found.replace(PROVED, f"{PROVED} ({_proved_by(result)})", 1)
            known = _how(result, with_prover=False)
    else:
        # Always say what a proof takes on trust.
        known += units_of_store(result)
    separator = ": " if known and not known.startswith(";") else ""
    return f"{found}{separator}{known}; {seconds:.1f} s"


def headline(puzzle: Puzzle, result: Result, max_horizon: int | None = None) -> str:
    """Return what was found and what is known about it; `max_horizon` is that of the search."""
    goal = to_goal(puzzle)
    match result.status:
        case Status.UNSOLVABLE:
            return f"unsolvable{goal and f', no plan{goal}'}"
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
    known = _known(result)
    if result.status == Status.UNSOLVABLE or result.length == 0:
        return known
    if ratio := within(result.length or 0, result.lower_bound):
        known += f", so this one is {ratio}"
    return f"{known}; {_how(result)}" if known else _how(result)


def _known(result: Result) -> str:
    """Return what is known beside the headline of a result; "" if the headline says it all."""
    if result.status == Status.UNSOLVABLE:
        return result.explanation
    if result.length == 0:
        return "the board is the goal"
    if result.status in (Status.FEASIBLE, Status.UNKNOWN):
        # After a plan's length it is clear what the bound counts.
        return at_least(result.lower_bound, "" if result.plan else "move")
    return ""


def not_decided(lower_bound: int | None, explanation: str, noun: str = "") -> str:
    """Return the text about a claim that is neither proved nor refuted."""
    return f"not decided ({explanation}), {at_least(lower_bound, noun)}"


def only_claimed(lower_bound: int, by: str) -> str:
    """Return the bound that an engine has found, and that a certificate does not prove."""
    return f"{technique(by)} proved {lower_bound} or more, without a certificate"


def penalty(puzzle: Puzzle, count: int | None, known: str = "") -> str:
    """Return a plan's penalty, the second key of the ranking; "" if no move has one."""
    penalised = {o.name: o.penalty for o in puzzle.operators if o.penalty}
    if not penalised:
        return ""
    # The names of the moves with a penalty, if each costs 1.
    each_costs_one = set(penalised.values()) <= {1}
    told = f"{count} {'/'.join(penalised)}" if each_costs_one else f"penalty {count}"
    return f"{told} ({known})" if known else told


def fewest(is_least: bool) -> str:
    """Return what is known of a plan's penalty."""
    return "the fewest" if is_least else "not proved the fewest"


def such_plans(count: int, is_every_plan: bool = True) -> str:
    """Return how many shortest plans there are, or at least are."""
    if not is_every_plan:
        return f"at least {count} such plans"
    return "the only such plan" if count == 1 else f"{count} such plans"


def technique(engine: str) -> str:
    """Return the technique of an engine in the field's words, by default its name."""
    return _TECHNIQUES.get(engine, engine)


def _proved_by(result: Result) -> str:
    """Return what proved that no plan is shorter."""
    statistics = result.statistics
    if result.lower_bound == statistics.initial_bound:
        return statistics.initial_bound_by
    if result.lower_bound == statistics.first_horizon:
        return f"{statistics.initial_bound_by} and parity"
    return f"{_prover(result)}{_with_tables(result)}"


def _prover(result: Result) -> str:
    """Return what raised the first bound."""
    prover, by_search = technique(result.lower_bound_by), result.statistics.refuted_by_search
    if not by_search:
        return prover
    is_alone = by_search == result.statistics.refuted
    return "breadth-first search" if is_alone else f"breadth-first search and {prover}"


def _second_key(puzzle: Puzzle, result: Result) -> str:
    """Return the penalty, and the number of shortest plans if it was requested."""
    if not result.length:
        return ""
    parts = []
    if result.plan_count is None or result.is_least_penalty:
        parts.append(penalty(puzzle, result.penalty, fewest(result.is_least_penalty)))
    if result.plan_count is not None:
        parts.append(such_plans(result.plan_count, result.is_every_plan))
    return "".join(f", {part}" for part in parts if part)


def _how(result: Result, *, with_prover: bool = True) -> str:
    """Return the first bound, and the engines that raised it and found the plan."""
    statistics = result.statistics
    first, initial = statistics.first_horizon, statistics.initial_bound
    text = f"first bound {initial} ({statistics.initial_bound_by})"
    if first != initial:
        text += f", {first} by parity"
    if with_prover and result.lower_bound is not None and result.lower_bound > first:
        text += f"; {result.lower_bound} by {_prover(result)}"
    text += units_of_store(result)
    if result.upper_bound_by not in ("", result.lower_bound_by):
        text += f"; plan by {technique(result.upper_bound_by)}"
    return text


def units_of_store(result: Result) -> str:
    """Return how much of a proof came from a store, after a semicolon; empty for none."""
    records = (evidence for evidence in result.rests_on if evidence.kind == "records")
    return "".join(f"; {evidence.title} from the store" for evidence in records)


def _with_tables(result: Result) -> str:
    """Return the kept tables that a search used."""
    tables = tables_among(result.rests_on)
    if not tables:
        return ""
    # Their titles end with the patterns' sizes: "4x4 sliding, 6-6-3".
    sizes = tables[0].title.rpartition(", ")[2]
    is_one = len(tables) == 1 and not sizes.startswith("tiles")
    return f", cached table {sizes}" if is_one else f", {counted(len(tables), 'cached table')}"
