"""Forbidden sequences of operators against all sequences of the same length."""

import pytest
from support.fixtures import cases
from support.fixtures.cases import make
from support.reference.oracle import Rules

from plansolve.encoders.lemmas.duplicate_sequences import forbidden_operators


def effects(puzzle, longest):
    """For each word of operator indices, where each content goes; for rules without blanks."""
    rules = Rules.of(puzzle)
    start = tuple(range(1, puzzle.cells + 1))
    gathers = [gather for _, _, gather in rules.forward]
    layer = {(): start}
    yield from layer.items()
    for _ in range(longest):
        layer = {
            (*word, index): gather(state)
            for word, state in layer.items()
            for index, gather in enumerate(gathers)
        }
        yield from layer.items()


@pytest.fixture(scope="module")
def torus_words():
    """All words of up to three turns of the 5x5 torus, by effect, in shortlex order."""
    by_effect = {}
    for word, effect in effects(make("torus-ring", 5, 5), 3):
        by_effect.setdefault(effect, []).append(word)
    return by_effect


def contains(word, parts):
    """Whether a proper part of the word is one of `parts`."""
    return any(
        word[i:j] in parts
        for i in range(len(word))
        for j in range(i + 1, len(word) + 1)
        if j - i < len(word)
    )


@pytest.mark.parametrize("earlier", [True, False])
def test_exactly_the_minimal_torus_words_with_an_equal_are_forbidden(torus_words, earlier):
    found = forbidden_operators(make("torus-ring", 5, 5), True, earlier)
    equal = {
        word
        for group in torus_words.values()
        for word in group[1:]
        if earlier or len(word) > len(group[0])
    }
    minimal = set()
    for word in sorted(equal, key=len):
        if not contains(word, minimal):
            minimal.add(word)
    assert {*found} == minimal and len(found) == len(minimal)


@pytest.mark.parametrize(
    "puzzle",
    [
        make("sliding", 2, 3),
        make("sliding", 3, 3),
        make("lloyd", 3, 3),
        make("lloyd", 1, 5),
        cases.row_slides(),
        cases.one_way_ring(),
        make("loopover", 2, 2),
        make("loopover", 2, 3),
    ],
    ids=lambda puzzle: f"{puzzle.name}-{puzzle.cells}",
)
@pytest.mark.parametrize("flags", [(True, True), (True, False), (False, True)], ids=str)
def test_a_forbidden_word_can_be_replaced_wherever_it_applies(puzzle, flags):
    shorter, earlier = flags
    operators = puzzle.operators

    def run(state, word):
        for index in word:
            if not operators[index].applies_to(state):
                return None
            state = operators[index].apply(state)
        return state

    starts = [puzzle.goal]
    if puzzle.has_blank:
        tiles = list(puzzle.tiles)
        starts = [(*tiles[:b], 0, *tiles[b:]) for b in range(puzzle.cells)]
    found = forbidden_operators(puzzle, shorter, earlier)
    by_start = {}
    for start in starts:
        # Every word that applies, in shortlex order, by the board that it leads to.
        reached, layer = {}, [((), start)]
        for _ in range(4):
            for word, state in layer:
                reached.setdefault(state, []).append(word)
            layer = [
                ((*word, i), operator.apply(state))
                for word, state in layer
                if len(word) < 3
                for i, operator in enumerate(operators)
                if operator.applies_to(state)
            ]
        by_start[start] = reached
    # On a grid no two words of equal length do the same; the ring has no equal words at all.
    none = puzzle.name == "one-way-ring" or (
        puzzle.name in ("sliding", "row-slides") and not shorter
    )
    assert bool(found) != none
    for word in found:
        applied = 0
        for start in starts:
            end = run(start, word)
            if end is None:
                continue
            applied += 1
            others = by_start[start][end]
            assert any(
                (shorter and len(other) < len(word))
                or (earlier and len(other) == len(word) and other < word)
                for other in others
            ), (word, start)
        assert applied, f"{word} never applies"
