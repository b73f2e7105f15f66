"""What the variables of a formula are for one plan, worked out from its boards in plain Python."""

from collections import deque
from itertools import pairwise

from plansolve.model.puzzle import BLANK


class Truth:
    """The value of each variable of a legend, for a plan given by its boards and operators."""

    def __init__(self, problem, boards, operators, legend):
        self.problem, self.boards, self.operators = problem, boards, operators
        self.index = {id(op): i for i, op in enumerate(problem.puzzle.operators)}
        self.unit = next((int(words[1]) for words in legend if words[0] == "unit"), 1)
        self.meaning = {int(w[0]): (w[1], *map(int, w[2:])) for w in legend if w[0].isdigit()}
        self.levels = max([m[2] for m in self.meaning.values() if m[0] == "waste"], default=1)
        self.home = {k: cell for cell, k in enumerate(problem.goal)}
        self.apart = {k: self.distances(k) for k in problem.puzzle.tiles}
        self.tables = {}

    def distances(self, tile):
        """The moves that a tile alone needs from each cell."""
        arcs = [
            (s, c)
            for op in self.problem.puzzle.operators
            for c, s in op.moves
            if s not in (c, op.blank)
        ]
        found = {self.home[tile]: 0}
        queue = deque(found)
        while queue:
            here = queue.popleft()
            for source, cell in arcs:
                if cell == here and source not in found:
                    found[source] = found[here] + 1
                    queue.append(source)
        return found

    def clause(self, literals):
        return any(self.variable(abs(x)) == (x > 0) for x in literals)

    def variable(self, number):
        kind, *numbers = self.meaning[number]
        return getattr(self, kind)(*numbers)

    def at(self, t, cell, content):
        return self.boards[t][cell] == content

    def move(self, t, number):
        return self.index[id(self.operators[t])] == number

    def step(self, t, source, cell):
        return self.operators[t].destinations(len(self.boards[0]))[source] == cell

    def wasted(self, t):
        before, after = (
            sum(self.apart[k][cell] for cell, k in enumerate(board) if k != BLANK)
            for board in self.boards[t : t + 2]
        )
        return (1 + after - before) // self.unit

    def waste(self, t, units):
        return self.wasted(t) >= units

    def events(self, count):
        moves, rest = divmod(count, self.levels)
        happened = sum(min(self.wasted(t), self.levels) for t in range(moves))
        return happened + (min(self.wasted(moves), rest) if rest else 0)

    def count(self, events, least):
        return self.events(events) >= least

    def sum(self, events, least, *variables):
        return self.events(events) + sum(map(self.variable, variables)) >= least

    def excess(self, t, units, *tiles):
        cells = tuple(self.boards[t].index(tile) for tile in tiles)
        moves = self.pattern(tiles)[cells]
        return (moves - sum(self.apart[k][c] for k, c in zip(tiles, cells, strict=True))) >= (
            units * self.unit
        )

    def conflict(self, t, *line):
        found = [(k, line.index(c)) for c, k in enumerate(self.boards[t]) if c in line and k]
        homes = [(line.index(self.home[k]), place) for k, place in found if self.home[k] in line]
        return any((a - b) * (p - q) < 0 for a, p in homes for b, q in homes)

    def never(self):
        return False

    def pattern(self, tiles):
        """The least moves of some tiles that take them home, by where they are (0-1 search)."""
        if tiles not in self.tables:
            goal = (tuple(self.home[k] for k in tiles), self.home[BLANK])
            cost, queue = {goal: 0}, deque([goal])
            while queue:
                cells, blank = queue.popleft()
                for op in self.problem.puzzle.operators:
                    (other,) = (c for c, _ in op.moves if c != op.blank)
                    if other != blank:
                        continue
                    # The operator has taken the tile from here to where the blank was.
                    before = tuple(other if c == op.blank else c for c in cells)
                    price = cost[cells, blank] + (before != cells)
                    if price < cost.get((before, op.blank), 1 << 30):
                        cost[before, op.blank] = price
                        (queue.append if before != cells else queue.appendleft)((before, op.blank))
            best = {}
            for (cells, _), price in cost.items():
                best[cells] = min(price, best.get(cells, price))
            self.tables[tiles] = best
        return self.tables[tiles]


def first_shortest(problem, table):
    """The boards and operators of the first shortest plan: by the blank's walk, or by operators."""
    operators = problem.puzzle.operators
    boards, taken = [problem.start], []
    while boards[-1] != problem.goal:
        board = boards[-1]
        steps = [
            (index, op, op.apply(board))
            for index, op in enumerate(operators)
            if op.applies_to(board) and table.get(op.apply(board)) == table[board] - 1
        ]
        # Each step of the earliest walk is to the smallest cell from which the goal is near enough.
        _, op, after = min(
            steps, key=lambda s: (s[2].index(BLANK) if problem.puzzle.has_blank else 0, s[0])
        )
        boards.append(after)
        taken.append(op)
    assert all(a != b for a, b in pairwise(boards))
    return boards, taken
