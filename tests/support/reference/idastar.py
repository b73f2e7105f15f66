"""IDA* below one bound once more, recursive and in plain Python, to compare the kernels with."""

from dataclasses import dataclass, field


@dataclass
class Round:
    """Nodes entered, the least f that was cut off (None: nothing), and paths to the goal."""

    nodes: int = 0
    next_limit: int | None = None
    paths: list = field(default_factory=list)


def search(problem, automaton, estimate, bound, *, walks, first=False, price=None, most_penalty=0):
    """Searches the paths that the automaton lets through: walks of the blank, or operators.

    `estimate(board, room)` is a lower bound, or any number above `room` that it reaches. With
    `first` the search ends at the first goal. `price(board, move)` is the penalty of a move.
    """
    offset, move, following = (
        a.tolist() for a in (automaton.offset, automaton.move, automaton.next)
    )
    round_, operators, goals = Round(), problem.puzzle.operators, {*problem.puzzle.goal_boards()}

    def moved(board, here, there):
        if walks:
            after = list(board)
            after[here], after[there] = after[there], 0
            return tuple(after)
        return operators[there].apply(board) if operators[there].applies_to(board) else board

    def enter(board, state, path, penalty):
        for edge in range(offset[state], offset[state + 1]):
            after = moved(board, path[-1], move[edge])
            if after == board:
                continue
            f = len(path) + estimate(after, bound - len(path))
            if f > bound:
                round_.next_limit = f if round_.next_limit is None else min(round_.next_limit, f)
                continue
            total = penalty + (price(board, move[edge]) if price else 0)
            if total > most_penalty:
                continue
            round_.nodes += 1
            if after in goals:
                round_.paths.append((*path, move[edge]))
                if first:
                    return True
            if enter(after, following[edge], (*path, move[edge]), total):
                return True
        return False

    root = problem.start.index(0) if problem.puzzle.has_one_blank else 0
    enter(problem.start, int(automaton.roots[root]), (root,), 0)
    return round_


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
