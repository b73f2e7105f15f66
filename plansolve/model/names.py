"""Names of puzzles, moves and pieces: those that plans, documents and messages can hold."""

import re
from collections.abc import Iterable, Mapping
from reprlib import repr as brief

from plansolve.errors import BoardError

HOLE_SIGN = "-"
"""The label of each piece that stands for a missing cell."""

LONGEST_SPECIFICATION = 10_000
"""Walls between all cells of the largest board take so many characters."""

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
            f"{what}: {brief(name)} is not a name: it begins with a letter, a digit or one "
            f"of _.+*, perhaps after a -, has at most {longest} characters, and no space, comma, "
            "bracket, quotation mark or arrow"
        )
    return name


def check_puzzle_name(name: object, what: str) -> str:
    """Return the name of rules: perhaps a family's, with its parameters after a colon.

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
        raise BoardError("labels: two tiles have the same label")


def check_moves(moves: set[str], blank_names: Mapping[str, str]) -> None:
    """Raise `BoardError` unless all moves have names, and all or none have a blank name."""
    for name in moves:
        check_name(name, "operators")
    if unknown := sorted(blank_names.keys() - moves):
        raise BoardError(f"blank_names: there is no move {brief(unknown[0])}")
    if blank_names and (unnamed := sorted(moves - blank_names.keys())):
        raise BoardError(f"blank_names: the move {brief(unnamed[0])} has no name there")
    if len({check_name(name, "blank_names") for name in blank_names.values()}) < len(blank_names):
        raise BoardError("blank_names: two moves have the same name")
