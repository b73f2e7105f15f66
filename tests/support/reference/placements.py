"""Distances of placements of a few pieces on any puzzle, by a plain search over tuples of cells."""

from collections import deque


def placement_distances(puzzle, homes):
    """The least number of moves home from each placement of the pieces with these homes.

    A placement is a tuple of cells. The first piece is the blank where some operator needs it.
    """
    ways_back = [(operator.blank, dict(operator.moves)) for operator in puzzle.operators]
    distance, todo = {tuple(homes): 0}, deque([tuple(homes)])
    while todo:
        after = todo.popleft()
        for blank, source in ways_back:
            before = tuple(source.get(cell, cell) for cell in after)
            if before not in distance and (blank is None or before[0] == blank):
                distance[before] = distance[after] + 1
                todo.append(before)
    return distance


def random_puzzle_parts(random, cells):
    """Operators of random rules: (name, moves, blank), each with a precondition or without."""
    operators = []
    for number in range(random.randint(2, 8)):
        moved = random.sample(range(cells), random.randint(2, min(4, cells)))
        moves = tuple(zip(moved, moved[1:] + moved[:1], strict=True))
        blank = random.choice([None, random.choice(moved), random.choice(moved)])
        operators.append((f"m{number}", moves, blank))
    return operators
