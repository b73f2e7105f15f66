"""Check names of puzzles, moves and pieces, so that plans, documents and messages can hold them."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from reprlib import repr as brief

from plansolve.errors import BoardError

HOLE_SIGN = "-"
"""The label of each piece that stands for a missing cell."""

LONGEST_SPECIFICATION = 10_000
"""Characters: enough for walls between all cells of the largest board."""

_NAME = re.compile(r"-?[\w.+*][^\s,\[\]()\"→]*")
_NAME_LENGTH = 60


def check_name(name: object, what: str, longest: int = _NAME_LENGTH) -> str:
    """Return `name`; raise `BoardError` if plans and messages cannot hold it."""
    if (
        not isinstance(name, str)
        or len(name) > longest
        or not name.isprintable()
        or "->" in name
        or not _NAME.fullmatch(name)
    ):
        raise BoardError(
            f"{what}: {brief(name)} is not a name: a name begins with a letter, a digit or one "
            f"of _.+*, perhaps after a -, has at most {longest} characters, and no space, comma, "
            "bracket, quotation mark or arrow"
        )
    return name


def check_puzzle_name(name: object, what: str) -> str:
    """Return the name of a puzzle, which may be a specification: a family and its parameters.

    Raise `BoardError` as `check_name` does.
    """
    is_long = isinstance(name, str) and {":", ","} & {*name} and len(name) <= LONGEST_SPECIFICATION
    if not isinstance(name, str) or not is_long:
        return check_name(name, what)
    return ",".join(check_name(part, what, len(name)) for part in name.split(","))


def check_labels(labels: Iterable[str]) -> None:
    """Raise `BoardError` unless the labels are different names; holes may share one."""
    told_apart = [check_name(label, "labels") for label in labels if label != HOLE_SIGN]
    if len(set(told_apart)) < len(told_apart):
        raise BoardError(f"labels: two tiles are called {max(told_apart, key=told_apart.count)}")


def check_moves(moves: set[str], blank_names: Mapping[str, str]) -> None:
    """Raise `BoardError` unless all moves have names, and all or none have a blank name."""
    for name in moves:
        check_name(name, "operators")
    if unknown := sorted(blank_names.keys() - moves):
        raise BoardError(f"blank_names: there is no move {brief(unknown[0])}")
    if blank_names and (unnamed := sorted(moves - blank_names.keys())):
        raise BoardError(f"blank_names: the move {brief(unnamed[0])} has no name there")
    names = [check_name(name, "blank_names") for name in blank_names.values()]
    if len(set(names)) < len(names):
        raise BoardError(f"blank_names: two moves are called {max(names, key=names.count)}")


def describe_mismatch(
    board: Sequence[int], tiles: Iterable[int], labels: Sequence[str] | None = None
) -> str:
    """Return how the pieces of `board` differ from `tiles`; empty if they do not."""

    def text(tile: int) -> str:
        return labels[tile] if labels and 0 <= tile < len(labels) else brief(tile)

    def some(found: list[str]) -> str:
        return ", ".join(found[:5]) + (f" and {len(found) - 5} more" if len(found) > 5 else "")

    def instead(tile: int) -> str:
        return f", not {_times(wanted[tile])}" if wanted[tile] > 1 else ""

    wanted, counts = Counter(tiles), Counter(board)
    strange = [text(t) for t in counts if t not in wanted]
    double = [
        f"{text(t)} appears {_times(counts[t])}{instead(t)}"
        for t in wanted
        if counts[t] > wanted[t] or 0 < counts[t] < wanted[t]
    ]
    missing = [text(t) for t in wanted if not counts[t]]
    parts = []
    if strange:
        parts.append(f"{some(strange)} {'is not a tile' if len(strange) == 1 else 'are not tiles'}")
    if double:
        parts.append(some(double))
    if missing:
        parts.append(f"{some(missing)} {'is' if len(missing) == 1 else 'are'} missing")
    return ", ".join(parts)


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count} times")
