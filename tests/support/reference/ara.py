"""ARA* in plain Python: dictionaries, states as tuples, a list for each key of the open list.

Likhachev, Gordon, Thrun 2003. Of the open nodes of the smallest key the one opened last is
expanded. Nodes with f not below the best plan's length are left out.
"""

from dataclasses import dataclass, field

from plansolve.model.structure import UNREACHABLE
from support.reference.oracle import Rules


@dataclass
class Run:
    """What a search did; `least` are the smallest f in OPEN and INCONS after each weight."""

    lengths: list = field(default_factory=list)
    least: list = field(default_factory=list)
    expansions: int = 0
    generated: int = 0
    reopened: int = 0
    depth: dict = field(default_factory=dict)


def ara(puzzle, start, bound, cost, weights):
    """Search with each of the weights, as fractions of `cost`; `bound` is h, of a state."""
    rules, run = Rules.of(puzzle), Run()
    best, parent = UNREACHABLE, {start: None}
    depth, height, waiting = run.depth, {start: bound(start)}, {start}
    depth[start] = 0
    for weight in weights:
        buckets, closed, inconsistent = {}, set(), set()

        def put(state, weight=weight, buckets=buckets):
            key = cost * depth[state] + weight * height[state]
            buckets.setdefault(key, []).append(state)
            return key

        waiting = {state for state in waiting if depth[state] + height[state] < best}
        where = {state: put(state) for state in depth if state in waiting}
        while where:
            key = min(key for key, states in buckets.items() if states)
            if key >= cost * best:
                break
            state = buckets[key].pop()
            del where[state]
            closed.add(state)
            if depth[state] + height[state] >= best:
                continue
            run.expansions += 1
            limit, g = best, depth[state] + 1
            for _, child in rules.successors(state):
                run.generated += 1
                h = height.setdefault(child, bound(child))
                if h >= UNREACHABLE or g + h >= limit or g >= depth.get(child, UNREACHABLE):
                    continue
                if child in where:
                    buckets[where.pop(child)].remove(child)
                elif child in depth and child not in inconsistent:
                    run.reopened += 1
                depth[child], parent[child] = g, state
                if child == puzzle.goal:
                    way = child
                    best = -1
                    while way is not None:
                        way, best = parent[way], best + 1
                    run.lengths.append(best)
                elif child in inconsistent or (child in closed and weight > cost):
                    inconsistent.add(child)
                else:
                    closed.discard(child)
                    where[child] = put(child)
        waiting = {*where, *inconsistent}
        run.least.append(min((depth[s] + height[s] for s in waiting), default=UNREACHABLE))
    return run
