"""One round of IDA* searched by a team: processes, machines, and a store that keeps the parts.

The plan is that of the first unit, in their order, that has one. The units before it come to their
end, and those after it do not count: so plan and nodes are the same for any number of workers, and
after any number of interruptions.
"""

import time
from collections.abc import Iterator

from plansolve.solvers.search.idastar.round import Round, parts_of
from plansolve.solvers.search.idastar.subtrees import SubtreesAnswer, SubtreesUnit, packed_paths
from plansolve.solvers.units.team import Team

__all__ = ["search_with_team"]

_UNIT_NODES = 30_000_000
"""The nodes of a unit, a second or two, as far as the round before foretells them."""
_GROWTH = 8
"""How many times more nodes a round has than the one before, roughly."""
_FEWEST_UNITS = 64
_SECONDS_TO_TELL = 0.1


def search_with_team(work: Round, team: Team, nodes_before: int) -> Iterator[None]:
    """Search a round to its end, or to a plan; yield several times a second.

    Small rounds, going by the nodes of the one before, are searched here in one piece. The tree
    must have a recipe, and the goal of the round must be a first plan. Raise what `Team.run` does.
    """
    roots = yield from work.subtrees(nodes_before)
    if roots is None:
        yield from work.run()
        return
    recipe, identity = work.tree.recipe, work.tree.identity
    assert recipe is not None
    parts = parts_of(roots, max(_FEWEST_UNITS, _GROWTH * nodes_before // _UNIT_NODES))
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
