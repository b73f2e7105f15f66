"""Distances of placements of a few pieces on any puzzle, by a plain search over sets of cells."""

from collections import deque
from itertools import permutations, product

from plansolve.model.puzzle import Operator, Puzzle
from support.reference.oracle import Rules


def placement_distances(puzzle, kinds, own=False):
    """The least number of moves to a goal from each placement of all pieces of some kinds.

    A placement has a sorted tuple of cells for each kind. The first kind are the gaps where some
    operator needs one. Of their `own` moves only those are counted that move another piece.
    """
    ways_back = [(operator.blank, dict(operator.moves)) for operator in puzzle.operators]
    distance = dict.fromkeys(goals(puzzle, kinds), 0)
    needed = any(operator.blank is not None for operator in puzzle.operators)
    todo = deque(distance)
    while todo:
        after = todo.popleft()
        for blank, source in ways_back:
            before = tuple(tuple(sorted(source.get(c, c) for c in cells)) for cells in after)
            if blank is not None and blank not in before[0]:
                continue
            moved = any(source.get(c, c) != c for cells in after[needed:] for c in cells)
            steps = distance[after] + (moved or not own)
            if steps < distance.get(before, 1 << 30):
                distance[before] = steps
                todo.append(before)
    return distance


def goals(puzzle, kinds):
    """The placements that allow each piece a goal cell of its own kind, or an open one."""
    sets = []
    for kind in kinds:
        fixed = {cell for cell, wanted in enumerate(puzzle.goal) if wanted == kind}
        free = {cell for cell, wanted in enumerate(puzzle.goal) if wanted == -1}
        copies = puzzle.pieces.count(kind)
        chosen = permutations(fixed | free, copies)
        sets.append({tuple(sorted(cells)) for cells in chosen if fixed <= set(cells)})
    for placement in product(*sets):
        cells = [cell for own in placement for cell in own]
        if len(set(cells)) == len(cells):
            yield placement


def goal_distances(puzzle):
    """The least number of moves from each board to any that the goal allows."""
    rules = Rules.of(puzzle)
    layers = [set(puzzle.goal_boards())]
    distances = dict.fromkeys(layers[0], 0)
    while layers[-1]:
        layers.append(
            {b for board in layers[-1] for b in rules.predecessors(board)} - set(distances)
        )
        distances |= dict.fromkeys(layers[-1], len(layers) - 1)
    return distances


def random_puzzle(random, cells, *, are_alike=False, is_open=False, widest=4, gaps=1):
    """Random rules: operators with a precondition or without, pieces of one kind, open cells."""
    operators = []
    for number in range(random.randint(2, 8)):
        moved = random.sample(range(cells), random.randint(2, min(widest, cells)))
        moves = tuple(zip(moved, moved[1:] + moved[:1], strict=True))
        blank = random.choice([None, random.choice(moved), random.choice(moved)])
        operators.append(Operator(f"m{number}", moves, blank))
    tiles = range(1, cells - gaps + 1)
    pieces = [0] * gaps + [random.randint(1, 3) if are_alike else kind for kind in tiles]
    goal = random.sample(pieces, cells)
    if is_open:
        goal = [random.choice([kind, kind, -1]) for kind in goal]
    return Puzzle(
        name="random",
        rows=1,
        columns=cells,
        goal=tuple(goal),
        operators=tuple(operators),
        labels=tuple(map(str, range(cells))),
        pieces=tuple(sorted(pieces)),
    )


def shortest_sequences(problem, distances):
    """All shortest plans, each as what its moves do to the cells, by the distances to the goal."""
    puzzle = problem.puzzle
    left = distances[problem.start]
    paths = [((), problem.start)]
    while left:
        left -= 1
        paths = {
            ((*done, operator.destinations(puzzle.cells)), after)
            for done, board in paths
            for operator in puzzle.operators
            if operator.applies_to(board) and distances.get(after := operator.apply(board)) == left
        }
    return {done for done, _ in paths}
