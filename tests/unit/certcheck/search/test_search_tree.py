"""The sceptic's searches: what they find, board by board, and what they refuse to believe."""

import json
import threading
from dataclasses import replace
from itertools import count
from random import Random
from types import SimpleNamespace

import numpy as np
import pytest
from support.fixtures import cases
from support.fixtures.small_rules import exchanges, puzzles
from support.reference import permutation
from support.reference.oracle import Rules
from support.reference.placements import goal_distances

from plansolve.certcheck.options import CheckFailed
from plansolve.certcheck.pattern_tables import NEVER
from plansolve.certcheck.search import moves as moves_module
from plansolve.certcheck.search.check import built_tables
from plansolve.certcheck.search.moves import OperatorMoves, moves_of
from plansolve.certcheck.search.proof import PatternLookup, SearchProof, read_search_proof
from plansolve.certcheck.search.tree_kinds import tree_of
from plansolve.certcheck.search.units import frontier, run_units, search_unit
from plansolve.certcheck.search.words import fitting_length
from plansolve.claims.search_proof import write_search_proof
from plansolve.errors import InternalError, ProofError
from plansolve.model.problem import Problem
from plansolve.model.puzzle import OPEN, Operator, Puzzle

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
def proof_made(tmp_path_factory):
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


def test_a_plan_is_met_exactly_from_its_length_on(space, proof_made):
    puzzle, table = space
    boards = Random(3).sample(sorted(table), 30)
    for board in boards:
        distance = table[board]
        if not distance:
            continue
        problem = Problem(puzzle, board)
        for bound in (distance - 1, distance, distance + 1):
            tree = made(problem, proof_made(puzzle, bound))
            plans = search_unit(tree, (tree.moves.start,)).plans
            assert len(plans) == (bound >= distance)
            assert bound != distance or len(plans[0]) == distance


def test_every_shortest_plan_is_met_where_all_are_wanted(space, proof_made):
    puzzle, table = space
    rules = Rules.of(puzzle)
    most = fitting_length(moves_of(Problem(puzzle, puzzle.goal)), 6, every_plan=True)
    # Of moves that commute there are plans in any order.
    longest = 31 if puzzle.has_blank else 4
    boards = sorted(board for board, length in table.items() if 0 < length <= longest)
    for board in Random(4).sample(boards, 4):
        length = table[board]
        for words in (2, most):
            proof = replace(proof_made(puzzle, length), words=words, every_plan=True)
            tree = made(Problem(puzzle, board), proof)
            for depth in {0, length // 2}:
                met = [
                    plan for path in frontier(tree, depth) for plan in search_unit(tree, path).plans
                ]
                assert {len(plan) for plan in met} == {length} and len({*met}) == len(met)
                assert len(met) == rules.shortest_plans(board, table, by_board=True)


def test_the_units_are_all_of_the_tree(space, proof_made):
    puzzle, table = space
    board = max(table, key=lambda board: (table[board], board))
    problem, bound = Problem(puzzle, board), table[board] - 1
    tree = made(problem, proof_made(puzzle, bound))
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
        done = list(run_units(tree, paths, 2))
        assert sum(part.units for part in done) == len(paths)
        assert sum(part.boards for part in done) == sum(below)


@pytest.mark.parametrize(
    ("specification", "depth"), [("sliding", None), ("torus-ring:rings=outer", 5), ("loopover", 7)]
)
def test_a_search_enters_what_a_plain_one_does(specification, depth, proof_made):
    puzzle, known = cases.make(specification, 3, 3), {}
    table, rules = cases.distance_table(specification, 3, 3, depth=depth), Rules.of(puzzle)
    far = sorted(table, key=lambda board: (table[board], board))[-len(table) // 3 :]
    for board in Random(5).sample(far, 6):
        problem, bound, count = Problem(puzzle, board), table[board] - 1, 0
        tree = made(problem, proof_made(puzzle, bound))
        value = by_walks if puzzle.has_blank else by_permutations
        stack = [(tree.moves.start,)] if bound >= 0 else []
        while stack:
            path = stack.pop()
            for move in tree.moves.after(path):
                longer = (*path, move)
                if tree.automaton.follow(longer) is None:
                    continue
                reached = rules.replay(board, tree.moves.names(longer))[-1]
                is_within = len(longer) - 1 + value(tree, reached, known) <= bound
                # Boards of permutations are counted when they are made.
                count += is_within or not puzzle.has_blank
                stack += [longer] if is_within else []
        assert bound < 0 or search_unit(tree, (tree.moves.start,)).boards == count


def by_walks(tree, board, known):
    """The bound by the definition: the image of each tile's home, in the image of its cell."""

    def entry(lookup):
        image, goal = tree.proof.symmetries[lookup.symmetry], tree.problem.goal
        cells = tree.proof.tables[lookup.table]
        places = [image[board.index(goal[image.index(cell)])] for cell in cells]
        at = sum(place * len(board) ** i for i, place in enumerate(reversed(places)))
        if lookup.table not in known:
            known[lookup.table] = tree.tables.build(lookup.table, np.zeros(1, np.uint8))
        return int(known[lookup.table][at])

    return max(sum(map(entry, row)) for row in tree.proof.sets)


def by_permutations(tree, board, known):
    """The largest distance of a placement, on the board, turned boards and their inverses."""
    moves, values = tree.moves, []
    rules, halves = (
        SimpleNamespace(sources=moves.sources, is_odd=moves.counts_odd),
        any(moves.counts_odd),
    )
    for (lookup,) in tree.proof.sets:
        pattern = tree.proof.tables[lookup.table]
        arrangement = tree.problem.puzzle.arrangement(board)
        seen = permutation.turned(arrangement, tree.proof.symmetries[lookup.symmetry])
        seen = permutation.inverse(seen) if lookup.is_inverse else seen
        if pattern not in known:
            known[pattern] = permutation.placements(rules, pattern, halves)
        values.append(permutation.lookup(known[pattern], pattern, halves, seen))
    return max(values)


def test_whoever_writes_a_proof_is_told_of_a_plan(tmp_path):
    puzzle = cases.make("sliding", 3, 3)
    table = cases.distance_table("sliding", 3, 3)
    board = next(board for board, distance in table.items() if distance == 12)
    with pytest.raises(InternalError, match=r"12 moves were proved too few.* a plan of 12 moves"):
        write_search_proof(Problem(puzzle, board), 12, tmp_path)


# Operators of any kind


def named(puzzle):
    """A goal cell of each kind but the blank that has one."""
    kinds = [kind for kind in puzzle.kinds if kind and kind in puzzle.goal]
    return {kind: puzzle.goal.index(kind) for kind in kinds}


def proof_for(puzzle, bound, tables, **changes):
    given = {
        "bound": bound,
        "tables": tables,
        "symmetries": (tuple(range(puzzle.cells)),),
        "sets": tuple((PatternLookup(number, 0, False),) for number in range(len(tables))),
        "words": 3,
        "depth": 0,
    }
    return SearchProof(**given | changes)


def tree_for(problem, bound, tables, **changes):
    tree = tree_of(problem, proof_for(problem.puzzle, bound, tables, **changes))
    tree.use(built_tables(tree, 1))
    return tree


def others(seeds, gaps=1):
    """Puzzles of the third kind whose goal places a tile."""
    return [
        puzzle
        for puzzle in puzzles(seeds, gaps)
        if isinstance(moves_of(Problem(puzzle, puzzle.goal_board)), OperatorMoves) and named(puzzle)
    ]


def met(tree, depth):
    """Return True if a plan is met on the way to the units, or below one of them."""
    try:
        for path in frontier(tree, depth):
            if search_unit(tree, path).plans:
                return True
    except CheckFailed:
        return True
    return False


def met_from_its_length_on(puzzles, **changes):
    seen = 0
    for puzzle in puzzles:
        distances = goal_distances(puzzle)
        random = Random(seen)
        for board in random.sample(sorted(distances), min(4, len(distances))):
            length = distances[board]
            tables = [(cell,) for cell in named(puzzle).values()]
            for bound in range(max(0, length - 1), length + 2):
                words, depth = random.randint(2, 4), random.randint(0, 2)
                given = {key: change(tables) for key, change in changes.items()}
                tree = tree_for(Problem(puzzle, board), bound, tables, words=words, **given)
                assert met(tree, depth) == (bound >= length)
                seen += 1
    return seen


def in_one_sum(tables):
    return (tuple(PatternLookup(number, 0, False) for number in range(len(tables))),)


def of_exchanges(seeds):
    """Puzzles of the third kind whose goal places two kinds of tiles, with one gap to three."""
    return [
        puzzle
        for gaps in (1, 2, 3)
        for puzzle in exchanges(seeds, gaps)
        if isinstance(moves_of(Problem(puzzle, puzzle.goal_board)), OperatorMoves)
        and len(named(puzzle)) > 1
    ]


MANY = pytest.mark.parametrize("many", [False, pytest.param(True, marks=pytest.mark.slow)])


@MANY
def test_of_operators_a_plan_is_met_exactly_from_its_length_on(many):
    assert met_from_its_length_on(others(range(100, 400) if many else range(7))) > 30
    rules = others(range(200), gaps=2) + others(range(200), gaps=3)
    assert met_from_its_length_on(rules if many else rules[::50]) > 25


@MANY
def test_with_sums_a_plan_is_met_exactly_from_its_length_on(many):
    seeds = range(100, 300) if many else range(8)
    assert met_from_its_length_on(of_exchanges(seeds), sets=in_one_sum) > 60


def test_where_gaps_have_many_placements_tables_do_without_them(monkeypatch):
    monkeypatch.setattr(moves_module, "_MOST_WITH_GAPS", 1)
    rules = [*others(range(8), gaps=2), *others(range(4), gaps=3)]
    assert not any(moves_of(Problem(one, one.goal_board)).with_gaps for one in rules)
    assert met_from_its_length_on(rules) > 60
    assert met_from_its_length_on(of_exchanges(range(6)), sets=in_one_sum) > 40


def test_operators_with_one_effect_in_one_place_are_one_move():
    there, back = ((0, 1), (1, 2), (2, 0)), ((1, 0), (2, 1), (0, 2))
    operators = (
        Operator("a", there),
        Operator("b", there, 0),
        Operator("c", there, 0),
        Operator("d", back, 1),
        Operator("none", (), 2),
    )
    puzzle = Puzzle("own", 1, 4, (0, 1, 1, 2), operators, tuple("012"))
    moves = moves_of(Problem(puzzle, (1, 0, 1, 2)))
    assert moves.names((1, 0, 1, 2)) == ("a", "b", "d")
    assert [*map(list, map(moves.after, [(0,), (1,), (2,)]))] == [[0, 1], [0, 2], [0]]
    # The first move takes what is in cell 0 to cell 2.
    assert moves.tail((0, 0, 1)) == (2, 1) and [*moves.after((0, 0))] == [0]


LOOK, INVERSE = PatternLookup(0, 0, False), PatternLookup(0, 0, True)
NINE = {
    name: cases.make(name, 3, 3)
    for name in ("sliding", "lloyd", "torus-ring:rings=outer", "loopover:rows=RRR,columns=DDD")
}
OWN = Puzzle(
    "own",
    1,
    4,
    (1, 1, 2, OPEN),
    (Operator("swap", ((0, 3), (3, 0)), 3), Operator("turn", ((0, 1), (1, 2), (2, 0)))),
    tuple("012"),
    pieces=(0, 1, 1, 2),
)
MANY_PLACED = Puzzle(
    "many",
    8,
    8,
    (1, 2, *[OPEN] * 61, 0),
    cases.make("sliding", 8, 8).operators,
    tuple("0123"),
    pieces=(0, 1, *[2] * 10, *[3] * 52),
)
SIX = Puzzle(
    "own",
    1,
    6,
    tuple(range(6)),
    (
        Operator("turn", ((0, 1), (1, 2), (2, 0))),
        Operator("turn-too", ((3, 4), (4, 5), (5, 3))),
        Operator("swap", ((0, 5), (5, 0))),
    ),
    tuple("012345"),
)
BUSY = Puzzle(
    "busy",
    1,
    64,
    tuple(range(64)),
    tuple(Operator(f"m{i}", ((i // 4, 63 - i % 4), (63 - i % 4, i // 4))) for i in range(240)),
    tuple(map(str, range(64))),
)
TWO, SUM = ((0,), (2,)), ((PatternLookup(0, 0, False), PatternLookup(1, 0, False)),)
ADDED = "cannot be added"
REFUSED = {
    "a pattern twice": (NINE["sliding"], ((0, 1),), {"sets": ((LOOK, LOOK),)}, "share a tile"),
    "the blank": (NINE["sliding"], ((8,),), {}, "two of its patterns share a tile"),
    "an inverse blank": (NINE["sliding"], ((0, 1),), {"sets": ((INVERSE,),)}, "has no inverse"),
    "turns added": (
        NINE["torus-ring:rings=outer"], ((0, 1),), {"sets": ((LOOK, INVERSE),)}, ADDED
    ),
    "turns one way": (
        NINE["loopover:rows=RRR,columns=DDD"], ((0, 1),), {"sets": ((INVERSE,),)},
        "some move has no inverse",
    ),
    "a large table": (
        cases.make("sliding", 8, 8), ((*range(6),),), {}, "tables: .* entries are too many"
    ),
    "much work": (BUSY, ((0, 1, 2, 3), (4, 5, 6, 7), (8, 9, 10, 11)), {}, "with 240 moves each"),
    "much memory": (cases.make("sliding", 2, 19), ((*range(5),),), {}, "building one takes 2.6 GB"),
    "all moves but one kept": (
        SIX, ((0, 1),), {"symmetries": ((3, 4, 5, 0, 1, 2),)}, "entry 0 does not preserve the rules"
    ),
    "many placements": (MANY_PLACED, ((1,),), {}, "entries are too many"),
    **{
        f"symmetries of {name}": (
            NINE[name], ((0, 1),), {"symmetries": ((1, 0, *range(2, 9)),)},
            "symmetries: entry 0 does not preserve the rules",
        )
        for name in ("sliding", "lloyd", "torus-ring:rings=outer")
    },
    "a symmetry of equal pieces": (OWN, TWO, {"symmetries": ((1, 0, 2, 3),)}, "only the identity"),
    "an inverse of equal pieces": (OWN, TWO, {"sets": ((INVERSE,),)}, "no inverse"),
    "equal pieces that move together": (OWN, TWO, {"sets": SUM}, ADDED),
    "a kind twice": (OWN, ((0, 1), (2,)), {}, "different kinds"),
    "an open cell": (OWN, ((0,), (3,)), {}, "different kinds"),
    "a shared kind": (cases.two_gaps(), ((0,), (0, 1)), {"sets": SUM}, ADDED),
    "a kind in two tables": (cases.two_gaps(), ((0,), (3,)), {"sets": SUM}, ADDED),
    "the gaps": (cases.two_gaps(), ((0, 5), (1,)), {"sets": SUM}, ADDED),
}  # fmt: skip


def test_tables_that_are_no_longer_wanted_are_left():
    """Whole, they would take a minute; a thread that went on would show them."""
    tree = tree_of(Problem(BUSY, BUSY.goal_board), proof_for(BUSY, 3, ((0, 1, 2, 3),), words=2))
    made, build = [], tree.tables.build
    tree.tables.build = lambda number, stop: made.append(build(number, stop))
    asked = count()
    before = {*threading.enumerate()}
    with pytest.raises(TimeoutError):
        built_tables(tree, 1, lambda: next(asked) > 1)
    for thread in {*threading.enumerate()} - before:
        thread.join()
    assert all((table == NEVER).any() for table in made)


def test_units_have_so_many_moves_in_all():
    puzzle = NINE["sliding"]
    problem = Problem(puzzle, (*puzzle.goal_board[1::-1], *puzzle.goal_board[2:]))
    with pytest.raises(CheckFailed, match=r"more than 1,679 units of 9990 moves"):
        frontier(tree_for(problem, 9_999, ((0,),), words=2), 9_990)


@pytest.mark.parametrize("name", REFUSED)
def test_what_bounds_nothing_is_refused(name):
    puzzle, tables, changes, message = REFUSED[name]
    with pytest.raises(ProofError, match=message):
        tree_for(Problem(puzzle, puzzle.goal_board), 3, tables, **changes)


def test_a_proof_is_what_its_document_says():
    puzzle = others(range(4))[0]
    proof = proof_for(puzzle, 3, tuple((cell,) for cell in named(puzzle).values()))
    assert read_search_proof(json.dumps(proof.document()).encode(), puzzle.cells) == proof
