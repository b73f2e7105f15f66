"""Boards by their distance from the goal where every move can be taken back, in arrays."""

import numpy as np


def free_layers(puzzle):
    """The boards at distance 0, 1, 2 ..., as arrays of a row each; no move may need a blank."""
    cells = puzzle.cells
    key = np.random.default_rng(5).integers(1, 1 << 62, (cells + 1, cells), np.int64)

    def hashes(boards):
        return np.bitwise_xor.reduce(key[boards, np.arange(cells)], axis=1)

    sources = []
    for operator in puzzle.operators:
        assert operator.blank is None
        source = np.arange(cells)
        for cell, origin in operator.moves:
            source[cell] = origin
        sources.append(source)
    layer = np.array([puzzle.goal], np.uint8)
    before, here = np.zeros(0, np.int64), hashes(layer)
    while len(layer):
        yield layer
        following = np.concatenate([layer[:, source] for source in sources])
        found, first = np.unique(hashes(following), return_index=True)
        is_new = ~np.isin(found, here) & ~np.isin(found, before)
        before, here, layer = here, found[is_new], following[first[is_new]]
