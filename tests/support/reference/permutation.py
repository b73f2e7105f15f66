"""Pattern lookups and the bounded search of permutation puzzles once more, slowly and plainly.

Boards are arrangements: the goal cell of what stands in each cell. Lookups are made by turning
the whole board by a symmetry or into its inverse, not by sums of contributions.
"""

from collections import deque
from itertools import count


def placements(rules, pattern, parity):
    """{(cells of the pattern's tiles, parity): distance} by breadth-first search from the goal."""
    goal = (tuple(pattern), 0)
    distance, todo = {goal: 0}, deque([goal])
    while todo:
        cells, odd = state = todo.popleft()
        for source, is_odd in zip(rules.sources, rules.is_odd, strict=True):
            before = tuple(source[cell] for cell in cells), odd ^ (is_odd and parity)
            if before not in distance:
                distance[before] = distance[state] + 1
                todo.append(before)
    return distance


def inverse(arrangement):
    """The arrangement with the roles of tiles and cells exchanged."""
    result = [0] * len(arrangement)
    for cell, tile in enumerate(arrangement):
        result[tile] = cell
    return tuple(result)


def is_odd(arrangement):
    """1 for an odd permutation, by counting inversions."""
    return sum(a > b for i, a in enumerate(arrangement) for b in arrangement[i + 1 :]) % 2


def lookup(distances, pattern, parity, arrangement):
    """The distance of the pattern's tiles, None where the goal cannot be reached."""
    cells = inverse(arrangement)
    return distances.get((tuple(cells[t] for t in pattern), is_odd(arrangement) if parity else 0))


def turned(arrangement, symmetry):
    """The board with its cells and its tiles renamed."""
    result = [0] * len(arrangement)
    for cell, tile in enumerate(arrangement):
        result[symmetry[cell]] = symmetry[tile]
    return tuple(result)


def bounded_search(rules, automaton, lookups, start, bound, jobs):
    """(plans of `bound` moves as operator numbers, children tried, boards expanded).

    `jobs` are sequences of first moves. The lookups are made in the order and under the conditions
    that the kernel documents.
    """
    goal = tuple(range(rules.cells))
    slack, excess = (2, 1) if rules.is_inverse_closed else (1 << 20, 1 << 20)
    plans, children, expanded = [], count(), count()

    def expand(board, values, remaining, edges):
        next(expanded)
        alive = []
        for edge in edges:
            next(children)
            after = rules.after(board, int(automaton.move[edge]))
            real = [int(value) for value in lookups.values(after)]
            alive.append((edge, after, real, [None] * len(real)))
        for begin in range(0, lookups.count, 16):
            block = range(begin, min(begin + 16, lookups.count))
            later = []
            for lookup in block:
                if values[lookup] >= remaining:
                    for _, _, real, known in alive:
                        known[lookup] = real[lookup]
                    if any(real[lookup] > remaining + excess for _, _, real, _ in alive):
                        return []
                    alive = [child for child in alive if child[2][lookup] <= remaining - 1]
                elif values[lookup] + slack >= remaining:
                    later.append(lookup)
                else:
                    for _, _, _, known in alive:
                        known[lookup] = values[lookup] + 1
            for lookup in later:
                for _, _, real, known in alive:
                    known[lookup] = real[lookup]
            if any(
                real[lookup] > remaining + excess for lookup in later for _, _, real, _ in alive
            ):
                return []
            alive = [
                child
                for child in alive
                if all(child[2][lookup] <= remaining - 1 for lookup in later)
            ]
            if not alive:
                return []
        return alive

    def search(board, values, node, path, first):
        if len(path) == bound:
            if board == goal:
                plans.append(tuple(path))
            return
        edges = range(automaton.offset[node], automaton.offset[node + 1])
        if len(path) < len(first):
            edges = [edge for edge in edges if automaton.move[edge] == first[len(path)]]
        for edge, after, _, known in expand(board, values, bound - len(path), edges):
            move = int(automaton.move[edge])
            search(after, known, int(automaton.next[edge]), [*path, move], first)

    for job in jobs:
        values = [int(value) for value in lookups.values(start)]
        search(start, values, int(automaton.roots[0]), [], job)
    return plans, next(children), next(expanded)
