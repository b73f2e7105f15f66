"""The checker follows the oracle along random walks on every kind of puzzle."""

from hypothesis import given, settings
from hypothesis import strategies as st
from support.fixtures import cases
from support.fixtures.cases import make
from support.reference.oracle import Rules

from plansolve.checker import check_plan
from plansolve.model.problem import Problem

PUZZLES = [
    make("sliding", 2, 2, "snail"),
    make("sliding", 2, 3),
    make("sliding", 3, 3),
    make("sliding", 3, 3, (1, 2, 3, 4, 0, 5, 6, 7, 8)),
    make("sliding", 4, 4),
    make("sliding", 1, 5),
    make("lloyd", 3, 3),
    make("lloyd", 5, 5),
    make("torus-ring", 5, 5),
    make("loopover", 3, 3),
    make("loopover", 2, 3),
    make("torus-ring:rows=LRLR,columns=UDUDU,rings=none", 4, 5),
    cases.row_slides(),
    cases.one_way_ring(),
]


@st.composite
def walks(draw):
    """A puzzle, and the names and boards of a random legal walk."""
    puzzle = draw(st.sampled_from(PUZZLES))
    rules, names, boards = Rules.of(puzzle), [], [puzzle.goal]
    for _ in range(draw(st.integers(1, 25))):
        name, board = draw(st.sampled_from(rules.successors(boards[-1])))
        names.append(name)
        boards.append(board)
    return puzzle, names, boards


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
