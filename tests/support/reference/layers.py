"""Breadth-first layers of boards around a goal as numpy arrays, for spaces of millions of boards.

Whole boards are compared: each is packed without loss into two 64-bit words.
"""

import numpy as np

from plansolve.model.structure import Structure


def layers(puzzle, depth=None):
    """Yields, for 0, 1, 2 ... moves, the boards at that distance to the goal, as uint8 rows.

    Ends where there are no more, or after the layer of `depth`.
    """
    backward = []
    for operator in puzzle.operators:
        origin = np.arange(puzzle.cells)
        for cell, source in operator.moves:
            origin[source] = cell
        backward.append((operator.blank, origin))
    layer = np.array([puzzle.goal], np.uint8)
    seen = [_packed(layer)]
    goes_back = Structure(puzzle).is_inverse_closed
    steps = 0
    while len(layer):
        yield layer
        if steps == depth:
            return
        steps += 1
        before = np.concatenate([_undone(layer, *operator) for operator in backward])
        words = _packed(before)
        fresh = _first_met(np.concatenate(seen), words)
        layer = before[fresh]
        # Where every move can be taken back, it leads no farther back than one layer.
        seen = [*(seen[-1:] if goes_back else seen), words[fresh]]


def _undone(boards, blank, origin):
    """The boards from which one operator leads to `boards`."""
    before = boards[:, origin]
    return before if blank is None else before[before[:, blank] == 0]


def _packed(boards):
    """One row of two words for each board; the last tile follows from the others."""
    cells = boards.shape[1]
    bits = int(boards.max()).bit_length()
    each = 64 // bits
    assert cells - 1 <= 2 * each, "the board does not fit into two words"
    words = np.zeros((len(boards), 2), np.uint64)
    for cell in range(cells - 1):
        column = boards[:, cell].astype(np.uint64)
        words[:, cell // each] |= column << np.uint64(bits * (cell % each))
    return words


def _first_met(seen, words):
    """The indices of the rows of `words` that are not in `seen`, each row once."""
    both = np.concatenate([seen, words])
    # The sort is stable: of equal rows the one that was seen first comes first.
    order = np.lexsort((both[:, 1], both[:, 0]))
    ordered = both[order]
    first = np.ones(len(both), bool)
    first[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    chosen = order[first]
    return np.sort(chosen[chosen >= len(seen)]) - len(seen)
