"""Work units of IDA*: they add up to the same whoever works on them."""

from contextlib import closing
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from support.fixtures.cases import silent
from support.fixtures.idastar import KINDS, cut, finish

from plansolve.analysis.automorphisms import keeping_start
from plansolve.analysis.duplicate_sequences import EVERY_PLAN
from plansolve.checker import check_plan
from plansolve.errors import InternalError
from plansolve.formats.json_document import problem_text
from plansolve.solvers.search.idastar import registers as reg
from plansolve.solvers.search.idastar.path_trees import BoundRecipe, PatternTree, PlacementRecipe
from plansolve.solvers.search.idastar.permutation_tree import PermutationRecipe
from plansolve.solvers.search.idastar.round import (
    Round,
    SubtreesUnit,
    packed_paths,
    search_with_team,
)
from plansolve.solvers.units.executors import process_executor, thread_executor
from plansolve.solvers.units.team import ProofRecords, Team


def fine(tree, subtrees=20):
    return cut(tree, large_round=0, subtrees=subtrees, nodes_a_subtree=1)


class InOrder:
    """A team all of whose units are answered, in the order that is given."""

    executor = SimpleNamespace(width=lambda: 1)

    def __init__(self, order):
        self.order = order

    def run(self, units, limit):
        for number in self.order(range(len(units))):
            yield SimpleNamespace(number=number, answer=units[number].run())

    def drop(self, last=0):
        pass


def team_round(tree, limit, executor, records=None, before=None, team=None):
    work = Round(fine(tree), limit, before=before or {})
    team = team or Team(executor, records)
    for _ in search_with_team(work, team, 12):
        pass
    return work, team


@pytest.fixture(scope="module")
def executors():
    with (
        thread_executor(3) as threads,
        process_executor(2) as processes,
        thread_executor(1) as alone,
    ):
        yield alone, threads, processes


SHARED = (
    "walks",
    "walks with penalties",
    "walks by distances",
    "walks by a bound with lookups",
    "permutations one way",
    "permutations by distances",
    "row slides",
    "two gaps",
)


@pytest.mark.parametrize("kind", [KINDS[name] for name in SHARED], ids=SHARED)
def test_nodes_plan_and_next_limit_are_the_same_for_every_executor(kind, executors):
    shared = 0
    for problem, length in kind.problems(4, least=12):
        # From a symmetric start the parts are fewer than the whole.
        if keeping_start(problem):
            continue
        recipe = kind.recipe(problem)
        tree, limits = recipe.tree(), (length - 1, length)
        assert tree.identity == recipe.make(silent, 1).identity
        for limit in limits:
            works, teams = zip(
                *(team_round(tree, limit, executor) for executor in executors), strict=True
            )
            teams_in_order = map(InOrder, (iter, reversed))
            works += tuple(team_round(tree, limit, None, team=own)[0] for own in teams_in_order)
            # One subtree after the other in the same order, without units.
            whole = finish(Round(tree, limit), nodes_before=12)
            shared += teams[0].done
            assert {(work.nodes, *work.found) for work in works} == {(whole.nodes, *whole.found)}
            assert bool(whole.found) == (limit == length)
            if limit == length:
                assert check_plan(problem, tree.plan(whole.found[0])).solves
                continue
            assert all(work.is_exhausted and work.deepest == whole.deepest for work in works)
            assert {work.next_limit for work in works} == {whole.next_limit}
    assert shared > 2


@pytest.mark.parametrize(
    ("recipe", "other", "name"),
    [
        (BoundRecipe, {"bound": "tile-distances"}, "walks"),
        (BoundRecipe, {"keep": EVERY_PLAN}, "two dials"),
        (PlacementRecipe, {"size": 2}, "row slides"),
        (PermutationRecipe, {"size": 3}, "permutations"),
        (PermutationRecipe, {"length": 4}, "permutations"),
    ],
)
def test_recipes_make_the_same_tree_again_and_others_another(recipe, other, name):
    problem, _ = next(KINDS[name].problems(0))
    options = {"bound": "largest-tile-distance"} if recipe is BoundRecipe else {}
    first = recipe(problem_text(problem), 1, 1 << 30, **options)
    tree = first.tree()
    assert tree is first.tree() and tree.recipe == first
    assert first.make(silent, 1).identity == tree.identity
    assert replace(first, **other).tree().identity != tree.identity


def test_what_the_store_has_is_not_searched_again(executors, tmp_path):
    tree, length = deep()
    with closing(ProofRecords(str(tmp_path / "a.sqlite"), "proof")) as records:
        first, done = team_round(tree, length - 2, executors[0], records)
        assert (done.known, done.done) == (0, done.done)
        assert done.done >= 3
        again, known = team_round(tree, length - 2, executors[1], records)
        assert (known.known, known.done) == (done.done, 0)
        assert (again.nodes, again.next_limit, again.deepest) == (
            first.nodes,
            first.next_limit,
            first.deepest,
        )
        plan, _ = team_round(tree, length, executors[0], records, first.deepest)
        recalled, team = team_round(tree, length, executors[1], records, first.deepest)
        assert [*recalled.found] == [*plan.found]
        assert (recalled.nodes, team.done) == (plan.nodes, 0)


def deep():
    """A tree that goes on far below its first moves, and the length of its shortest plans."""
    problem, length = next(KINDS["walks"].problems(0))
    return tree_of(problem), length


def tree_of(problem, size=3):
    return KINDS["walks"].recipe(problem, size).tree()


def unit_of(tree, limit, leaf=6):
    position, leaves = Round(tree, limit)._enter(tree.root, leaf), []
    while (status := tree.advance(position, 1 << 40)) != reg.EXHAUSTED:
        if status == reg.LEAF_REACHED:
            leaves.append(tree.path(position))
    return SubtreesUnit(tree.recipe, tree.identity, limit, len(leaves), packed_paths(leaves))


def test_another_tree_is_refused_be_it_by_one_entry():
    tree, length = deep()
    unit = unit_of(tree, length - 2)
    with pytest.raises(InternalError, match="a worker has another tree"):
        replace(unit, recipe=replace(unit.recipe, size=4)).run()
    # What was found with a wrong table must not count when a right one is in its place.
    table = tree._sets.table.copy()
    table[table.argmin()] += 1
    sets = tree._sets._replace(table=table)
    assert PatternTree(tree.problem, sets, tree.automaton).identity != tree.identity
    assert PatternTree(tree.problem, tree._sets, tree.automaton).identity == tree.identity


def test_keys_name_all_that_an_answer_depends_on():
    tree, length = deep()
    packed = np.frombuffer(packed_paths([(1, 2, 300), (4, 5, 6)]), np.uint16)
    assert packed.tolist() == [1, 2, 300, 4, 5, 6]
    units = [unit_of(tree, length - 2), unit_of(tree, length), unit_of(tree, length, 4)]
    units.append(unit_of(tree_of(tree.problem, 4), length))
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
