"""Rounds of IDA* with pattern databases of placements, against a plain search of the same paths."""

from itertools import pairwise
from random import Random

import pytest
from support.fixtures.cases import make, one_way_ring, row_slides, turning_letters, two_dials
from support.reference.placements import goal_distances, random_puzzle

from plansolve.model.problem import Problem
from plansolve.patterns.placement_rules import placement_rules
from plansolve.patterns.placement_sums import SumChoice
from plansolve.patterns.placement_tables import table_choice
from plansolve.patterns.table import NO_WAY
from plansolve.solvers.search.idastar import registers as reg
from plansolve.solvers.search.idastar.placement_tree import PlacementTree
from plansolve.solvers.search.idastar.round import Round
from plansolve.storage.store import Store

PUZZLES = {
    "multi-tile": make("sliding:metric=multi-tile", 3, 3),
    "row slides": row_slides(),
    "letters in multi-tile moves": turning_letters(),
    "two dials": two_dials(),
    "one-way ring": one_way_ring(),
    "two gaps": make("sliding-gaps", 2, 3),
    **{f"random {n}": random_puzzle(Random(n), 4 + n % 3) for n in range(8)},
    **{
        f"alike {n}": random_puzzle(
            Random(n), 4 + n % 3, are_alike=True, is_open=n % 2 == 1, gaps=1 + n % 3
        )
        for n in range(8)
    },
}


def lookups_of(puzzle, size):
    choice = table_choice(puzzle, placement_rules(puzzle))
    return choice.lookups(size, store=Store(in_memory=True), tell=lambda _: None, threads=1)


def plain_round(tree, limit):
    """The nodes of a round that finds no plan, and the least f beyond the limit."""
    puzzle, automaton = tree.problem.puzzle, tree.automaton
    firsts, nodes, beyond = tree.lookups.first.tolist(), 0, reg.NO_LIMIT
    todo = [(tree.problem.start, int(automaton.roots[tree.root[0]]), 0)]
    while todo:
        board, state, moves = todo.pop()
        for edge in range(*map(int, automaton.offset[state : state + 2])):
            operator = puzzle.operators[automaton.move[edge]]
            if not operator.applies_to(board) or (child := operator.apply(board)) == board:
                continue
            values = tree.lookups.values(child)
            has_way = NO_WAY not in values
            f = moves + 1 + max(sum(values[begin:end]) for begin, end in pairwise(firsts))
            if has_way and f <= limit:
                nodes += 1
                todo.append((child, int(automaton.next[edge]), moves + 1))
            else:
                beyond = min(beyond, f if has_way else reg.NO_LIMIT)
    return nodes, beyond


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=pytest.mark.slow) if n == "multi-tile" else n for n in PUZZLES],
)
def test_a_round_enters_the_nodes_of_a_plain_search(name):
    """So no sum is left out that would have cut a node off."""
    puzzle = PUZZLES[name]
    if (rules := placement_rules(puzzle)) is None or rules.relaxed:
        pytest.skip("there are no tables")
    choice, distances = table_choice(puzzle, rules), goal_distances(puzzle)
    sizes = {1, 2} if isinstance(choice, SumChoice) else {1, min(2, len(rules.classes))}
    far = sorted(distances, key=lambda board: (distances[board], board))[-40:]
    for size in sizes & {size for size in sizes if choice.patterns(size)}:
        lookups = lookups_of(puzzle, size)
        for board in Random(name).sample(far, min(3, len(far))):
            tree = PlacementTree(Problem(puzzle, board), lookups, 1 << 30)
            # With a limit below the distance, and few enough nodes for plain Python.
            for limit in range(tree.initial_bound, min(distances[board], tree.initial_bound + 5)):
                nodes, beyond = plain_round(tree, limit)
                work = Round(tree, limit)
                for _ in work.run(1, nodes_before=0):
                    pass
                assert work.is_exhausted and work.nodes == nodes
                assert limit < work.next_limit <= beyond or beyond == reg.NO_LIMIT
                if nodes > 2000:
                    break
