"""Forbidden words: short sequences of operators that a shortest plan need not contain."""

from collections.abc import Iterator
from itertools import product
from typing import TypeAlias

from plansolve.model.puzzle import Puzzle

__all__ = ["forbidden_words"]

Word: TypeAlias = tuple[int, ...]
_Effect: TypeAlias = tuple[int, ...]

_LONGEST = 3
_MOST_WORDS = 60_000


def forbidden_words(puzzle: Puzzle, shorter: bool, earlier: bool) -> list[Word]:
    """Words of two and three operator indices whose effect another word has as well.

    With `shorter`, the words for which a word of fewer operators does the same: no shortest plan
    contains one. With `earlier`, those for which a word of as many operators does the same and
    comes before it in the order of the operators: replacing them as long as there are any ends,
    so one shortest plan without them is left. No word contains a shorter forbidden one. Length
    three is left out where there are too many words to look at.

    The replacement must be applicable wherever the word is. That is decided by where the blank
    has to stand before the word, so a word that needs no place for the blank replaces all others.
    """
    size = len(puzzle.operators)
    # For each effect, the first word found and where it needs the blank, in shortlex order.
    known: dict[_Effect, list[tuple[int | None, Word]]] = {}
    identity = tuple(range(puzzle.cells))
    known[identity] = [(None, ())]
    layer: list[tuple[Word, _Effect, int | None]] = [((), identity, None)]
    found: list[Word] = []
    forbidden: set[Word] = set()
    for length in range(1, _LONGEST + 1):
        if len(layer) * size > _MOST_WORDS:
            break
        following = []
        for word, effect, needed in _extensions(puzzle, layer):
            if word[1:] in forbidden:
                continue
            match = next(
                (other for place, other in known.get(effect, []) if place in (None, needed)), None
            )
            if match is None:
                known.setdefault(effect, []).append((needed, word))
                following.append((word, effect, needed))
            elif shorter if len(match) < length else earlier:
                forbidden.add(word)
                found.append(word)
            else:
                following.append((word, effect, needed))
        layer = following
    return found


def _extensions(
    puzzle: Puzzle, layer: list[tuple[Word, _Effect, int | None]]
) -> Iterator[tuple[Word, _Effect, int | None]]:
    for (word, effect, needed), (index, operator) in product(layer, enumerate(puzzle.operators)):
        if operator.blank is not None:
            # effect[c] is the cell that the content of c stood in before the word.
            origin = effect[operator.blank]
            if needed is not None and origin != needed:
                continue
            place: int | None = origin
        else:
            place = needed
        yield (*word, index), operator.apply(effect), place
