"""One round of IDA* searched by a team: processes, machines, and a store that keeps the parts.

The plan is that of the first unit, in their order, that has one. The units before it come to their
end, and those after it do not count: so plan and nodes are the same for any number of workers, and
after any number of interruptions.
"""

import time
from collections.abc import Iterator
from typing import Any

from plansolve.solvers.search.idastar.round import Round, parts_of
from plansolve.solvers.search.idastar.subtrees import SubtreesAnswer, SubtreesUnit, packed_paths
from plansolve.solvers.search.idastar.tree import SearchTree, TreeSource
from plansolve.solvers.units.team import Team

__all__ = ["prepare", "search_with_team"]

_UNIT_NODES = 30_000_000
"""The nodes of a unit, a second or two, as far as the round before foretells them."""
_GROWTH = 8
"""How many times more nodes a round has than the one before, roughly."""
_FEWEST_UNITS = 64
_FRONT = 10
"""The subtrees that come first are the largest, and as a rule one of them holds the plan: a tenth
of them makes as many units as the rest."""
_SECONDS_TO_TELL = 0.1


def prepare(tree: SearchTree[Any], team: Team | None) -> None:
    """Have a team's processes make the tree while small rounds are searched without them."""
    if team is not None and tree.recipe is not None:
        team.crew.prepare(_make, tree.recipe)


def _make(recipe: TreeSource) -> None:
    tree = recipe.tree()
    # Nothing is within this limit, but the kernel is loaded.
    for _ in Round(tree, 0).run():
        pass


def search_with_team(work: Round, team: Team, nodes_before: int) -> Iterator[None]:
    """Search a round to its end, or to a plan; yield several times a second.

    Small rounds, going by the nodes of the one before, are searched here in one piece. The tree
    must have a recipe, and the goal of the round must be a first plan. Raise what `Team.run` does.
    """
    roots = yield from work.subtrees(nodes_before)
    if roots is None:
        yield from work.run(nodes_before=nodes_before)
        return
    recipe, identity = work.tree.recipe, work.tree.identity
    assert recipe is not None
    count, front = max(_FEWEST_UNITS, _GROWTH * nodes_before // _UNIT_NODES), len(roots) // _FRONT
    parts = [*parts_of(roots[:front], count), *parts_of(roots[front:], count)]
    units = [
        SubtreesUnit(recipe, identity, work.limit, len(part), packed_paths(part)) for part in parts
    ]
    answers: dict[int, SubtreesAnswer] = {}
    above, last, told = (work.nodes, work.expanded), len(units), time.monotonic()
    for answered in team.run(units, work.limit):
        if answered is not None:
            answer = answers[answered.number] = answered.answer
            work.nodes += answer.nodes
            work.expanded += answer.expanded
            if answer.plan is not None and answered.number < last:
                last = answered.number
                team.drop(last)
        if work.is_stopped:
            team.drop()
        if answered is None or time.monotonic() > told + _SECONDS_TO_TELL:
            told = time.monotonic()
            yield
    counted = [answer for number, answer in answers.items() if number <= last]
    work.nodes = above[0] + sum(answer.nodes for answer in counted)
    work.expanded = above[1] + sum(answer.expanded for answer in counted)
    for number, answer in answers.items():
        work.finish(dict(zip(parts[number], answer.deepest, strict=True)), answer.next_limit)
    work.seconds = sum(a.seconds for a in answers.values()) / max(1, team.crew.width)
    if last < len(units) and (plan := answers[last].plan) is not None:
        work.found.append(plan)
    yield
