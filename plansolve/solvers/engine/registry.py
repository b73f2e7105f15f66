"""The engines by name: what each needs, finds and proves; none is imported before it works."""

from collections.abc import Iterator, Mapping
from dataclasses import astuple, dataclass
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING

from plansolve.errors import OptionError
from plansolve.model.problem import Problem
from plansolve.model.structure import Structure
from plansolve.solvers.protocol import Budget, Incumbent, Report, Search

if TYPE_CHECKING:
    from plansolve.solvers.formula.attempt import Job

__all__ = [
    "CNF_PLANS",
    "ENGINES",
    "FORMULA_ENGINES",
    "Engine",
    "Options",
    "check_fit",
    "family",
    "find_engine",
    "fits",
    "formula_job",
    "start_search",
]

FORMULA_ENGINES = ("cnf", "cp-sat")

CNF_PLANS = "cnf-plans"
"""What lists the shortest plans where `cnf` has found one."""


@dataclass(frozen=True)
class Options:
    """What the formula engines can be told, see `formula.attempt.Job`; None is their own choice.

    `proofs` is a folder for the refuted formulas and their proofs.
    """

    backend: str | None = None
    encoding: str | None = None
    lemmas: tuple[str, ...] | None = None
    proofs: str | None = None


@dataclass(frozen=True)
class Engine:
    """One way to work on a problem.

    `proves` tells whether it raises the lower bound until the plan is proved shortest. A search
    stands in a function "module:name" under plansolve.solvers.search, one for each family of
    puzzles that it can work on: "blank graph", "permutations", or "any puzzle".
    """

    name: str
    proves: bool
    summary: str
    searches: Mapping[str, str]


ENGINES: Mapping[str, Engine] = MappingProxyType(
    {
        engine.name: engine
        for engine in (
            Engine(
                "cnf",
                True,
                "clauses for a SAT solver, the horizon raised",
                {"any puzzle": ""},
            ),
            Engine(
                "cp-sat",
                True,
                "the same as a CP-SAT model",
                {"any puzzle": ""},
            ),
            Engine(
                "breadth-first",
                True,
                "breadth-first search from both ends; small boards, ready at once",
                {"any puzzle": "breadth_first:breadth_first"},
            ),
            Engine(
                "astar",
                True,
                "A* with tile distances; needs memory",
                {"any puzzle": "astar.astar:astar"},
            ),
            Engine(
                "idastar",
                True,
                "IDA* with pattern databases and a pruning automaton",
                {
                    "blank graph": "idastar.blank_proof:blank_idastar",
                    "permutations": "idastar.permutation:permutation_idastar",
                },
            ),
            Engine(
                "bidirectional",
                True,
                "bidirectional search with the BAE* bound",
                {"blank graph": "bidirectional.bidirectional:bidirectional"},
            ),
            Engine(
                "beam",
                False,
                "beam search at rising widths: short plans, no proof",
                {
                    "blank graph": "beam.blank_beam:blank_beam",
                    "permutations": "beam.permutation_beam:permutation_beam",
                },
            ),
            Engine(
                "constructive",
                False,
                "a long plan at once, tile by tile or by group theory",
                {
                    "blank graph": "constructive.blank_constructive:blank_constructive",
                    "permutations": "constructive.group:group_constructive",
                },
            ),
        )
    }
)


# What is asked about shortest plans once one is proved; not for users to choose.
_FOLLOW_UPS: Mapping[str, Engine] = MappingProxyType(
    {
        engine.name: engine
        for engine in (
            Engine(
                "least-penalty",
                True,
                "a shortest plan of least penalty",
                {"blank graph": "idastar.blank_proof:blank_least_penalty"},
            ),
            Engine(
                "all-plans",
                True,
                "every shortest plan",
                {
                    "blank graph": "idastar.blank_proof:blank_all_plans",
                    "permutations": "idastar.permutation:permutation_all_plans",
                },
            ),
            Engine(
                "count-plans",
                True,
                "the number of shortest plans",
                {
                    "blank graph": "idastar.blank_proof:blank_count_plans",
                    "permutations": "idastar.permutation:permutation_count_plans",
                },
            ),
            Engine(CNF_PLANS, True, "every shortest plan, by clauses", {"any puzzle": ""}),
        )
    }
)

_NEEDS = {
    "blank graph": "moves that exchange the blank with one tile",
    "permutations": "moves that do not depend on the blank",
}


def find_engine(name: str) -> Engine:
    """The engine of that name; raises `OptionError` where there is none."""
    if name in _FOLLOW_UPS:
        return _FOLLOW_UPS[name]
    if name not in ENGINES:
        raise OptionError(f"unknown engine {name!r}: choose from auto, {', '.join(ENGINES)}")
    return ENGINES[name]


def family(structure: Structure) -> str:
    """Which kind of search fits: by the blank's walk, by permutations, or none of the two."""
    if structure.blank_graph is not None:
        return "blank graph"
    return "permutations" if structure.is_free else "any puzzle"


def fits(engine: Engine, structure: Structure) -> bool:
    """Whether the engine can work on puzzles of this structure."""
    return bool({"any puzzle", family(structure)} & engine.searches.keys())


def check_fit(engine: Engine, structure: Structure) -> None:
    """Raises `OptionError` where the engine cannot work on puzzles of this structure."""
    if not fits(engine, structure):
        fitting = (e.name for e in ENGINES.values() if fits(e, structure))
        raise OptionError(
            f"{engine.name} needs {' or '.join(_NEEDS[kind] for kind in engine.searches)}; "
            f"for this puzzle: auto, {', '.join(fitting)}"
        )


def formula_job(name: str, problem: Problem, options: Options) -> "Job":
    """What a formula engine is to do; raises `OptionError` for options that do not go together."""
    # The encoders take longer to import than some searches to prove a plan.
    from plansolve.solvers.formula.attempt import Job

    return Job(problem, name, *astuple(options))


def start_search(
    name: str, problem: Problem, incumbent: Incumbent, budget: Budget, options: Options
) -> Iterator[Report]:
    """The reports of one engine at work."""
    if name in FORMULA_ENGINES:
        from plansolve.solvers.formula.horizon import raise_horizon

        return raise_horizon(formula_job(name, problem, options), incumbent, budget)
    if name == CNF_PLANS:
        from plansolve.solvers.formula.every_plan import every_plan

        return every_plan(formula_job("cnf", problem, options), incumbent)
    return _search_of(name, problem.structure)(problem, incumbent, budget)


def _search_of(name: str, structure: Structure) -> Search:
    engine = find_engine(name)
    check_fit(engine, structure)
    where = engine.searches.get(family(structure)) or engine.searches["any puzzle"]
    module, _, function = where.partition(":")
    search: Search = getattr(import_module(f"plansolve.solvers.search.{module}"), function)
    return search
