"""Every recorded optimum that a SAT solver reaches is proved anew; the others agree with bounds."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from support.fixtures.solving import in_order

from plansolve.bounds.registry import best_lower_bound
from plansolve.checker import check_plan
from plansolve.instances.batch import solve_many
from plansolve.instances.instance_set import MANIFEST, load_instance_set
from plansolve.records.board import Board
from plansolve.solvers.engine.solve import solve
from plansolve.solvers.result import Result, Status

FOLDER = Path(__file__).parents[2] / "instances"
SETS = sorted(path.parent.name for path in FOLDER.glob(f"*/{MANIFEST}"))
SECONDS = 600.0
"""A backstop, so that a slip in the table below is a failure and not a hang."""


@dataclass(frozen=True)
class Reach:
    """The longest optimum of a kind of board that is proved by default, and with -m slow.

    Measured on one core: the quick ones take less than a second each, the slow ones up to three
    quarters of a minute.
    """

    quick: int
    slow: int


# By the puzzle's name and shape.
REACH = {
    "cnf": {
        ("sliding", 3, 3): Reach(20, 31),
        ("sliding", 4, 4): Reach(31, 46),
        ("sliding", 5, 3): Reach(0, 45),
        ("lloyd", 5, 5): Reach(12, 28),
        ("torus-ring", 5, 5): Reach(4, 9),
    },
    "cp-sat": {
        ("sliding", 3, 3): Reach(17, 31),
        ("sliding", 4, 4): Reach(0, 31),
        ("lloyd", 5, 5): Reach(10, 16),
        ("torus-ring", 5, 5): Reach(3, 5),
    },
}
# Searches are asked in one run of many boards, below: to start each in a process of its own would
# take longer than to solve it.
SEARCHED = ["eight-puzzle", "lloyd-walks", "torus-ring"]
SLOWLY_SEARCHED = ["fifteen-hardest", "korf100", "torus-ring-deep", "torus-ring-walks"]
NOTHING = Reach(-1, -1)


def instances() -> Iterator[tuple[str, Board]]:
    for name in SETS:
        for instance in load_instance_set(FOLDER / name).instances:
            yield f"{name}/{instance.name}", instance


def kind(instance: Board) -> tuple[str, int, int]:
    puzzle = instance.problem.puzzle
    return puzzle.name, puzzle.rows, puzzle.columns


def in_reach(engine: str, *, slow: bool) -> list[tuple[str, Board]]:
    """The recorded optima that the engine proves, those that take long or the others."""
    found: dict[object, tuple[str, Board]] = {}
    for name, instance in instances():
        length, problem = instance.optimal_length, instance.problem
        reach = REACH[engine].get(kind(instance), NOTHING)
        if length is not None and length <= reach.slow and (length > reach.quick) == slow:
            # Some boards are in two sets; once is enough.
            found.setdefault((problem.puzzle.name, problem.start, problem.goal), (name, instance))
    return [*found.values()]


RECORDED = [
    (name, instance) for name, instance in instances() if instance.optimal_length is not None
]
UNSOLVABLE = [(name, instance) for name, instance in instances() if not instance.solvable]


@pytest.mark.parametrize(
    "engine",
    [pytest.param(name, marks=pytest.mark.slow if name == "cp-sat" else ()) for name in REACH],
)
def test_the_quick_optima_are_the_recorded_ones(engine: str) -> None:
    chosen = [instance for _, instance in in_reach(engine, slow=False)]
    problems = [instance.problem for instance in chosen]
    results = in_order(
        problems, solve_many(problems, engine=engine, time_limit=SECONDS, optimal=True)
    )
    for instance, result in zip(chosen, results, strict=True):
        check(instance, result)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("engine", "instance"),
    [
        pytest.param(engine, instance, id=f"{engine}-{name}")
        for engine in REACH
        for name, instance in in_reach(engine, slow=True)
    ],
)
def test_the_slow_optima_are_the_recorded_ones(engine: str, instance: Board) -> None:
    check(instance, solve(instance.problem, engine=engine, time_limit=SECONDS, optimal=True))


def check(instance: Board, result: Result) -> None:
    recorded, length = instance.optimal_length, result.length
    assert recorded is not None
    assert result.status == Status.OPTIMAL, f"{instance.name}: {result.status}"
    assert result.plan is not None and length is not None
    assert check_plan(instance.problem, result.plan).solves
    if length < recorded:
        pytest.fail(
            f"{instance.name}: SHORTER THAN THE RECORDED OPTIMUM: the record, the checker or the "
            f"encoding is wrong ({length} < {recorded}: {' '.join(result.plan)})"
        )
    assert length == recorded, f"{instance.name}: {length} moves, but {recorded} are enough"
    assert result.lower_bound == result.upper_bound == recorded


@pytest.mark.parametrize(
    "name", [*SEARCHED, *(pytest.param(name, marks=pytest.mark.slow) for name in SLOWLY_SEARCHED)]
)
def test_idastar_proves_the_recorded_optima(name: str) -> None:
    instances = load_instance_set(FOLDER / name).instances
    problems = [instance.problem for instance in instances]
    results = in_order(
        problems, solve_many(problems, engine="idastar", time_limit=SECONDS, optimal=True)
    )
    for instance, result in zip(instances, results, strict=True):
        assert result.status == Status.OPTIMAL, instance.name
        assert result.length == instance.optimal_length, instance.name


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("korf100", marks=pytest.mark.slow),
        "lloyd-walks",
        pytest.param("sliding-misc", marks=pytest.mark.slow),
        pytest.param("torus-ring-walks", marks=pytest.mark.slow),
    ],
)
def test_the_recorded_numbers_of_shortest_plans(name: str) -> None:
    instances = [
        instance
        for instance in load_instance_set(FOLDER / name).instances
        if instance.optimal_plans is not None and instance.solvable
    ]
    assert instances
    problems = [instance.problem for instance in instances]
    found = solve_many(problems, engine="idastar", plans="count", time_limit=SECONDS, optimal=True)
    results = in_order(problems, found)
    for instance, result in zip(instances, results, strict=True):
        assert result.is_every_plan, instance.name
        assert result.plan_count == instance.optimal_plans, instance.name


@pytest.mark.parametrize("engine", [*REACH])
@pytest.mark.parametrize(
    "instance", [pytest.param(instance, id=name) for name, instance in UNSOLVABLE]
)
def test_what_is_recorded_as_unsolvable(engine: str, instance: Board) -> None:
    result = solve(instance.problem, engine=engine, time_limit=SECONDS, optimal=True)
    assert result.status == Status.UNSOLVABLE
    assert result.explanation


@pytest.mark.parametrize("name", SETS)
def test_bounds_and_parity_agree_with_the_records(name: str) -> None:
    checked = 0
    for place, instance in RECORDED:
        if not place.startswith(f"{name}/"):
            continue
        length, problem = instance.optimal_length, instance.problem
        assert length is not None
        bound = best_lower_bound(problem)
        assert bound.value <= length, f"{place}: bound {bound} above the optimum {length}"
        assert (bound.value == 0) == (length == 0) == (problem.start == problem.goal), place
        parity = problem.structure.plan_parity(problem.start)
        assert parity is None or (length - parity) % 2 == 0, f"{place}: {length} has no such parity"
        checked += 1
    assert checked
