"""The benchmarks compare the same work."""

import importlib.util
import sys
from pathlib import Path

import pytest

from plansolve.formats import read_problem
from plansolve.instances.instance_set import load_instance_set

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def own_folder(monkeypatch):
    """They import from their own folder."""
    monkeypatch.syspath_prepend(ROOT / "benchmarks")


def load(name):
    specification = importlib.util.spec_from_file_location(
        f"benchmark_{name}", ROOT / "benchmarks" / f"{name}.py"
    )
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["kernel of IDA*", "kernel of permutations"])
def test_a_kernel_and_its_yardstick_in_c_enter_the_same_nodes(name, tmp_path):
    benchmark = load("kernel")
    source, tree_of, *_ = benchmark.KERNELS[name]
    if source == "blank.c":
        instances = load_instance_set(ROOT / "instances" / "korf100").instances
        problem, limit = next((i.problem, i.optimal_length) for i in instances if i.name == "12")
        tree, limit = tree_of(problem, 4), limit - 2
    else:
        tree, limit = tree_of(walk(9), 3), 8
    ours, _ = benchmark.searched(tree, limit)
    program = benchmark.compiled(source, tmp_path)
    if program is None:
        # The benchmark does without as well.
        pytest.skip("there is no C compiler")
    theirs, _ = benchmark.in_c(program, tree, limit)
    assert theirs == ours > 1000


@pytest.fixture
def peers():
    """The benchmark that gives boards to other programs."""
    return load("peers")


def walk(length):
    instances = load_instance_set(ROOT / "instances" / "torus-ring-walks").instances
    return next(i.problem for i in instances if i.optimal_length == length)


def test_the_plainest_formula_finds_a_shortest_plan():
    eight = read_problem("4 1 2\n. 5 3\n7 8 6")
    assert load("plain_sat").plain_plan(eight) == ("D", "L", "L", "U", "U")
    assert len(load("plain_sat").plain_plan(walk(2))) == 2


def test_a_planner_gets_every_move_and_its_plan_is_read_back(peers):
    eight = read_problem("1 2 3\n4 5 6\n7 . 8")
    domain, problem = peers.pddl(eight)
    assert domain.count("(") == domain.count(")") and problem.count("(") == problem.count(")")
    assert problem.count("(link ") == len(eight.puzzle.operators) == 24
    assert peers.plan_of_planner("(move t8 c8 c7)\n; cost = 1 (unit cost)\n", eight) == ("L",)
    turning = walk(1)
    domain, _ = peers.pddl(turning)
    assert domain.count(":action") == len(turning.puzzle.operators)
    assert peers.plan_of_planner("(r1 )\n(occ )\n; cost = 2\n", turning) == ("R1", "Occ")


def test_twsearch_gets_the_board_and_its_plan_is_read_back(peers):
    problem = walk(4)
    definition, scramble = peers.tws(problem)
    read = read_problem(definition + scramble, format="tws")
    assert [read.start, read.goal] == [problem.start, problem.goal]
    effects = {frozenset(o.moves) for o in problem.puzzle.operators}
    assert {frozenset(o.moves) for o in read.puzzle.operators} == effects
    out = "Calculated canonical states\nSolving\n R1' Oc\n R1 D2' Ic\nFound 1 solution\n"
    assert peers.plan_of_twsearch(out, problem) == ("R1", "U2", "Ic")
    assert peers.plan_of_twsearch("Solving\n", problem) is None


def test_the_table_tells_longer_and_missing_plans(peers):
    problem = read_problem("4 1 2\n. 5 3\n7 8 6")
    plan = ("D", "L", "L", "U", "U")

    def cell(plan, was_ended=False):
        return peers.told(peers.Run(plan, 1.0, 1.0, was_ended), problem, 5, 60)

    assert cell(plan) == "1.0 s"
    assert cell(("U", "D", *plan)) == "7 moves"
    assert cell(("D",)) == "wrong plan, 1.0 s"
    assert (cell(None), cell(None, was_ended=True)) == ("failed", "> 60 s")


def test_a_peer_solves_a_board_in_a_process_of_its_own(peers):
    found, _ = peers.peers(sys.executable, 60)
    problem = read_problem("4 1 2\n. 5 3\n7 8 6")
    by_name = {peer.name: peer for peer in found}
    for name in ("plansolve", "fifteen-puzzle-solvers"):
        assert peers.run(by_name[name], problem, 60).plan == ("D", "L", "L", "U", "U")


def test_figures_are_kept_where_a_file_is_named_for_them(tmp_path, monkeypatch):
    figures = load("figures")
    path = tmp_path / "figures"
    figures.keep("a", 1.0, "s")
    monkeypatch.setenv(figures.VARIABLE, str(path))
    figures.keep("b", 2.0, "s", aim=1.5, yardstick=8.0)
    figures.keep("c", 3.0, "M/s", aim=2.5, more_is_better=True)
    found = figures.kept(path)
    assert [(f.name, f.value, f.yardstick, f.is_reached) for f in found] == [
        ("b", 2.0, 8.0, False),
        ("c", 3.0, None, True),
    ]


def test_the_page_tells_what_is_missed_and_what_has_changed():
    page, figures = load("page"), sys.modules["figures"]
    rates = [
        figures.Figure("<slow>", 2.0, "s", aim=1.5, yardstick=8.0),
        figures.Figure("rate", 3.0, "M/s", yardstick=4.0, more_is_better=True),
    ]
    measured = page.Measured(page.PARTS[0], rates, "a < b", 0, 1.0)
    text = "".join(page.body([measured], {"<slow>": 1.0}, "here"))
    assert "2 figures, of which 1 miss" in text and "a &lt; b" in text
    slow, rate = text.partition("<tbody>")[2].strip().splitlines()[:2]
    assert 'class="bad"><b>&lt;slow&gt;' in slow and ">4.00<" in slow and ">+100%<" in slow
    assert 'class="fair"><b>rate' in rate and ">0.75<" in rate


def test_what_the_page_runs_is_there():
    for part in load("page").PARTS:
        assert part.script.is_file()
