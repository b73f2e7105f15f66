"""Solve, then check, on random boards of every family; plans, symmetries and inverses."""

from hypothesis import given, settings
from hypothesis import strategies as st
from support.fixtures import cases
from support.fixtures.cases import make
from support.reference.oracle import Rules

from plansolve.analysis.automorphisms import symmetries
from plansolve.analysis.solvability import why_unsolvable
from plansolve.bounds.registry import best_lower_bound
from plansolve.checker import check_plan
from plansolve.model.problem import Problem
from plansolve.model.structure import Structure

PUZZLES = {
    "sliding 2x2": make("sliding", 2, 2, "snail"),
    "sliding 2x3": make("sliding", 2, 3),
    "sliding 3x3": make("sliding", 3, 3),
    "sliding 3x3 centre": make("sliding", 3, 3, (1, 2, 3, 4, 0, 5, 6, 7, 8)),
    "sliding 4x4": make("sliding", 4, 4),
    "sliding 1x5": make("sliding", 1, 5),
    "lloyd 3x3": make("lloyd", 3, 3),
    "lloyd 5x5": make("lloyd", 5, 5),
    "torus-ring 5x5": make("torus-ring", 5, 5),
    "loopover 3x3": make("loopover", 3, 3),
    "loopover 2x3": make("loopover", 2, 3),
    "one-way torus": make("torus-ring:rows=LRLR,columns=UDUDU,rings=none", 4, 5),
    "row slides": cases.row_slides(),
    "one-way ring": cases.one_way_ring(),
}
# Longest walks: the torus branches 24 ways, a sliding board two or three.
STEPS = {name: 3 if "torus" in name or "loopover" in name else 12 for name in PUZZLES}
few = settings(max_examples=25, deadline=None)


def walk(draw, puzzle, length):
    """A random legal walk: its names and its boards."""
    rules, names, boards = Rules.of(puzzle), [], [puzzle.goal]
    for _ in range(length):
        name, board = draw(st.sampled_from(rules.successors(boards[-1])))
        names.append(name)
        boards.append(board)
    return names, boards


@st.composite
def scrambled(draw, among=tuple(PUZZLES)):
    """A puzzle and a board that has a plan: the end of a random walk back from the goal."""
    name = draw(st.sampled_from(among))
    puzzle = PUZZLES[name]
    state, rules = puzzle.goal, Rules.of(puzzle)
    for _ in range(draw(st.integers(0, STEPS[name]))):
        state = draw(st.sampled_from(rules.predecessors(state)))
    return puzzle, state


@st.composite
def walks(draw, among=tuple(PUZZLES)):
    name = draw(st.sampled_from(among))
    puzzle = PUZZLES[name]
    return puzzle, *walk(draw, puzzle, draw(st.integers(1, 25)))


def shortest(puzzle, start):
    """The first horizon with a plan, and the plan; the walks here bound the search."""
    solver = cases.solver(puzzle, start, None, None)
    for horizon in range(13):
        plan = solver.attempt(horizon).plan
        if plan is not None:
            return plan
    raise AssertionError(f"no plan of at most 12 moves from {start}")


@few
@given(scrambled())
def test_a_solved_scramble_passes_the_checker_and_no_shorter_walk_exists(case):
    puzzle, start = case
    plan = shortest(puzzle, start)
    verdict = check_plan(Problem(puzzle, start), plan)
    assert verdict.solves
    assert verdict.applied == len(plan) >= best_lower_bound(Problem(puzzle, start)).value
    assert why_unsolvable(Problem(puzzle, start)) is None
    # Walk half the way from each side: the two balls meet only where a plan is as short.
    half = (len(plan) - 1) // 2
    if plan and len(puzzle.operators) * (len(plan) if not puzzle.has_blank else 1) < 80:
        rules = Rules.of(puzzle)
        near = rules.distances_from(start, half)
        far = rules.distances_to(puzzle.goal, len(plan) - 1 - half)
        assert not near.keys() & far.keys()


# Lloyd's transports, one-way lines and hops round a ring cannot be taken back by one move.
CLOSED = tuple(name for name, p in PUZZLES.items() if Structure(p).is_inverse_closed)
assert set(PUZZLES) - set(CLOSED) == {"lloyd 3x3", "lloyd 5x5", "one-way torus", "one-way ring"}


@few
@given(scrambled(CLOSED))
def test_the_way_back_has_the_same_length_and_the_inverted_plan_walks_it(case):
    puzzle, start = case
    plan = shortest(puzzle, start)
    # The way back: from the goal to the start, with the tiles renamed so that start is the goal.
    turned = puzzle.with_goal(start)
    assert len(shortest(turned, puzzle.goal)) == len(plan)
    structure, operators = Structure(puzzle), puzzle.operators
    state, back = start, []
    for name in plan:
        operator = puzzle.applicable(state)[name]
        back.append(operators[structure.inverses[operators.index(operator)]].name)
        state = operator.apply(state)
    assert check_plan(Problem(turned, puzzle.goal), back[::-1]).solves


@few
@given(scrambled(), st.data())
def test_symmetric_boards_have_plans_of_equal_length(case, data):
    puzzle, start = case
    image = data.draw(st.sampled_from(symmetries(puzzle)))

    def moved(board):
        after = [0] * len(board)
        for cell, content in enumerate(board):
            after[image[cell]] = content
        return tuple(after)

    # The mapped goal is the goal with other names for its tiles: the names are mapped back.
    name = dict(zip(moved(puzzle.goal), puzzle.goal, strict=True))
    mirrored = tuple(name[content] for content in moved(start))
    assert len(shortest(puzzle, mirrored)) == len(shortest(puzzle, start))
    assert best_lower_bound(Problem(puzzle, mirrored)) == best_lower_bound(Problem(puzzle, start))


@settings(max_examples=80, deadline=None)
@given(walks())
def test_a_legal_walk_replays_to_the_oracle_s_board(case):
    puzzle, names, boards = case
    verdict = check_plan(Problem(puzzle, puzzle.goal), names)
    assert verdict.legal
    assert verdict.board == boards[-1]
    assert verdict.reaches_goal == (boards[-1] == puzzle.goal)
    assert verdict.applied == len(names)


@settings(max_examples=80, deadline=None)
@given(walks(), st.data())
def test_an_illegal_step_is_found_where_it_was_put_in(case, data):
    puzzle, names, boards = case
    place = data.draw(st.integers(0, len(names)))
    legal = {name for name, _ in Rules.of(puzzle).successors(boards[place])}
    wrong = [*sorted(set(puzzle.move_names) - legal), "", "x", "u1"]
    intruder = data.draw(st.sampled_from(wrong))
    verdict = check_plan(Problem(puzzle, puzzle.goal), [*names[:place], intruder, *names[place:]])
    assert not verdict.legal
    assert not verdict.solves
    assert verdict.illegal.step == place + 1
    assert verdict.illegal.move == intruder
    assert verdict.illegal.board == verdict.board == boards[place]
    assert verdict.applied == place
    assert verdict.length == len(names) + 1
