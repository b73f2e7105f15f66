"""A plan for every solvable board whose blank walks on a grid, long but found in milliseconds.

Row by row and column by column, as people solve it: the tiles of a line are brought home one
after another, the last two of a line together, and the last few cells by breadth-first search.
No search elsewhere: the blank walks round the tile that it carries along.

If some moves exchange the blank with a tile along a grid, those make a puzzle with a blank graph
whose plans are plans of the puzzle itself; the other moves then cut it short. If there is no
grid, group theory finds a plan.
"""

from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache

from plansolve.analysis.grid import Grid, Lines, grid_of, strips
from plansolve.model.problem import Problem
from plansolve.model.puzzle import BLANK, Operator
from plansolve.model.structure import permutation_parity
from plansolve.solvers.protocol import Budget, Incumbent, Report, Search
from plansolve.solvers.search.constructive.group import group_constructive
from plansolve.solvers.search.constructive.labelled import labelled_soon
from plansolve.solvers.search.constructive.shortcuts import without_detours

# The last rectangle is at most 2 x 3: 360 boards, each of which can be looked at.
_LAST_SIDE = 3

_BOARDS = 60
"""The boards near each one of the plan that are looked at for a shorter way."""
_MOVES = 3000
"""Longer plans are left as they are: each board takes too long to look round."""


def blank_constructive(problem: Problem, incumbent: Incumbent, budget: Budget) -> Iterator[Report]:
    """Yield one plan tile by tile, or some by group theory, the later ones shorter."""
    yield from _first_of((constructive, group_constructive), problem, incumbent, budget)


def any_constructive(problem: Problem, incumbent: Incumbent, budget: Budget) -> Iterator[Report]:
    """Yield ever shorter plans; that there is none does not say that the board has none."""
    methods = exchange_constructive, group_constructive
    found = yield from _first_of(methods, problem, incumbent, budget)
    if not found and problem.puzzle.gaps > 1 and not problem.is_solved:
        yield from _after_a_move(problem, incumbent, budget)


def _first_of(
    methods: Iterable[Search], problem: Problem, incumbent: Incumbent, budget: Budget
) -> Generator[Report, None, bool]:
    """Yield what the first method tells that finds a plan; return False if none does."""
    found = False
    for method in methods:
        for report in method(problem, incumbent, budget):
            found = found or report.plan is not None
            yield report
        if found:
            break
    return found


def _after_a_move(problem: Problem, incumbent: Incumbent, budget: Budget) -> Iterator[Report]:
    """Find plans by group theory after a first move: one gap moves, and parity may need it."""
    for name, operator in problem.puzzle.applicable(problem.start).items():
        found, after = False, Problem(problem.puzzle, operator.apply(problem.start))
        known = Incumbent(upper_bound=incumbent.upper_bound - 1)
        for report in group_constructive(after, known, budget):
            plan = None if report.plan is None else (name, *report.plan)
            found = found or plan is not None
            yield replace(report, plan=plan)
        if found:
            return


def exchange_constructive(
    problem: Problem, incumbent: Incumbent, budget: Budget
) -> Iterator[Report]:
    """Yield a plan, and a shorter one; none if the exchanges make no grid, or do not solve the
    board alone.
    """
    puzzle = problem.puzzle
    exchanges = tuple(operator for operator in puzzle.operators if _is_exchange(operator))
    if not exchanges:
        return
    simple = Problem(replace(puzzle, operators=exchanges, blank_names={}), problem.start)
    ways = [((), simple)] if puzzle.is_distinct else labelled_soon(simple)
    for first, told_apart in ways:
        for report in constructive(told_apart, Incumbent(), budget):
            assert report.plan is not None
            plan = without_detours(problem, (*first, *report.plan), 0)
            if len(plan) < incumbent.upper_bound:
                yield replace(report, plan=plan)
            if len(plan) <= _MOVES:
                shorter = without_detours(problem, plan, _BOARDS)
                if len(shorter) < min(len(plan), incumbent.upper_bound):
                    yield replace(report, plan=shorter)
            return


def _is_exchange(operator: Operator) -> bool:
    """Return True if it exchanges the blank, which it needs in a cell, with one tile."""
    cells = {cell for cell, _ in operator.moves}
    return operator.blank in cells and len(cells) == 2


def constructive(problem: Problem, incumbent: Incumbent, budget: Budget) -> Iterator[Report]:
    """Yield one plan; none if the blank graph is no grid, or the board has no plan."""
    graph = problem.structure.blank_graph
    walk = constructive_walk(problem, problem.puzzle.arrangement(problem.start))
    if graph is not None and walk is not None and len(walk) <= incumbent.upper_bound:
        yield Report("row by row", plan=graph.plan(walk))


def constructive_walk(problem: Problem, board: Sequence[int]) -> list[int] | None:
    """Return the cells of a walk of the blank that solves `board`, beginning with where it stands.

    `board` holds the goal cell of what stands in each cell (`Puzzle.arrangement`). None if
    the blank graph is no grid, or the board has no plan.
    """
    grid = grid_of(problem.structure.blank_graph)
    if grid is None:
        return None
    blank_home = problem.goal.index(BLANK)
    contents = list(board)
    walk = [contents.index(blank_home)]
    if _is_odd(grid, contents, walk[0], blank_home):
        return None
    *peeled, last = strips(problem, grid, _LAST_SIDE)
    if len(last) == len(last[0]) == _LAST_SIDE:
        peeled.append(_turned(last, blank_home))
        last = peeled[-1][1:]
    for lines in peeled:
        strip = _Strip(lines, contents, walk[-1])
        strip.solve()
        walk += strip.walk
    end = _shortest_walk(last, contents, walk[-1])
    return None if end is None else reduced([*walk, *end])


def _is_odd(grid: Grid, contents: Sequence[int], blank: int, home: int) -> bool:
    """Return True if parity forbids a plan: a move is one exchange, and one step of the blank."""
    steps = sum(divmod(grid.cells.index(blank), grid.columns))
    steps += sum(divmod(grid.cells.index(home), grid.columns))
    return bool((steps + permutation_parity(tuple(contents), tuple(range(len(contents))))) & 1)


def reduced(walk: Sequence[int]) -> list[int]:
    """Return the walk without the steps that are taken back at once."""
    kept: list[int] = []
    for cell in walk:
        if len(kept) > 1 and kept[-2] == cell:
            kept.pop()
        else:
            kept.append(cell)
    return kept


def _turned(lines: Lines, blank_home: int) -> Lines:
    """Return the lines from that end of which the first does not hold the blank's goal cell."""
    return lines[::-1] if blank_home in lines[0] else lines


class _Strip:
    """Brings the tiles of the first line of a rectangle home.

    Cells are (row, column) pairs in the rectangle, row 0 is the line to solve, and there are at
    least as many rows as columns, and three. Of row 0 the cells left of column `open` are solved
    and not to be entered. `contents` is changed, and `walk` grows by the cells that the blank
    goes to.
    """

    def __init__(self, lines: Lines, contents: list[int], blank: int) -> None:
        self.lines = lines
        self.height, self.width = len(lines), len(lines[0])
        self.contents = contents
        self.place = {cell: (r, c) for r, line in enumerate(lines) for c, cell in enumerate(line)}
        self.row, self.column = self.place[blank]
        self.open = 0
        self.walk: list[int] = []

    def solve(self) -> None:
        first = self.lines[0]
        for column in range(self.width - 2):
            self.open = column
            self._carry(first[column], 0, column)
        self.open = self.width - 2
        if not self._is_home(first[-2]) or not self._is_home(first[-1]):
            self._solve_pair(first[-2], first[-1])

    def _is_home(self, tile: int) -> bool:
        return self.contents[tile] == tile

    def _find(self, tile: int) -> tuple[int, int]:
        return self.place[self.contents.index(tile)]

    def _step(self, row: int, column: int) -> None:
        """Walk the blank to a neighbouring cell."""
        here, there = self.lines[self.row][self.column], self.lines[row][column]
        self.contents[here], self.contents[there] = self.contents[there], self.contents[here]
        self.row, self.column = row, column
        self.walk.append(there)

    def _solve_pair(self, one: int, other: int) -> None:
        """Bring the last two tiles of the line home, through the six cells at its end."""
        right = self.width - 1
        self._carry(one, 0, right)
        # From here on row 0 is left alone, and there are two rows to work in.
        self.open = self.width
        if self.row == 0:
            self._step(1, self.column)
        row, column = self._find(other)
        if row > 0:
            self._carry(other, 1, right)
            row, column = 1, right
        if self.row > 2 or self.column < right - 1:
            self._go(1, right - 1, row, column)
        corner = [self.lines[r][c] for r in range(3) for c in (right - 1, right)]
        local = {cell: i for i, cell in enumerate(corner)}
        places = tuple(
            local[self.lines[r][c]]
            for r, c in (self._find(one), self._find(other), (self.row, self.column))
        )
        for step in _corner_walks()[places]:
            self._step(*self.place[corner[step]])

    def _carry(self, tile: int, row: int, column: int) -> None:
        """Bring a tile to a cell, by whichever step towards it the blank is nearest to."""
        r, c = self._find(tile)
        while (r, c) != (row, column):
            sides = []
            if c != column:
                sides.append((r, c + (1 if c < column else -1)))
            if r != row and (r > 1 or row > 0 or c >= self.open):
                sides.append((r + (1 if r < row else -1), c))
            to = min(sides, key=lambda side: self._trip(side[0], side[1], r, c))
            self._go(*to, r, c)
            self._step(r, c)
            r, c = to

    def _trip(self, row: int, column: int, r: int, c: int) -> int:
        """Return how far the blank is from a cell if it must not step on the tile in (r, c)."""
        down, right = row - self.row, column - self.column
        between = (not down and r == row and (c - self.column) * (c - column) < 0) or (
            not right and c == column and (r - self.row) * (r - row) < 0
        )
        return abs(down) + abs(right) + 2 * between

    def _go(self, row: int, column: int, r: int, c: int) -> None:
        """Walk the blank to a cell beside the tile in (r, c), round it if it is in the way.

        Along its row first: the solved cells are left of all others in row 0, so that of the two
        ways to go at least one is open.
        """
        while (self.row, self.column) != (row, column):
            down = (self.row < row) - (self.row > row)
            right = (self.column < column) - (self.column > column)
            if right and self._is_open(self.row, self.column + right, r, c):
                self._step(self.row, self.column + right)
            elif down and self._is_open(self.row + down, self.column, r, c):
                self._step(self.row + down, self.column)
            elif right:
                aside = self.row + 1 if self.row + 1 < self.height else self.row - 1
                self._step(aside, self.column)
                self._step(aside, self.column + right)
                self._step(aside, self.column + right)
            else:
                aside = self.column + 1 if self.column + 1 < self.width else self.column - 1
                self._step(self.row, aside)
                self._step(self.row + down, aside)
                self._step(self.row + down, aside)

    def _is_open(self, row: int, column: int, r: int, c: int) -> bool:
        return (row, column) != (r, c) and (row > 0 or column >= self.open)


@cache
def _corner_walks() -> dict[tuple[int, ...], tuple[int, ...]]:
    """Return a shortest walk of the blank that brings two tiles to cells 0 and 1 of a 3 x 2 corner.

    The keys are the cells of the two tiles and the blank, numbered row by row.
    """
    walks: dict[tuple[int, ...], tuple[int, ...]] = {(0, 1, b): () for b in range(2, 6)}
    queue = list(walks)
    for places in queue:
        blank = places[2]
        for cell in _neighbours(blank, 2, 6):
            before = (*(blank if place == cell else place for place in places[:2]), cell)
            if before not in walks:
                walks[before] = (blank, *walks[places])
                queue.append(before)
    return walks


def _neighbours(cell: int, width: int, cells: int) -> list[int]:
    column = cell % width
    sides = [cell - width, cell + width]
    sides += [cell - 1] * (column > 0) + [cell + 1] * (column < width - 1)
    return [side for side in sides if 0 <= side < cells]


def _shortest_walk(lines: Lines, contents: list[int], blank: int) -> list[int] | None:
    """Return the cells that the blank goes to in a rectangle, one after another, to solve it.

    Breadth first; in a single line the blank has but one way to go.
    """
    cells = [cell for line in lines for cell in line]
    goal = tuple(cells)
    start = tuple(contents[cell] for cell in cells)
    place = cells.index(blank)
    ways: dict[tuple[int, ...], tuple[tuple[int, ...], int] | None] = {start: None}
    queue = [(start, place)]
    for board, place in queue:
        if board == goal:
            break
        for side in _neighbours(place, len(lines[0]), len(cells)):
            after = list(board)
            after[place], after[side] = after[side], after[place]
            if (key := tuple(after)) not in ways:
                ways[key] = (board, side)
                queue.append((key, side))
    if goal not in ways:
        return None
    walk = []
    step = ways[goal]
    while step is not None:
        board, side = step
        walk.append(cells[side])
        step = ways[board]
    return walk[::-1]
