"""Work units of IDA*: they cover the tree, and add up to the same whoever works on them."""

from collections import Counter
from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest
from support.fixtures.cases import make
from support.fixtures.idastar import LLOYD, SLIDING, cut, distances, finish, sample
from support.fixtures.units import small_tree

from plansolve.analysis.automorphisms import keeping_start
from plansolve.checker import check_plan
from plansolve.errors import InternalError
from plansolve.formats.identity import problem_text
from plansolve.model.problem import Problem
from plansolve.solvers.processes.stopping import stopped_by
from plansolve.solvers.search.idastar import registers as reg
from plansolve.solvers.search.idastar.blank_tree import PatternTree
from plansolve.solvers.search.idastar.bounded import BoundRecipe
from plansolve.solvers.search.idastar.round import Goals, Round
from plansolve.solvers.search.idastar.subtrees import SubtreesUnit, packed_paths
from plansolve.solvers.search.idastar.team_round import search_with_team
from plansolve.solvers.units.crew import ProcessCrew, ThreadCrew
from plansolve.solvers.units.proof_records import ProofRecords
from plansolve.solvers.units.team import Team


def boards(count=4, least=18):
    for specification in (SLIDING, LLOYD):
        table = distances(specification)
        most = min(least, max(table.values()) - 1)
        for board in sample(table, count, least=most):
            yield Problem(make(*specification), board), table[board]


def fine(tree, subtrees=20):
    return cut(tree, large_round=0, subtrees=subtrees, nodes_a_subtree=1)


def leaves_and_nodes(tree, limit, leaf):
    """The paths of `leaf` moves that the kernel stops at, and how many nodes it entered."""
    work = Round(tree, limit, Goals.EACH)
    position, leaves = work._enter(tree.root, leaf), []
    status = reg.LEAF_REACHED
    while status != reg.EXHAUSTED:
        status = tree.advance(position, 1 << 40)
        if status == reg.LEAF_REACHED:
            leaves.append(position.path)
    return leaves, int(position.registers[reg.NODES])


@pytest.mark.parametrize("leaf", [2, 4, 6])
def test_the_prefixes_of_a_cut_cover_the_tree(leaf):
    """Each path within the limit is entered once: above the cut, or below one of its prefixes."""
    for problem, length in boards():
        tree = small_tree(problem)
        limit = length - 2
        whole = finish(Round(tree, limit, Goals.EACH))
        leaves, above = leaves_and_nodes(tree, limit, leaf)
        assert max(Counter(leaves).values(), default=1) == 1
        assert all(len(path) == len(tree.root) + leaf for path in leaves)
        below = [finish(Round(tree, limit, Goals.EACH, roots=[path])) for path in leaves]
        assert above + sum(part.nodes for part in below) == whole.nodes
        assert all(part.is_exhausted for part in below)


def test_every_walk_of_the_blank_has_one_prefix():
    """The paths themselves, listed by a search without kernels, on small trees."""
    for problem, length in boards(count=2, least=10):
        tree = small_tree(problem)
        limit = length
        plans = {tuple(path) for path in finish(Round(tree, limit, Goals.EACH)).found}
        leaves, _ = leaves_and_nodes(tree, limit, 4)
        cut_plans = [
            tuple(path)
            for root in leaves
            for path in finish(Round(tree, limit, Goals.EACH, roots=[root])).found
        ]
        assert len(cut_plans) == len(set(cut_plans))
        assert set(cut_plans) == plans
        assert all(sum(path[: len(root)] == root for root in leaves) == 1 for path in plans)


def team_round(tree, limit, crew, records=None, before=None):
    work = Round(tree, limit, cutting=fine(tree), before=before or {})
    team = Team(crew, records)
    for _ in search_with_team(work, team, 12):
        pass
    return work, team


@pytest.fixture(scope="module")
def crews():
    with ThreadCrew(3) as threads, ProcessCrew(2) as processes, ThreadCrew(1) as alone:
        yield alone, threads, processes


def test_nodes_plan_and_next_limit_are_the_same_for_every_crew(crews):
    for problem, length in boards(count=2):
        tree = small_tree(problem)
        for limit in (length - 2, length):
            works = [team_round(tree, limit, crew)[0] for crew in crews]
            for work in works:
                assert work.nodes == works[0].nodes
                assert [*work.found] == [*works[0].found]
            assert bool(works[0].found) == (limit == length)
            if limit < length:
                whole = finish(Round(tree, limit))
                assert {w.nodes for w in works} == {whole.nodes}
                assert {w.next_limit for w in works} == {whole.next_limit}
                assert all(w.is_exhausted for w in works)
                assert all(w.deepest == works[0].deepest for w in works)


@pytest.mark.parametrize(
    ("specification", "bound"),
    [(SLIDING, "linear-conflict"), (SLIDING, None), (("loopover", 3, 3), None)],
)
def test_trees_with_a_named_bound_are_shared_too(specification, bound, crews):
    table = distances(specification)
    length = max(table.values()) - (4 if specification == SLIDING else 1)
    boards = sorted(board for board, moves in table.items() if moves == length)
    problems = (Problem(make(*specification), board) for board in boards)
    # From a symmetric start the parts are fewer than the whole.
    problem = next(problem for problem in problems if not keeping_start(problem))
    recipe = BoundRecipe(problem_text(problem), 0, 1 << 30, bound)
    tree = recipe.tree()
    assert tree.identity == recipe.make(lambda note: None, 1).identity
    if bound is not None:
        other = replace(recipe, bound="tile-distances").tree()
        assert other.identity != tree.identity
    whole = finish(Round(tree, length - 1))
    plans = set()
    for crew in crews:
        refuted, team = team_round(tree, length - 1, crew)
        assert refuted.is_exhausted and not refuted.found and team.done >= 3
        assert (refuted.nodes, refuted.next_limit) == (whole.nodes, whole.next_limit)
        found, _ = team_round(tree, length, crew)
        assert check_plan(problem, tree.plan(found.found[0])).solves
        plans.add((found.nodes, *found.found))
    assert len(plans) == 1


def test_what_the_store_has_is_not_searched_again(crews, tmp_path):
    tree, length = deep()
    with closing(ProofRecords(str(tmp_path / "a.sqlite"), "proof")) as records:
        first, done = team_round(tree, length - 2, crews[0], records)
        assert (done.known, done.done) == (0, done.done)
        assert done.done >= 3
        again, known = team_round(tree, length - 2, crews[1], records)
        assert (known.known, known.done) == (done.done, 0)
        assert (again.nodes, again.next_limit, again.deepest) == (
            first.nodes,
            first.next_limit,
            first.deepest,
        )
        plan, _ = team_round(tree, length, crews[0], records, first.deepest)
        recalled, team = team_round(tree, length, crews[1], records, first.deepest)
        assert [*recalled.found] == [*plan.found]
        assert (recalled.nodes, team.done) == (plan.nodes, 0)


def deep():
    """A tree that goes on far below its first moves, and the length of its shortest plans."""
    for problem, length in boards(count=8):
        tree = small_tree(problem, 3)
        if len(leaves_and_nodes(tree, length - 2, 6)[0]) > 20:
            return tree, length
    raise AssertionError("no board is hard enough")


def unit_of(tree, limit, leaf=6):
    leaves, _ = leaves_and_nodes(tree, limit, leaf)
    return SubtreesUnit(tree.recipe, tree.identity, limit, len(leaves), packed_paths(leaves))


def test_a_unit_that_is_unwanted_says_that_it_is_not_done():
    tree, length = deep()
    unit = unit_of(tree, length - 2)
    whole = unit.run()
    assert whole.is_done
    with stopped_by(lambda: True):
        part = unit.run()
    assert not part.is_done
    assert part.nodes < whole.nodes


def test_another_tree_is_refused():
    tree, length = deep()
    unit = unit_of(tree, length - 2)
    assert tree.identity != small_tree(tree.problem, 4).identity
    with pytest.raises(InternalError, match="a worker has made another tree"):
        replace(unit, recipe=replace(unit.recipe, size=4)).run()


def test_a_tree_with_one_other_entry_is_another():
    # What was found with a wrong table must not count when a right one is in its place.
    tree, _ = deep()
    table = tree._sets.table.copy()
    table[table.argmin()] += 1
    sets = tree._sets._replace(table=table)
    assert PatternTree(tree.problem, sets, tree.automaton).identity != tree.identity
    assert PatternTree(tree.problem, tree._sets, tree.automaton).identity == tree.identity


def test_keys_name_all_that_an_answer_depends_on():
    tree, length = deep()
    units = [unit_of(tree, length - 2), unit_of(tree, length), unit_of(tree, length, 4)]
    units.append(unit_of(small_tree(tree.problem, 4), length))
    assert len({unit.key for unit in units}) == 4
    assert unit_of(tree, length).key == units[1].key


def test_answers_from_a_store_are_read_with_distrust():
    tree, length = deep()
    unit = unit_of(tree, length)
    answer = unit.run()
    assert answer.plan is not None
    document = answer.document()
    assert unit.answer(document, 1.5) == replace(answer, seconds=1.5)
    for change in (
        {"nodes": -1},
        {"nodes": "many"},
        {"nodes": True},
        {"next_limit": length},
        {"deepest": [1]},
        {"deepest": None},
        {"deepest": [1.5] * unit.count},
        {"plan": [*answer.plan[:-1]]},
        {"plan": [10**9] * 5},
        {"plan": "UDLR"},
        {"plan": [0, 0]},
    ):
        with pytest.raises(ValueError, match=r"."):
            unit.answer(document | change, 1.5)


def test_paths_are_packed_in_two_bytes_a_move():
    packed = packed_paths([(1, 2, 300), (4, 5, 6)])
    assert np.frombuffer(packed, np.uint16).reshape(2, 3).tolist() == [[1, 2, 300], [4, 5, 6]]


def test_a_unit_that_was_given_up_is_done_by_the_next(tmp_path):
    """A cluster may take a unit from a worker that has begun it, which then ends it early."""
    tree, length = deep()
    with ThreadCrew(1) as whole, _GivesUp(1) as crew:
        expected, _ = team_round(tree, length - 2, whole)
        work, team = team_round(tree, length - 2, crew)
    assert crew.given_up == 1
    assert work.is_exhausted
    assert (work.nodes, work.deepest) == (expected.nodes, expected.deepest)
    assert team.done > 2


class _GivesUp(ThreadCrew):
    """Ends the first unit before it is done."""

    given_up = 0

    def submit(self, function, *arguments):
        if self.given_up:
            return super().submit(function, *arguments)
        self.given_up += 1

        def call(*given):
            with stopped_by(lambda: True):
                return function(*given)

        return super().submit(call, *arguments)
