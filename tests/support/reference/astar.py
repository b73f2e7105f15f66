"""A* by weighted bounds in plain Python: dictionaries, states as tuples, a list for each key.

Hart, Nilsson, Raphael 1968; ARA*: Likhachev, Gordon, Thrun 2003. Of the open nodes of the smallest
key the one opened last is expanded. Nodes with f not below the best plan's length are left out.
With the last weight a closed state to which a better way is found is opened again.
"""

from dataclasses import dataclass, field

from plansolve.model.structure import UNREACHABLE, Structure
from support.reference.oracle import Rules

PLAIN = 1_000_000, (1_000_001,)
"""The cost and the weights of plain A*, in which the smallest h comes first of equal f."""


@dataclass
class Run:
    """The record of a search: the `lengths` of its plans, and what is the same for each weight.

    `least` are the smallest f in OPEN and INCONS after each weight, `bounds` the f of the nodes
    expanded.
    """

    lengths: list = field(default_factory=list)
    least: list = field(default_factory=list)
    bounds: list = field(default_factory=list)
    generated: int = 0
    reopened: int = 0
    depth: dict = field(default_factory=dict)

    @property
    def length(self):
        """The length of the best plan, None where there is none."""
        return self.lengths[-1] if self.lengths else None

    @property
    def counts(self):
        """The counts as the search itself tells them."""
        expansions, stored = len(self.bounds), len(self.depth)
        return {
            "expansions": expansions,
            "generated": self.generated,
            "stored": stored,
            "reopened": self.reopened,
        }


def tile_distance_bound(puzzle):
    """The kernel's h: the sum of tile distances, shared by the widest move, or the largest one."""
    structure = Structure(puzzle)
    table = {tile: structure.tile_distances_to(cell) for cell, tile in enumerate(puzzle.goal)}
    table[0] = [0] * puzzle.cells
    widest = max(
        (sum(source != operator.blank for _, source in operator.moves))
        for operator in puzzle.operators
    )

    def bound(state):
        distances = [table[tile][cell] for cell, tile in enumerate(state)]
        return max(-(-sum(distances) // widest), max(distances))

    return bound


def astar(puzzle, start, bound=None, order=PLAIN, limit=UNREACHABLE, parity=None):
    """Search for plans of fewer than `limit` moves; `bound` is h, of a state.

    `order` is a cost and weights, which are fractions of it. Plans of another `parity` than that
    which is given are known not to be.
    """
    bound = bound or tile_distance_bound(puzzle)
    rules, run, (cost, weights) = Rules.of(puzzle), Run(), order
    best, parent, base = limit, {start: None}, bound(start)
    depth, height, waiting = run.depth, {start: base}, {start}
    depth[start] = 0
    if start == puzzle.goal:
        run.lengths.append(0)
        return run
    for weight in weights:
        buckets, closed, inconsistent = {}, set(), set()

        def put(state, weight=weight, buckets=buckets):
            f = max(depth[state] + height[state], base)
            key = cost * f + (weight - cost) * height[state]
            buckets.setdefault(key, []).append(state)
            return key

        waiting = {state for state in waiting if depth[state] + height[state] < best}
        where = {state: put(state) for state in depth if state in waiting}
        while where:
            limit = best
            if parity is not None and best < UNREACHABLE and (best - parity) % 2 == 0:
                limit = best - 1
            key = min(key for key, states in buckets.items() if states)
            if key >= cost * limit:
                break
            state = buckets[key].pop()
            del where[state]
            closed.add(state)
            if depth[state] + height[state] >= limit:
                continue
            run.bounds.append(depth[state] + height[state])
            g = depth[state] + 1
            for _, child in rules.successors(state):
                run.generated += 1
                if child not in height:
                    height[child] = bound(child)
                h = height[child]
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
                elif child in inconsistent or (child in closed and weight != weights[-1]):
                    inconsistent.add(child)
                else:
                    closed.discard(child)
                    where[child] = put(child)
        waiting = {*where, *inconsistent}
        run.least.append(min((depth[s] + height[s] for s in waiting), default=UNREACHABLE))
    return run
