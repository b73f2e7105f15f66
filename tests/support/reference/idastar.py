"""IDA* below one bound once more, recursive and in plain Python, to compare the kernels with."""

from dataclasses import dataclass, field


@dataclass
class Round:
    """Nodes entered, the least f that was cut off (None: nothing), and walks to the goal."""

    nodes: int = 0
    next_limit: int | None = None
    walks: list = field(default_factory=list)


def search(
    problem,
    automaton,
    estimate,
    bound,
    *,
    first=False,
    price=None,
    most_penalty=0,
    by_operators=False,
):
    """Searches the walks of the blank that the automaton lets through, or sequences of operators.

    `estimate(board, room)` is a lower bound, or any number above `room` that it reaches. With
    `first` the search ends at the first goal. `price(b, d)` is the penalty of an arc.
    """
    offset, move, following = (
        a.tolist() for a in (automaton.offset, automaton.move, automaton.next)
    )
    round_ = Round()

    def enter(board, state, walk, penalty):
        for edge in range(offset[state], offset[state + 1]):
            here, there = walk[-1], move[edge]
            if by_operators:
                after = problem.puzzle.operators[there].apply(board)
            else:
                after = list(board)
                after[here], after[there] = after[there], 0
                after = tuple(after)
            f = len(walk) + estimate(after, bound - len(walk))
            if f > bound:
                round_.next_limit = f if round_.next_limit is None else min(round_.next_limit, f)
                continue
            total = penalty + (price(here, there) if price else 0)
            if total > most_penalty:
                continue
            round_.nodes += 1
            if after == problem.goal:
                round_.walks.append((*walk, there))
                if first:
                    return True
            if enter(after, following[edge], (*walk, there), total):
                return True
        return False

    blank = problem.start.index(0) if problem.puzzle.has_blank else 0
    enter(problem.start, int(automaton.roots[blank]), (blank,), 0)
    return round_


def distance_estimate(problem):
    """The sum of the tiles' distances."""
    distances_to = problem.structure.tile_distances_to
    tables = {tile: distances_to(cell) for cell, tile in enumerate(problem.goal) if tile}

    def estimate(board, room):
        return sum(tables[tile][cell] for cell, tile in enumerate(board) if tile)

    return estimate


def pattern_estimate(sets, cells):
    """The largest sum of a set of patterns; of the sets up to the first that exceeds the room."""
    first = sets.first.tolist()

    def estimate(board, room):
        highest = 0
        for s in range(len(first) - 1):
            index = dict.fromkeys(range(first[s], first[s + 1]), 0)
            for cell, tile in enumerate(board):
                if tile:
                    row = s * cells + tile
                    index[int(sets.group[row])] += int(sets.weight[row * cells + cell])
            total = sum(int(sets.table[int(sets.base[g]) + i]) for g, i in index.items())
            highest = max(highest, total)
            if total > room:
                break
        return highest

    return estimate
