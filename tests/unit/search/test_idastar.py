"""IDA* on every kind of tree, compared with exhaustive tables and plain searches."""

from random import Random

import numpy as np
import pytest
from support.fixtures.cases import make, scrambles
from support.fixtures.idastar import (
    KINDS,
    bounded,
    cut,
    distance_tree,
    effects,
    finish,
    last,
    lookups_of,
    placed,
    plans_of,
)
from support.reference import idastar as reference
from support.reference.permutation import bounded_search
from support.reference.placements import random_puzzle, shortest_sequences

from plansolve.analysis.duplicate_sequences import EVERY_PLAN, ONE_PLAN
from plansolve.model.problem import Problem, penalty
from plansolve.model.structure import UNREACHABLE
from plansolve.patterns.rules import placement_rules
from plansolve.solvers.protocol import NO_PLAN, Budget, Incumbent
from plansolve.solvers.search.idastar import idastar, larger_tables
from plansolve.solvers.search.idastar import registers as reg
from plansolve.solvers.search.idastar.permutation_tree import PermutationTree
from plansolve.solvers.search.idastar.round import Goals, Round

of_every_kind = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)


def of_kinds(wanted):
    """Those of the kinds that are wanted."""
    chosen = {name: kind for name, kind in KINDS.items() if wanted(kind)}
    return pytest.mark.parametrize("kind", chosen.values(), ids=chosen)


def solved(problem, tree, incumbent=None, threads=1):
    """The plan, None where none is told, and the reports; bounds are looked at on the way."""
    reports = [*idastar.idastar(tree, incumbent or Incumbent(), Budget(threads=threads))]
    bounds = [report.lower_bound for report in reports if report.lower_bound]
    assert bounds == sorted(bounds)
    parity = problem.structure.plan_parity(problem.start)
    assert parity is None or all((bound ^ parity) & 1 == 0 for bound in bounds)
    plans = plans_of(reports)
    assert len(plans) <= 1
    return plans[0] if plans else None, reports


@of_every_kind
def test_a_shortest_plan_is_found_and_proved(kind):
    for problem, length in kind.problems(8):
        for size in kind.sizes:
            plan, reports = solved(problem, kind.tree(problem, size=size))
            assert len(effects(problem, plan)) == length == reports[-1].lower_bound
            counts = reports[-1].counts
            assert counts["nodes"] == sum(counts["nodes_by_bound"].values())
            assert all(type(n) is int for n in counts["nodes_by_bound"].values())
            assert not isinstance(reports[-1].lower_bound, np.integer)


@of_every_kind
def test_a_start_that_is_a_goal_takes_no_moves(kind):
    for board in kind.puzzle.goal_boards():
        problem = Problem(kind.puzzle, board)
        assert solved(problem, kind.tree(problem))[0] == ()
        assert plans_of(idastar.all_plans(kind.tree(problem), 0, Budget())) == [()]
        assert last(idastar.all_plans(kind.tree(problem), 0, Budget(), count_only=True)).counts == {
            "plans": 1
        }


@pytest.mark.parametrize("threads", [1, 2])
@of_every_kind
def test_every_shortest_plan_is_listed_once_and_counted(kind, threads):
    budget = Budget(threads=threads)
    for problem, length in kind.problems(5, seed=1, least=2, most=20):
        tree = cut(kind.tree(problem, EVERY_PLAN), subtrees=5)
        listed = [*idastar.all_plans(tree, length, budget)]
        found = [effects(problem, plan) for plan in plans_of(listed)]
        assert len(found) == len(set(found)) and listed[-1].is_complete
        assert set(found) == shortest_sequences(problem, kind.distances)
        counted = last(idastar.all_plans(tree, length, budget, count_only=True))
        assert counted.is_complete and counted.counts["plans"] == len(found)


def estimate_of(kind, problem):
    """The bound of a board, in plain Python."""
    judge = kind.judge(kind.sizes[0])
    if kind.tree_kind == "walks":
        return reference.pattern_estimate(judge, problem.puzzle.cells)
    value = judge.value if kind.tree_kind == "placements" else judge.at_nodes(problem).value
    return lambda board, room: reg.NO_LIMIT if value(board) >= UNREACHABLE else value(board)


def check_round(kind, problem, keep, slice_nodes, limit):
    """Compare a round with a plain search: its nodes, plans, and what it tells of the next."""
    tree, walks = cut(kind.tree(problem, keep), slice_nodes=slice_nodes), kind.tree_kind == "walks"
    plain = problem, tree.automaton, estimate_of(kind, problem), limit
    expected = reference.search(*plain, walks=walks)
    work = finish(Round(tree, limit, Goals.EACH), nodes_before=0)
    assert work.is_exhausted and work.nodes == expected.nodes
    assert list(work.found) == expected.paths
    beyond = min(reg.NO_LIMIT, expected.next_limit or reg.NO_LIMIT)
    # Of placements only the sums are read that may be beyond the limit.
    reads_some = kind.tree_kind == "placements"
    assert limit < work.next_limit <= beyond if reads_some else work.next_limit == beyond
    counted = finish(Round(tree, limit, Goals.COUNT), nodes_before=0)
    assert (counted.plans, counted.nodes) == (len(expected.paths), expected.nodes)
    one = finish(Round(tree, limit), nodes_before=0)
    expected = reference.search(*plain, walks=walks, first=True)
    assert (one.nodes, list(one.found)) == (expected.nodes, expected.paths)
    return counted


@pytest.mark.parametrize("slice_nodes", [3, 1 << 20])
@pytest.mark.parametrize("keep", [ONE_PLAN, EVERY_PLAN])
@of_kinds(lambda kind: kind.tree_kind != "permutations")
def test_a_round_enters_the_nodes_of_a_plain_search(kind, keep, slice_nodes):
    """So no node is entered beyond the limit, and none is cut off within it."""
    for problem, length in kind.problems(2, seed=2, least=6, most=15):
        first = kind.tree(problem).initial_bound
        assert first == estimate_of(kind, problem)(problem.start, 1 << 20)
        for limit in range(max(first, length - 4), length + 2):
            work = check_round(kind, problem, keep, slice_nodes, limit)
            assert bool(work.plans) == (limit >= length)


@pytest.mark.parametrize("tables", [True, False])
@pytest.mark.parametrize("seed", range(16))
def test_a_round_by_random_rules_enters_the_nodes_of_a_plain_search(seed, tables):
    alike = {"are_alike": seed > 7, "is_open": seed % 4 == 3, "gaps": 1 + seed % 3 * (seed > 7)}
    puzzle = random_puzzle(Random(seed), 4 + seed % 3, **alike)
    rules = placement_rules(puzzle)
    if tables and (rules is None or rules.relaxed):
        pytest.skip("there are no tables")
    kind = placed(puzzle, 1) if tables else bounded(puzzle)
    for problem, length in kind.problems(2):
        first = kind.tree(problem).initial_bound
        for limit in range(first, min(length, first + 4) + 1):
            check_round(kind, problem, ONE_PLAN, 1 << 20, limit)


def check_permutations(tree, limit):
    work = finish(Round(tree, limit, Goals.EACH), nodes_before=0)
    plans, children, expanded = bounded_search(
        tree.rules, tree.automaton, tree.lookups, tree.start, limit, [()]
    )
    assert (list(work.found), work.nodes, work.expanded) == (plans, children, expanded)
    assert work.next_limit == limit + 1
    assert finish(Round(tree, limit, Goals.COUNT), nodes_before=0).plans == len(plans)
    return work


@pytest.mark.parametrize("slice_nodes", [3, 1 << 20])
@of_kinds(lambda kind: kind.tree_kind == "permutations")
def test_a_round_of_permutations_tries_the_children_of_a_plain_search(kind, slice_nodes):
    for problem, length in kind.problems(4, seed=2, least=3):
        tree = cut(kind.tree(problem), slice_nodes=slice_nodes)
        for limit in range(max(1, tree.initial_bound), length + 1):
            assert bool(check_permutations(tree, limit).found) == (limit == length)


@pytest.mark.parametrize(
    ("specification", "sides", "steps"),
    [
        ("torus-ring", (4, 4), 6),
        ("torus-ring:rings=outer", (3, 3), 6),
        ("loopover", (3, 3), 6),
        ("torus-ring:rows=LRL,columns=UDU,rings=none", (3, 3), 9),
    ],
)
def test_larger_permutations_are_searched_by_blocks_of_lookups(specification, sides, steps):
    puzzle = make(specification, *sides)
    lookups, compared = lookups_of(puzzle, ((0, 1), (0, 4), (1, 2, 3))), 0
    for board in scrambles(puzzle, 4, 3 * steps, 3):
        tree = PermutationTree(Problem(puzzle, board), lookups)
        for limit in range(max(1, tree.initial_bound), steps):
            compared += check_permutations(tree, limit).nodes
    assert compared > 1000


@of_kinds(lambda kind: kind.has_penalties)
def test_a_round_leaves_out_what_costs_too_much(kind):
    graph = Problem(kind.puzzle, kind.puzzle.goal).blank_graph
    for problem, length in kind.problems(1, seed=3, least=6, most=14):
        tree = cut(kind.tree(problem, with_penalties=True), slice_nodes=3)
        walks, operators = kind.tree_kind == "walks", kind.puzzle.operators

        def price(board, move, tree=tree, walks=walks, operators=operators):
            paid = graph.penalties[board.index(0)][move] if walks else operators[move].penalty
            return paid - tree.least_penalty

        for most in (0, 1, 2, 5):
            expected = reference.search(
                problem,
                tree.automaton,
                estimate_of(kind, problem),
                length,
                walks=walks,
                price=price,
                most_penalty=most,
            )
            work = finish(Round(tree, length, Goals.EACH, most_penalty=most), nodes_before=0)
            assert (work.nodes, list(work.found)) == (expected.nodes, expected.paths)


@pytest.mark.parametrize("threads", [1, 2])
@of_kinds(lambda kind: kind.has_penalties)
def test_the_least_penalty_among_the_shortest_plans(kind, threads):
    budget = Budget(threads=threads)
    for problem, length in kind.problems(4, seed=4, least=6, most=18):
        every = idastar.all_plans(kind.tree(problem, EVERY_PLAN), length, Budget())
        expected = min(penalty(problem, plan) for plan in plans_of(every))

        def fewest(below=None, problem=problem, length=length):
            tree = cut(kind.tree(problem, with_penalties=True), subtrees=5, slice_nodes=50)
            return plans_of(idastar.fewest_penalty(tree, length, budget, below=below))

        totals = [penalty(problem, plan) for plan in fewest()]
        assert totals[-1] == expected and totals == sorted(set(totals), reverse=True)
        assert {len(plan) for plan in fewest()} == {length} and fewest(expected) == []
        assert [penalty(problem, plan) for plan in fewest(expected + 1)] == [expected]


@of_every_kind
def test_two_threads_and_any_slices_do_the_work_of_one(kind):
    for problem, length in kind.problems(3, seed=5, least=3, most=16):
        for limit in (length - 1, length):
            whole = finish(Round(kind.tree(problem, EVERY_PLAN), limit, Goals.EACH))
            for threads, slice_nodes, subtrees in ((2, 5, 5), (2, 1 << 20, 40), (1, 1, 2)):
                tree = cut(
                    kind.tree(problem, EVERY_PLAN), slice_nodes=slice_nodes, subtrees=subtrees
                )
                work = finish(Round(tree, limit, Goals.EACH), threads)
                assert work.is_exhausted and work.nodes == whole.nodes
                assert sorted(work.found) == sorted(whole.found)
                assert work.next_limit == whole.next_limit
                counted = finish(Round(tree, limit, Goals.COUNT), threads)
                assert (counted.plans, counted.nodes) == (len(whole.found), whole.nodes)


@of_every_kind
def test_a_round_ends_when_others_are_farther(kind):
    problem, length = next(kind.problems(0))
    first = kind.tree(problem).initial_bound
    for upper in (NO_PLAN, length):
        tree, incumbent = cut(kind.tree(problem), slice_nodes=1), Incumbent(first)
        search = idastar.idastar(tree, incumbent, Budget())
        assert first <= next(search).lower_bound <= first + 1
        next(search)
        incumbent.raise_lower_bound(length)
        incumbent.lower_upper_bound(upper)
        rest = [*search]
        if upper == length:
            # The gap is closed: nothing more is searched, nor told but the end of a short round.
            assert len(rest) <= 1 and not plans_of(rest)
        elif first < length - 1:
            rounds = rest[-1].counts["nodes_by_bound"]
            assert len(rest[-1].plan) == length and len(rounds) == 2
            # The first round was left unfinished.
            whole = finish(Round(kind.tree(problem), int(min(rounds, key=int))))
            assert min(rounds.values()) <= max(whole.nodes, 5)


@of_every_kind
def test_a_search_that_is_dropped_ends_its_threads(kind):
    problem, length = next(kind.problems(0))
    work = Round(cut(kind.tree(problem), slice_nodes=1, subtrees=2), length)
    steps = work.run(2)
    next(steps)
    next(steps)
    steps.close()
    assert not work.is_exhausted


def test_an_error_in_a_thread_is_told(monkeypatch):
    problem, length = next(KINDS["walks"].problems(0))
    tree = KINDS["walks"].tree(problem)
    running = Round(tree, length).run(2)
    next(running)
    monkeypatch.setattr(tree, "advance", lambda position, nodes: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        for _ in running:
            pass


@of_kinds(lambda kind: len(kind.sizes) > 1)
def test_larger_tables_take_over_in_the_middle_of_a_proof(kind, monkeypatch):
    monkeypatch.setattr(larger_tables, "_LEAST_SECONDS", 0.0)
    monkeypatch.setattr(larger_tables, "_LEAST_NODES", 0)
    taken_over = 0
    for problem, length in kind.problems(6, seed=7, least=4):
        alone = kind.tree(problem)
        reports = [*idastar.idastar(alone, Incumbent(), Budget())]
        tree = kind.recipe(problem).tree()
        search = idastar.idastar(tree, Incumbent(), Budget(), [lambda: (kind.sizes[1], 0.0)])
        helped = [*search]
        assert len(helped[-1].plan) == len(reports[-1].plan) == length
        bounds = [report.lower_bound for report in helped if report.lower_bound]
        assert bounds == sorted(bounds)
        assert helped[-1].counts["nodes"] <= reports[-1].counts["nodes"]
        taken_over += helped[-1].counts["nodes"] < reports[-1].counts["nodes"]
    assert taken_over


def test_the_slower_of_two_threads_does_not_raise_the_penalty():
    kind = KINDS["walks one way"]
    for problem, length in kind.problems(40, least=3):
        tree = kind.tree(problem, EVERY_PLAN, with_penalties=True)
        paths = sorted(finish(Round(tree, length, Goals.EACH)).found, key=tree.penalty)
        if tree.penalty(paths[0]) < tree.penalty(paths[-1]):
            break
    work = Round(tree, length, Goals.LEAST_PENALTY)
    for path in (paths[0], paths[-1]):
        work._tell(path)
    assert [*work.found] == [paths[0]]
    assert work.most_penalty == tree.penalty(paths[0]) - 1


# The engine: which tree fits


SEARCHES = (idastar.shortest_plan, idastar.least_penalty, idastar.every_plan, idastar.plan_count)


def test_tables_that_do_not_fit_end_the_search():
    problem, length = next(KINDS["walks by a bound with lookups"].problems(0))
    few = Budget(memory=1000)
    for search in SEARCHES:
        assert [*search(problem, Incumbent(length), few)] == []


def test_each_kind_of_puzzle_has_its_tree():
    def chosen(name, bound=None):
        return idastar.tree_kind(next(KINDS[name].problems(0))[0], bound)

    assert chosen("permutations") == "permutations" and chosen("row slides") == "placements"
    # On nine cells distances do.
    assert chosen("walks") == "bound"
    fifteen = make("sliding", 4, 4)
    assert idastar.tree_kind(Problem(fifteen, fifteen.goal)) == "walks"
    assert all(chosen(name, "tile-distances") == "bound" for name in KINDS)


@pytest.mark.parametrize(
    ("family", "rows", "columns", "steps"),
    [
        *(("sliding", *sides, 14) for sides in ((2, 10), (6, 6), (17, 17), (30, 30))),
        ("sliding", 1, 6, 4),
        ("loopover", 13, 13, 2),
        ("sliding:metric=multi-tile", 9, 9, 3),
    ],
)
def test_boards_of_any_size(family, rows, columns, steps):
    puzzle = make(family, rows, columns)
    problem = Problem(puzzle, scrambles(puzzle, 1, steps, 5)[0])
    *_, end = idastar.shortest_plan(problem, Incumbent(), Budget())
    assert len(effects(problem, end.plan)) == end.lower_bound <= steps


def test_large_boards_far_away_have_a_lower_bound_and_signs_of_life():
    puzzle = make("sliding", 20, 20)
    problem = Problem(puzzle, scrambles(puzzle, 1, 60_000, 1)[0])
    search = idastar.idastar(distance_tree(problem), Incumbent(), Budget())
    first = next(search)
    assert first.lower_bound >= distance_tree(problem).initial_bound > 100
    assert next(search).counts["nodes"] > 0
