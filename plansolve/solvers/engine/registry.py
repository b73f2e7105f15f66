"""The engines by name: what each needs, finds and proves; none is imported before it works.

A `Task` is a search by one of them in a child process, which the scheduler begins.
"""

import gc
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pkgutil import resolve_name

from plansolve.errors import OptionError
from plansolve.model.problem import Problem
from plansolve.model.structure import PuzzleKind, Structure
from plansolve.solvers.evidence import tables_in_use
from plansolve.solvers.processes.worker import Errand, Send
from plansolve.solvers.protocol import Budget, Incumbent, Report, Search
from plansolve.storage.notices import forget_used, listen

_BLANK, _FREE, _ANY = PuzzleKind.BLANK_GRAPH, PuzzleKind.PERMUTATIONS, PuzzleKind.ANY
_NEEDS = PuzzleKind.NEEDS


@dataclass(frozen=True)
class Engine:
    """One way to work on a problem.

    `proves` tells whether it raises the lower bound until the plan is proved shortest. `searches`
    names, for each kind of puzzle that it can work on, its `Search` ("module:function"): that of
    `ANY` is for all kinds without one but `NEEDS`. With
    `by_formula` it takes a back end, an encoding and lemmas. If it `takes_bound` it evaluates at
    its nodes that of the options, for any kind of puzzle.
    """

    name: str
    proves: bool
    summary: str
    searches: Mapping[PuzzleKind, str]
    by_formula: bool = False
    takes_bound: bool = False


def _by_name(*engines: Engine) -> Mapping[str, Engine]:
    return {engine.name: engine for engine in engines}


ENGINES = _by_name(
    Engine(
        "cnf",
        True,
        "a formula for each horizon, for a SAT solver",
        dict.fromkeys((_ANY, _NEEDS), "plansolve.solvers.formula.horizon:cnf"),
        by_formula=True,
    ),
    Engine(
        "cp-sat",
        True,
        "the same for CP-SAT",
        dict.fromkeys((_ANY, _NEEDS), "plansolve.solvers.formula.horizon:cp_sat"),
        by_formula=True,
    ),
    Engine(
        "breadth-first",
        True,
        "breadth-first search, for small boards and large pieces",
        {
            _ANY: "plansolve.solvers.search.breadth_first:breadth_first",
            _NEEDS: "plansolve.solvers.search.packed_boards:packed_breadth_first",
        },
    ),
    Engine(
        "astar",
        True,
        "A* with pattern databases or a bound; needs memory; ARA* without --optimal",
        {_ANY: "plansolve.solvers.search.astar.astar:astar"},
        takes_bound=True,
    ),
    Engine(
        "idastar",
        True,
        "IDA* with pattern databases or a bound, and a pruning automaton",
        {_ANY: "plansolve.solvers.search.idastar.idastar:shortest_plan"},
        takes_bound=True,
    ),
    Engine(
        "beam",
        False,
        "beam search with rising widths: short plans, no proof",
        {
            _BLANK: "plansolve.solvers.search.beam.pattern_beam:blank_beam",
            _FREE: "plansolve.solvers.search.beam.operator_beam:permutation_beam",
            _ANY: "plansolve.solvers.search.beam.operator_beam:operator_beam",
        },
    ),
    Engine(
        "constructive",
        False,
        "a long plan quickly, tile by tile or by group theory",
        {
            _BLANK: "plansolve.solvers.search.constructive.tiles:blank_constructive",
            _FREE: "plansolve.solvers.search.constructive.group:group_constructive",
            _ANY: "plansolve.solvers.search.constructive.tiles:any_constructive",
        },
    ),
)
"""The engines that users choose from."""

FOLLOW_UPS = _by_name(
    Engine(
        "least-penalty",
        True,
        "a shortest plan of least penalty",
        {_BLANK: "plansolve.solvers.search.idastar.idastar:least_penalty"},
    ),
    Engine(
        "all-plans",
        True,
        "every shortest plan",
        {_ANY: "plansolve.solvers.search.idastar.idastar:every_plan"},
    ),
    Engine(
        "count-plans",
        True,
        "the number of shortest plans",
        {_ANY: "plansolve.solvers.search.idastar.idastar:plan_count"},
    ),
    Engine(
        "cnf-plans",
        True,
        "every shortest plan, by clauses",
        dict.fromkeys((_ANY, _NEEDS), "plansolve.solvers.formula.cnf:every_plan"),
        by_formula=True,
    ),
)
"""Questions about shortest plans, once one is proved. They start from its length, so only
`follow_up` may run them."""

_WANTED = {
    _BLANK: "moves that exchange the blank with one tile",
    _FREE: "moves that do not depend on the blank",
    _ANY: "moves that need at most a gap in one cell",
}


def find_engine(name: str) -> Engine:
    """Return the engine with this name; raise `OptionError` if there is none."""
    if name not in ENGINES:
        raise OptionError(f"unknown engine {name!r}: choose from auto, {', '.join(ENGINES)}")
    return ENGINES[name]


def fits(engine: Engine, structure: Structure) -> bool:
    """Return True if the engine can work on puzzles of this structure."""
    return _search_of(engine, structure.kind) is not None


def _search_of(engine: Engine, kind: PuzzleKind) -> str | None:
    return engine.searches.get(kind) or (None if kind == _NEEDS else engine.searches.get(_ANY))


def check_fit(engine: Engine, structure: Structure) -> str:
    """Return the engine's search for puzzles of this structure; raise `OptionError` for none."""
    if search := _search_of(engine, structure.kind):
        return search
    wanted = [_ANY] if _ANY in engine.searches else engine.searches
    fitting = (e.name for e in ENGINES.values() if fits(e, structure))
    raise OptionError(
        f"{engine.name} is for {' or '.join(_WANTED[kind] for kind in wanted)}; "
        f"for this puzzle: auto, {', '.join(fitting)}"
    )


def start_search(
    engine: Engine, problem: Problem, incumbent: Incumbent, budget: Budget
) -> Iterator[Report]:
    """Start an engine and return its reports; raise `OptionError` if it does not fit."""
    search: Search = resolve_name(check_fit(engine, problem.structure))
    return search(problem, incumbent, budget)


@dataclass(frozen=True)
class Task(Errand):
    """A search; the clock of `time.monotonic` is the same for all processes."""

    engine: Engine
    problem: Problem
    incumbent: Incumbent
    budget: Budget

    def run(self, send: Send) -> None:
        """Search, and send the reports; at the deadline what is being made is made to its end."""
        if self.engine.by_formula:
            # Formulas are millions of small lists without cycles; the search for them takes a
            # tenth of the time.
            gc.disable()
        else:
            gc.enable()
        forget_used()
        self.budget.tell = lambda note: send(Report(self.engine.name, note=note))
        is_making, has_ended = False, False

        def tell_making(busy: bool) -> None:
            nonlocal is_making
            is_making = busy
            # A background thread may end after the search; its messages must not reach the next
            # search.
            if not has_ended:
                send(Making(is_over=not busy))

        with listen(lambda note: send(Making(note)), tell_making):
            for report in start_search(self.engine, self.problem, self.incumbent, self.budget):
                if report.lower_bound or report.is_complete:
                    report = replace(report, rests_on=tables_in_use())
                send(report)
                if self.budget.is_over and not is_making:
                    break
            has_ended = True

    def take(self, message: object) -> None:
        if isinstance(message, Incumbent):
            self.incumbent.improve(message)
        elif isinstance(message, PutOff):
            self.budget.deadline, self.budget.is_paused = message.deadline, message.is_paused


@dataclass(frozen=True)
class PutOff:
    """A message: the deadline of the current task has changed, or its clock stands still."""

    deadline: float | None
    is_paused: bool = False


@dataclass(frozen=True)
class Making:
    """A message: the child makes something for later runs too, a note on it, or all `is_over`."""

    note: str = ""
    is_over: bool = False
