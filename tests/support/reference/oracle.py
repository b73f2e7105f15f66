"""A breadth-first oracle over operators as plain data; it imports nothing of plansolve.

A rule is (name, cell of the blank or None, moves), a move is (cell, source), as in the puzzle
files; what they mean is worked out here a second time.
"""

from operator import itemgetter


class Rules:
    """Ground operators over `cells` cells, each turned into a gather of the whole board."""

    def __init__(self, cells, rules):
        self.cells = cells
        self.has_free = any(blank is None for _, blank, _ in rules)
        self.forward = []
        self.backward = []
        for name, blank, moves in rules:
            source = list(range(cells))
            for cell, origin in moves:
                source[cell] = origin
            assert sorted(source) == list(range(cells)), f"{name} is no permutation"
            target = [0] * cells
            for cell, origin in enumerate(source):
                target[origin] = cell
            self.forward.append((name, blank, itemgetter(*source)))
            # Where the blank stands after the move, if it stood in `blank` before.
            after = None if blank is None else target[blank]
            self.backward.append((after, itemgetter(*target)))

    @classmethod
    def of(cls, puzzle):
        """The rules of a plansolve puzzle, read as bare data."""
        return cls(puzzle.cells, [(o.name, o.blank, o.moves) for o in puzzle.operators])

    def successors(self, state):
        """All (name, board after the move) of the legal moves, one per operator."""
        return [
            (name, gather(state))
            for name, blank, gather in self.forward
            if blank is None or state[blank] == 0
        ]

    def predecessors(self, state):
        """All boards from which one legal move leads to `state`, one per operator."""
        return [
            gather(state) for after, gather in self.backward if after is None or state[after] == 0
        ]

    def apply(self, state, name):
        """The board after the move of that name, or None where it is not legal."""
        boards = [after for move, after in self.successors(state) if move == name]
        assert len(boards) <= 1, f"{name} is ambiguous"
        return boards[0] if boards else None

    def replay(self, state, plan):
        """All boards along a plan of legal moves, the start first."""
        boards = [state]
        for name in plan:
            after = self.apply(boards[-1], name)
            assert after is not None, f"{name} is not legal in {boards[-1]}"
            boards.append(after)
        return boards

    def distances_from(self, start, depth=None):
        """For each board that can be reached from `start`, the least number of moves."""
        return _search(start, depth, lambda state: [after for _, after in self.successors(state)])

    def distances_to(self, goal, depth=None):
        """For each board that can reach `goal`, the least number of moves."""
        return _search(goal, depth, self.predecessors)

    def exact(self, start, longest):
        """The boards at the end of some walk of exactly T moves, for T = 0..longest."""
        layers = [{start}]
        for _ in range(longest):
            layers.append({after for state in layers[-1] for _, after in self.successors(state)})
        return layers

    def shortest_plans(self, start, to_goal, by_board=False):
        """The number of shortest plans, counted by operators, or by the boards they pass."""
        ways = {start: 1}
        for left in range(to_goal[start] - 1, -1, -1):
            following = {}
            for state, count in ways.items():
                boards = [a for _, a in self.successors(state) if to_goal.get(a) == left]
                for after in set(boards) if by_board else boards:
                    following[after] = following.get(after, 0) + count
            ways = following
        return sum(ways.values())


def _search(first, depth, neighbours):
    distance = {first: 0}
    frontier, steps = [first], 0
    while frontier and (depth is None or steps < depth):
        steps += 1
        following = []
        for state in frontier:
            for other in neighbours(state):
                if other not in distance:
                    distance[other] = steps
                    following.append(other)
        frontier = following
    return distance


def depth_counts(distance):
    """Return how many boards there are at each depth 0, 1, 2 ..."""
    counts = [0] * (max(distance.values()) + 1)
    for steps in distance.values():
        counts[steps] += 1
    return counts


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


def parity(source, target):
    """0 or 1: the number of inversions between two arrangements, modulo 2."""
    place = [target.index(content) for content in source]
    return sum(a > b for i, a in enumerate(place) for b in place[i + 1 :]) % 2
