"""Verify reach sets against the rules that their description names: they are built once more."""

import os
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plansolve.patterns.permutation_reach import MOST_CELLS, build_reach, reach_length
from plansolve.patterns.permutation_verify import described_rules
from plansolve.storage.store import Tell
from plansolve.text import wrong_entries

__all__ = ["verify_reach"]


def verify_reach(content: Mapping[str, Any], table: NDArray[np.uint8], tell: Tell) -> list[str]:
    """Return what is wrong with reach sets, in words; nothing where every bit is right.

    `content` is that of the key; it comes from a file and may be anything. This takes as long and
    as much memory as building them.
    """
    described = described_rules(content)
    if described is None or not 3 <= len(described[1]) <= described[0].cells <= MOST_CELLS:
        return ["its description makes no sense"]
    rules, pattern = described
    if table.size != reach_length(rules, pattern):
        return ["it is not as long as its description says"]
    tell(f"building {table.size} bytes once more")
    faults = int(np.count_nonzero(build_reach(rules, pattern, os.cpu_count() or 1) != table))
    return [wrong_entries(faults, table.size)] if faults else []
