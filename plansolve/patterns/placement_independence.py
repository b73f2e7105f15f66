"""Which kinds of pieces never move together, so that the moves that each of them needs add up.

A table that counts only the moves of its own pieces may be added to others where each operator, on
any board, moves pieces of at most one of the patterns (Korf and Felner 2002; Yang et al., A general
theory of additive state space abstractions, JAIR 2008). So it is where an operator exchanges a gap,
which it needs in a cell, with one other cell, and where sets of operators move sets of cells that
have nothing in common.
"""

from collections.abc import Iterable, Sequence

from plansolve.patterns.placement_rules import PlacementRules


def independent_kinds(rules: PlacementRules) -> list[frozenset[int]]:
    """The kinds that have goal cells and can move, in the most parts of which no move joins two.

    A piece counts as standing anywhere in the cells that moves join to a goal cell of its kind: on
    a board where one stands elsewhere there is no plan, and every bound holds.
    """
    moved = [
        [cell for cell, to in enumerate(goes) if to != cell and cell != need]
        for goes, need in zip(rules.destinations, rules.needs, strict=True)
    ]
    arcs = [
        (cell, goes[cell])
        for goes, cells in zip(rules.destinations, moved, strict=True)
        for cell in cells
    ]
    part = _joined(range(rules.cells), arcs)
    in_part: dict[int, list[int]] = {}
    for kind, own in rules.classes.items():
        cells = own.homes if own.copies == len(own.homes) else (*own.homes, *rules.open)
        for number in {part[cell] for cell in cells}:
            in_part.setdefault(number, []).append(kind)
    together = [
        [kind for number in {part[cell] for cell in cells} for kind in in_part.get(number, ())]
        for cells in moved
        if len(cells) > 1
    ]
    pairs = [(kinds[0], kind) for kinds in together for kind in kinds]
    whole = _joined(rules.classes, pairs)
    found: dict[int, list[int]] = {}
    movable = {kind for cells in moved for cell in cells for kind in in_part.get(part[cell], ())}
    for kind, number in whole.items():
        if kind in movable:
            found.setdefault(number, []).append(kind)
    return [frozenset(kinds) for kinds in found.values()]


def _joined(items: Iterable[int], pairs: Sequence[tuple[int, int]]) -> dict[int, int]:
    """For each item, one that stands for all those that pairs join."""
    above = {item: item for item in items}

    def top(item: int) -> int:
        while above[item] != item:
            item = above[item]
        return item

    for first, second in pairs:
        above[top(first)] = top(second)
    return {item: top(item) for item in above}
