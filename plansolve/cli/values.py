"""Option values with units or as lists, as functions for click's `type`."""

import math
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import click

__all__ = ["NumberRange", "duration", "memory", "names"]

_SECONDS = MappingProxyType({"": 1, "s": 1, "m": 60, "min": 60, "h": 3600})
_BYTES = MappingProxyType(
    {unit: 1024**power for power, short in enumerate("kmgt", 1) for unit in (short, f"{short}b")}
)


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
    return _with_unit(text, _SECONDS, "a duration", "30, 90s, 10m or 2h")


def memory(text: str) -> int:
    """Bytes, from "500M" or "4G"."""
    return max(1, round(_with_unit(text, _BYTES, "a size", "500M or 4G")))


def names(text: str) -> tuple[str, ...]:
    """Names separated by commas; "none" is no name at all."""
    found = tuple(filter(None, map(str.strip, text.split(","))))
    if not found:
        raise click.BadParameter("the list is empty: name some, or say none")
    return () if found == ("none",) else found


def _with_unit(text: str, units: Mapping[str, int], what: str, example: str) -> float:
    match = re.fullmatch(r"(\d{1,12}(?:\.\d{1,6})?)([a-z]*)", text.strip().lower())
    if not match or match[2] not in units or float(match[1]) <= 0:
        raise click.BadParameter(f"{text!r} is not {what}: write it like {example}")
    return float(match[1]) * units[match[2]]
