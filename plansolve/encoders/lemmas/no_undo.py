"""The blank does not go straight back; elsewhere, short sequences that fewer moves replace."""

from collections.abc import Sequence

from plansolve.encoders.builder import Builder
from plansolve.encoders.lemmas.lemma import ALWAYS, BlankLayer, Lemma

__all__ = ["NO_UNDO", "forbid_going_back"]

NO_UNDO = Lemma(
    name="no-undo",
    keeps="shortest plans",
    argument="no two or three moves in a row that have the effect of fewer moves",
    encodings={"half-layer": ALWAYS, "full-layer": ALWAYS, "permutation": ALWAYS},
)


def forbid_going_back(builder: Builder, blanks: Sequence[BlankLayer]) -> None:
    """The form of the lemma for a blank graph; `blanks[t]` are the blank's cells."""
    for here, later in zip(blanks, blanks[2:], strict=False):
        for cell, literal in here.items():
            if cell in later:
                builder.clause(-literal, -later[cell])
