"""Forbidden sequences of operators against all sequences of the same length."""

import pytest
from support.fixtures import cases
from support.fixtures.cases import make

from plansolve.encoders.lemmas.duplicate_sequences import forbidden_operators

PUZZLES = {
    "sliding 2x3": make("sliding", 2, 3),
    "sliding 3x3": make("sliding", 3, 3),
    "lloyd 3x3": make("lloyd", 3, 3),
    "lloyd 1x5": make("lloyd", 1, 5),
    "row slides": cases.row_slides(),
    "one-way ring": cases.one_way_ring(),
    "loopover 2x2": make("loopover", 2, 2),
    "loopover 2x3": make("loopover", 2, 3),
    "torus-ring 5x5": make("torus-ring", 5, 5),
}


def replaced(puzzle, shorter, earlier):
    """The words of up to three operators in place of which another does, wherever they apply."""
    starts, applied, kept = [puzzle.goal], set(), set()
    if puzzle.has_blank:
        tiles = list(puzzle.tiles)
        starts = [(*tiles[:b], 0, *tiles[b:]) for b in range(puzzle.cells)]
    for start in starts:
        # Every word that applies, in shortlex order, by the board that it leads to.
        by_board, layer = {}, [((), start)]
        for _ in range(4):
            for word, board in layer:
                others = by_board.setdefault(board, [])
                has_shorter = any(len(other) < len(word) for other in others)
                if not (shorter if has_shorter else earlier and others):
                    kept.add(word)
                applied.add(word)
                others.append(word)
            layer = [
                ((*word, number), operator.apply(board))
                for word, board in layer
                if len(word) < 3
                for number, operator in enumerate(puzzle.operators)
                if operator.applies_to(board)
            ]
    return applied - kept


@pytest.mark.parametrize(
    ("shorter", "earlier"), [(True, True), (True, False), (False, True), (False, False)]
)
@pytest.mark.parametrize("name", PUZZLES)
def test_the_smallest_words_that_can_be_replaced_are_forbidden(name, shorter, earlier):
    minimal = set()
    for word in sorted(replaced(PUZZLES[name], shorter, earlier), key=len):
        parts = {word[i:j] for i in range(len(word)) for j in range(i + 1, len(word) + 1)}
        if parts.isdisjoint(minimal):
            minimal.add(word)
    found = forbidden_operators(PUZZLES[name], shorter, earlier)
    assert {*found} == minimal and len(found) == len(minimal)
