"""The sceptic's searches: what they find, board by board, and what they refuse to believe."""

from dataclasses import replace
from itertools import pairwise
from random import Random
from types import SimpleNamespace

import pytest
from support.fixtures import cases
from support.reference import permutation
from support.reference.oracle import Rules

from plansolve.certcheck.search.check import built_tables, tree_of
from plansolve.certcheck.search.moves import moves_of
from plansolve.certcheck.search.proof import PatternLookup, SearchProof
from plansolve.certcheck.search.units import frontier, run_units, search_unit
from plansolve.certcheck.search.words import fitting_length
from plansolve.checker import check_plan
from plansolve.claims.search_proof import write_search_proof
from plansolve.errors import InternalError, ProofError
from plansolve.model.problem import Problem

ONE_WAY = cases.one_way_ring(6)


SPACES = (
    ("sliding", 2, 3, None),
    ("sliding", 3, 3, None),
    ("lloyd", 3, 3, 12),
    ("loopover", 3, 3, 8),
    ("torus-ring:rings=outer", 3, 3, 5),
    ("torus-ring", 4, 4, 3),
)


@pytest.fixture(params=[*SPACES, ONE_WAY], ids=lambda space: str(getattr(space, "name", space)))
def space(request):
    """A puzzle, and distances to its goal; of several kinds of rules."""
    if request.param is ONE_WAY:
        return ONE_WAY, Rules.of(ONE_WAY).distances_to(ONE_WAY.goal)
    name, rows, columns, depth = request.param
    table = cases.distance_table(name, rows, columns, depth=depth)
    return cases.make(name, rows, columns), table


TABLES = {}
"""Those that were built, by puzzle and patterns: the board has no part in them."""


def made(problem, proof):
    tree = tree_of(problem, proof)
    key = problem.puzzle.pickled, proof.tables
    if key not in TABLES:
        TABLES[key] = built_tables(tree, 1)
    tree.use(TABLES[key])
    return tree


@pytest.fixture(scope="module")
def proof_for(tmp_path_factory):
    """The proof that is made for any board of a puzzle."""

    known = {}

    def proof_of(puzzle):
        if puzzle.pickled not in known:
            # Where the goal is one move away, there is no plan of none.
            moves = [operator for operator in puzzle.operators if operator.applies_to(puzzle.goal)]
            start = moves[0].apply(puzzle.goal)
            folder = tmp_path_factory.mktemp("proof")
            known[puzzle.pickled] = write_search_proof(Problem(puzzle, start), 0, folder)
        return known[puzzle.pickled]

    return lambda puzzle, bound: replace(proof_of(puzzle), bound=bound)


def test_a_plan_is_met_exactly_from_its_length_on(space, proof_for):
    puzzle, table = space
    boards = Random(3).sample(sorted(table), 30)
    for board in boards:
        distance = table[board]
        if not distance:
            continue
        problem = Problem(puzzle, board)
        for bound in (distance - 1, distance, distance + 1):
            tree = made(problem, proof_for(puzzle, bound))
            plans = search_unit(tree, (tree.moves.start,)).plans
            assert len(plans) == (bound >= distance)
            assert bound != distance or len(plans[0]) == distance


def test_every_shortest_plan_is_met_where_all_are_wanted(space, proof_for):
    puzzle, table = space
    rules = Rules.of(puzzle)
    most = fitting_length(moves_of(Problem(puzzle, puzzle.goal)), 6, every_plan=True)
    # Of moves that commute there are plans in any order.
    longest = 31 if puzzle.has_blank else 4
    boards = sorted(board for board, length in table.items() if 0 < length <= longest)
    for board in Random(4).sample(boards, 4):
        length = table[board]
        for words in (2, most):
            proof = replace(proof_for(puzzle, length), words=words, every_plan=True)
            tree = made(Problem(puzzle, board), proof)
            for depth in {0, length // 2}:
                met = [
                    plan for path in frontier(tree, depth) for plan in search_unit(tree, path).plans
                ]
                assert {len(plan) for plan in met} == {length} and len({*met}) == len(met)
                assert len(met) == rules.shortest_plans(board, table, by_board=True)


def test_the_units_are_all_of_the_tree(space, proof_for):
    puzzle, table = space
    board = max(table, key=lambda board: (table[board], board))
    problem, bound = Problem(puzzle, board), table[board] - 1
    tree = made(problem, proof_for(puzzle, bound))
    whole = search_unit(tree, (tree.moves.start,)).boards
    above = set()
    for depth in range(bound + 1):
        paths = frontier(tree, depth)
        assert len({*paths}) == len(paths) and all(len(path) == depth + 1 for path in paths)
        # Their beginnings are the units of the depth before, but for those that lead no further.
        assert {path[:-1] for path in paths} <= above or not depth
        above = {*paths}
        below = [search_unit(tree, path).boards for path in paths]
        assert sum(below) <= whole
        done = list(run_units(tree, paths, 2, None))
        assert sum(part.units for part in done) == len(paths)
        assert sum(part.boards for part in done) == sum(below)


def test_a_search_enters_what_a_plain_one_does(proof_for):
    puzzle = cases.make("sliding", 3, 3)
    table = cases.distance_table("sliding", 3, 3)
    for board in Random(5).sample(sorted(table), 5):
        problem, bound = Problem(puzzle, board), table[board] - 1
        if bound < 0:
            continue
        tree = made(problem, proof_for(puzzle, bound))
        lookups = tree._lookups

        def estimate(state, tree=tree):
            return max(
                sum(int(table_at(tree, lookup, state)) for lookup in row) for row in tree.proof.sets
            )

        count = 0
        stack = [(tree.moves.start,)]
        while stack:
            path = stack.pop()
            for move in tree.moves.after(path):
                longer = (*path, move)
                if tree.automaton.follow(longer) is None:
                    continue
                if len(longer) - 1 + estimate(after(problem, longer)) <= bound:
                    count += 1
                    stack.append(longer)
        assert search_unit(tree, (tree.moves.start,)).boards == count
        assert lookups.table.size > 0


def after(problem, walk):
    board = list(problem.start)
    for here, there in pairwise(walk):
        board[here], board[there] = board[there], board[here]
    return tuple(board)


def table_at(tree, lookup, board):
    """An entry by the definition: the image of each tile's home, in the image of its cell."""
    image, goal = tree.proof.symmetries[lookup.symmetry], tree.problem.goal
    cells = tree.proof.tables[lookup.table]
    places = [image[board.index(goal[image.index(cell)])] for cell in cells]
    at = sum(place * len(board) ** i for i, place in enumerate(reversed(places)))
    return tree.tables.build(lookup.table)[at]


def test_lookups_without_a_blank_are_those_of_turned_and_inverse_boards(proof_for):
    puzzle = cases.make("torus-ring:rings=outer", 3, 3)
    tree = made(Problem(puzzle, puzzle.goal), proof_for(puzzle, 3))
    moves, known = tree.moves, {}
    rules, halves = (
        SimpleNamespace(sources=moves.sources, is_odd=moves.counts_odd),
        any(moves.counts_odd),
    )
    for board in Random(1).sample(
        sorted(cases.distance_table("torus-ring:rings=outer", 3, 3, depth=4)), 20
    ):
        arrangement = puzzle.arrangement(board)
        position = made(Problem(puzzle, board), proof_for(puzzle, 1)).position((0,)).state
        for number, (lookup,) in enumerate(
            sorted(tree.proof.sets, key=lambda row: row[0].is_inverse)
        ):
            pattern = tree.proof.tables[lookup.table]
            turned = permutation.turned(arrangement, tree.proof.symmetries[lookup.symmetry])
            seen = permutation.inverse(turned) if lookup.is_inverse else turned
            if pattern not in known:
                known[pattern] = permutation.placements(rules, pattern, halves)
            wanted = permutation.lookup(known[pattern], pattern, halves, seen)
            assert entry(tree, number, position) == wanted


def entry(tree, number, position):
    """What a lookup's arrays say of a board."""
    lookups, cells = tree._lookups, tree.moves.cells
    places = len(lookups.piece) // len(lookups.base)
    where = position.place if number < lookups.boards[0] else position.board
    at = int(lookups.base[number]) + int(position.odd[0]) * int(lookups.half[number])
    for i in range(number * places, (number + 1) * places):
        at += int(lookups.value[i * cells + int(where[lookups.piece[i]])])
    return int(lookups.table[at])


def test_a_symmetry_that_is_none_is_refused(proof_for):
    for name, side in (("sliding", 3), ("lloyd", 3), ("torus-ring:rings=outer", 3)):
        puzzle = cases.make(name, side, side)
        problem, proof = Problem(puzzle, puzzle.goal), proof_for(puzzle, 2)
        wrong = (1, 0, *range(2, 9))
        with pytest.raises(ProofError, match="symmetries: entry 0 does not keep the rules"):
            tree_of(problem, replace(proof, symmetries=(wrong, *proof.symmetries[1:])))


def test_sets_that_bound_nothing_are_refused(proof_for):
    sliding, torus = cases.make("sliding", 3, 3), cases.make("torus-ring:rings=outer", 3, 3)
    one_way = Problem(ONE_WAY, ONE_WAY.goal)
    everything = tuple(range(6))

    def wrong(puzzle, *lookups, tables=None):
        proof = proof_for(puzzle, 2)
        proof = replace(proof, sets=(lookups,), tables=tables or proof.tables)
        return tree_of(Problem(puzzle, puzzle.goal), proof)

    look = PatternLookup(0, 0, False)
    with pytest.raises(ProofError, match="two of its patterns share a tile"):
        wrong(sliding, look, look)
    with pytest.raises(ProofError, match="two of its patterns share a tile"):
        blank = proof_for(sliding, 2).symmetries[0][8]
        wrong(sliding, look, tables=((blank,),))
    with pytest.raises(ProofError, match="has no inverse"):
        wrong(sliding, PatternLookup(0, 0, True))
    with pytest.raises(ProofError, match="do not add up"):
        wrong(torus, look, PatternLookup(0, 0, True))
    turns = cases.make("loopover:rows=RRR,columns=DDD", 3, 3)
    with pytest.raises(ProofError, match="not every move can be taken back"):
        tree_of(
            Problem(turns, turns.goal),
            SearchProof(2, ((0, 1),), (tuple(range(9)),), ((PatternLookup(0, 0, True),),), 2, 0),
        )
    with pytest.raises(ProofError, match=r"tables: .* are more than are built here"):
        large = cases.make("sliding", 8, 8)
        tree_of(
            Problem(large, large.goal),
            SearchProof(2, (everything,), (tuple(range(64)),), ((look,),), 2, 0),
        )
    assert moves_of(one_way).arcs[0]


def test_whoever_writes_a_proof_is_told_of_a_plan(tmp_path):
    puzzle = cases.make("sliding", 3, 3)
    table = cases.distance_table("sliding", 3, 3)
    board = next(board for board, distance in table.items() if distance == 12)
    with pytest.raises(
        InternalError, match=r"12 moves were said not to suffice.* a plan of 12 moves"
    ):
        write_search_proof(Problem(puzzle, board), 12, tmp_path)
    assert not check_plan(Problem(puzzle, board), ()).solves
