"""Which puzzles have moves of two classes that take turns in every shortest plan.

In multi-tile moves a row is never pushed twice in a row: one move does the same, or none does. So
moves along rows and along columns take turns, and a board may be farther from the goal for whoever
has to go on along a row than for whoever goes on along a column.
"""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TypeAlias

from plansolve.analysis.automorphisms import CellMap
from plansolve.patterns.placement_rules import PlacementRules

__all__ = ["alternating_classes", "changes_classes"]

_Effect: TypeAlias = tuple[int | None, tuple[int, ...]]
"""The cell in which an operator needs a gap, or None, and where each cell's content goes."""


def alternating_classes(rules: PlacementRules) -> tuple[int, ...] | None:
    """The class of each operator, 0 or 1, where no shortest plan has two of a class in a row.

    Two of a class that can follow each other do nothing together, or what one of that class does;
    and each is taken back by one of its class. None where there are no such classes, or nowhere a
    choice between them, and None for relaxed rules: what does the same as two moves may need a gap
    elsewhere. There is one way to tell them: the smallest operator has class 0.
    """
    if rules.cells or (rules.blank is not None and rules.blank.copies > 1):
        return None
    return _classes(tuple(zip(rules.needs, rules.destinations, strict=True)))


def changes_classes(rules: PlacementRules, turns: Sequence[int], symmetry: CellMap) -> bool:
    """Whether a symmetry of the rules turns the operators of each class into those of the other."""
    goes, need = rules.destinations[0], rules.needs[0]
    turned = list(goes)
    for cell, to in enumerate(goes):
        turned[symmetry[cell]] = symmetry[to]
    effects = zip(rules.destinations, rules.needs, strict=True)
    effect = tuple(turned), None if need is None else symmetry[need]
    return turns[[*effects].index(effect)] != turns[0]


@lru_cache(maxsize=8)
def _classes(effects: tuple[_Effect, ...]) -> tuple[int, ...] | None:
    if not effects:
        return None
    number = {effect: o for o, effect in enumerate(effects)}
    needing: dict[int | None, list[int]] = {}
    for o, (need, _) in enumerate(effects):
        needing.setdefault(need, []).append(o)
    same = tuple(range(len(effects[0][1])))
    first = min(range(len(effects)), key=lambda o: (-1 if (n := effects[o][0]) is None else n, o))
    found, todo = {first: 0}, deque([first])
    together, taken_back = list[tuple[int, int]](), set[int]()
    while todo:
        o = todo.popleft()
        for other in _followers(effects[o], needing):
            need, goes = _product(effects[o], effects[other])
            one = number.get((need, goes), number.get((None, goes)))
            if goes == same:
                together.append((o, other))
                taken_back.add(o)
            elif one is not None:
                together += (o, other), (o, one)
            elif other not in found:
                found[other] = 1 - found[o]
                todo.append(other)
            elif found[other] == found[o]:
                return None
    if len(found) < len(effects) or len(taken_back) < len(effects):
        return None
    if any(found[o] != found[other] for o, other in together):
        return None
    is_choice = any(len({found[o] for o in own}) == 2 for own in needing.values())
    return tuple(found[o] for o in range(len(effects))) if is_choice else None


def _followers(effect: _Effect, needing: Mapping[int | None, Sequence[int]]) -> Iterator[int]:
    """The operators that may apply after one of that effect."""
    need, goes = effect
    for wanted, numbers in needing.items():
        if need is None or wanted is None or goes[need] == wanted:
            yield from numbers


def _product(first: _Effect, then: _Effect) -> _Effect:
    """The effect of one operator after another, with the gap that the two need."""
    (need, goes), (wanted, moves) = first, then
    if need is None and wanted is not None:
        need = goes.index(wanted)
    return need, tuple(moves[cell] for cell in goes)
