"""Option values with units or as lists, as functions for click's `type`."""

import math
from typing import Any

import click

from plansolve.errors import OptionError
from plansolve.solvers.limits import read_bytes, read_seconds

__all__ = ["NumberRange", "duration", "memory", "names", "share"]


class NumberRange(click.FloatRange):
    """Numbers of a range; `nan`, which is neither below nor above it, is none of them."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the number; `click.BadParameter` for what is none, or outside of the range."""
        number: float = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"{value!r} is not a number", param, ctx)
        return number


def duration(text: str) -> float:
    """Seconds, from "30", "90s", "10m" or "2h"."""
    try:
        return read_seconds(text)
    except OptionError as error:
        raise click.BadParameter(str(error)) from None


def memory(text: str) -> int:
    """Bytes, from "500M" or "4G"."""
    try:
        return read_bytes(text)
    except OptionError as error:
        raise click.BadParameter(str(error)) from None


def names(text: str) -> tuple[str, ...]:
    """Names separated by commas; "none" is no name at all."""
    found = tuple(filter(None, map(str.strip, text.split(","))))
    if not found:
        raise click.BadParameter("the list is empty: name some, or say none")
    return () if found == ("none",) else found


def share(text: str) -> float:
    """A part of a whole above 0 and up to 1, from "5%" or "0.05"."""
    number, percent, rest = text.partition("%")
    try:
        value = float(number) / (100 if percent else 1)
    except ValueError:
        value = math.nan
    if rest or not 0 < value <= 1:
        raise click.BadParameter(f"{text!r} is no share: say 5% or 0.05")
    return value
