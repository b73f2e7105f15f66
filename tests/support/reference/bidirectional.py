"""The two sides of bidirectional search in plain Python, and blank graphs to try them on."""

from random import Random

from plansolve.model.problem import Problem
from plansolve.model.puzzle import Operator, Puzzle
from plansolve.patterns.additive import goal_sets, start_sets
from plansolve.patterns.store import Store
from support.reference.oracle import Rules


def silent(note):
    """Takes lines for people, and drops them."""


_KNOWN = {}


def sets_to_goal(puzzle, size):
    """Small consistent tables of the distance to the puzzle's goal."""
    key = puzzle.operators, puzzle.goal, size
    if key not in _KNOWN:
        store = Store(in_memory=True)
        _KNOWN[key] = goal_sets(
            Problem(puzzle, puzzle.goal), size=size, store=store, tell=silent, consistent=True
        )
    return _KNOWN[key]


def sets_from_start(problem, size):
    """Small consistent tables of the distance from the start."""
    return start_sets(problem, size=size, tell=silent, consistent=True)


def backward_layer(puzzle, h, k, threshold):
    """Each board with b = 2 g + k - h <= threshold on a shortest way to the goal, and its g."""
    rules = Rules.of(puzzle)
    found, frontier, g = {}, [puzzle.goal], 0
    while frontier:
        frontier = [s for s in frontier if s not in found and 2 * g + k(s) - h(s) <= threshold]
        found.update(dict.fromkeys(frontier, g))
        frontier = list({before for state in frontier for before in rules.predecessors(state)})
        g += 1
    return found


def has_plan_within(puzzle, start, h, k, horizon, threshold, stored):
    """Whether the forward search meets a stored board in time, all paths followed."""
    rules = Rules.of(puzzle)
    layer, g = {start}, 0
    while layer and g <= horizon:
        following = set()
        for state in layer:
            if g + h(state) > horizon:
                continue
            if 2 * g + h(state) - k(state) > threshold:
                if g + stored.get(state, horizon + 1) <= horizon:
                    return True
            elif state == puzzle.goal:
                return True
            else:
                following.update(after for _, after in rules.successors(state))
        layer, g = following, g + 1
    return False


def random_graph(cells, seed):
    """A puzzle whose blank can go round one way, and along as many random arcs."""
    random = Random(seed)
    arcs = {(b, (b + 1) % cells) for b in range(cells)}
    while len(arcs) < 2 * cells:
        arcs.add(tuple(random.sample(range(cells), 2)))
    operators = tuple(
        Operator(f"to{d}", ((b, d), (d, b)), b, penalty=random.randint(0, 1))
        for b, d in sorted(arcs)
    )
    return Puzzle(
        name="random-graph",
        rows=1,
        columns=cells,
        goal=(*range(1, cells), 0),
        operators=operators,
        labels=tuple(map(str, range(cells))),
    )


def least_penalties(puzzle, start, to_goal):
    """The least sum of penalties of all shortest plans."""
    penalty = {(op.blank, op.name): op.penalty for op in puzzle.operators}
    rules, costs = Rules.of(puzzle), {start: 0}
    for left in range(to_goal[start] - 1, -1, -1):
        following = {}
        for state, cost in costs.items():
            for name, after in rules.successors(state):
                if to_goal.get(after) == left:
                    price = cost + penalty[state.index(0), name]
                    following[after] = min(price, following.get(after, price))
        costs = following
    return costs[puzzle.goal]


def leaps(cells):
    """The blank goes from any cell to any other."""
    arcs = [(b, d) for b in range(cells) for d in range(cells) if b != d]
    return Puzzle(
        name="leaps",
        rows=1,
        columns=cells,
        goal=tuple(range(cells)),
        operators=tuple(Operator(f"to{d}", ((b, d), (d, b)), b) for b, d in arcs),
        labels=tuple(map(str, range(cells))),
    )
