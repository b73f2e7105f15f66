"""Of short sequences of operators with the same effect only the first; see `PermutationLayer`."""

from plansolve.encoders.lemmas.lemma import ALWAYS, Lemma

__all__ = ["MOVE_ORDER"]

MOVE_ORDER = Lemma(
    name="move-order",
    keeps="one plan",
    argument="no two or three moves in a row that have the effect of as many moves which come "
    "earlier in the order of the operators",
    encodings={"permutation": ALWAYS},
)
