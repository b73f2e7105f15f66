"""Ten thousand damaged plans, each called right exactly where an independent replay says so."""

from random import Random

import pytest
from support.fixtures import cases
from support.reference.oracle import Rules

from plansolve.claims.diagnosis import diagnose
from plansolve.errors import PlanError
from plansolve.formats import format_plan, read_plan
from plansolve.model.problem import Problem


def letters(text, random):
    """One character dropped, doubled, exchanged with another or replaced."""
    place, other = random.randrange(len(text)), random.randrange(len(text))
    match random.randrange(4):
        case 0:
            return text[:place] + text[place + 1 :]
        case 1:
            return text[:place] + text[place] + text[place:]
        case 2:
            signs = list(text)
            signs[place], signs[other] = signs[other], signs[place]
            return "".join(signs)
    return text[:place] + random.choice("UDLRudlrtOIc15 ,x\x00") + text[place + 1 :]


def replayed(rules, start, plan):
    """The last board, and the number of the first move that is not legal, or None."""
    board = start
    for step, name in enumerate(plan, start=1):
        after = rules.apply(board, name)
        if after is None:
            return board, step
        board = after
    return board, None


@pytest.mark.parametrize("each", [400, pytest.param(2000, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    "puzzle",
    [
        cases.make("sliding", 3, 3),
        cases.make("sliding", 2, 5),
        cases.make("lloyd", 3, 3),
        cases.make("lloyd", 5, 5),
        cases.make("loopover", 3, 3),
        cases.make("torus-ring", 5, 5),
        cases.make("torus-ring:rows=LRLR,columns=UDUDU,rings=none", 4, 5),
        cases.row_slides(),
        cases.one_way_ring(),
    ],
    ids=lambda puzzle: puzzle.title,
)
def test_damaged_plans_are_judged_as_an_independent_replay_judges_them(puzzle, each):
    rules, random = Rules.of(puzzle), Random(7)
    right = unreadable = 0
    for _ in range(each):
        # From the goal on by random moves: the board there, and a plan that leads from it to where
        # the walk ends, which is made the goal.
        board, plan = puzzle.goal, []
        for _ in range(random.randint(1, 30)):
            name, board = random.choice(rules.successors(board))
            plan.append(name)
        problem = Problem(puzzle.with_goal(board), puzzle.goal)
        text = format_plan(plan, puzzle)
        for _ in range(random.randint(0, 3)):
            text = letters(text, random) or "."
        try:
            read = read_plan(text, puzzle)
        except PlanError:
            unreadable += 1
            continue
        last, bad = replayed(rules, problem.start, read)
        verdict = diagnose(problem, read).verdict
        assert verdict.solves == (bad is None and last == board), (text, verdict)
        assert (verdict.illegal.step if verdict.illegal else None) == bad
        assert verdict.board == last
        assert verdict.applied == (len(read) if bad is None else bad - 1)
        assert bad is None or verdict.illegal.move == read[bad - 1]
        right += verdict.solves
    assert each // 10 < right < each
    assert unreadable > each // 20
