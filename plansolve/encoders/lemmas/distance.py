"""No variable for what cannot be in a cell in time; the encodings leave those variables out."""

from plansolve.encoders.lemmas.lemma import ALWAYS, Lemma

__all__ = ["DISTANCE"]

DISTANCE = Lemma(
    name="distance",
    keeps="every plan",
    argument="no variable for a tile or the blank in a cell that it cannot reach from the start in "
    "t moves, or from which it cannot reach its goal cell in T - t",
    encodings={"half-layer": ALWAYS, "full-layer": ALWAYS, "permutation": ALWAYS},
    is_plain=True,
)
