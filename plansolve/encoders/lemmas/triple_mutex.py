"""Mutexes of triples of tiles; `pair_mutex` writes them, on top of its own."""

from plansolve.encoders.lemmas.lemma import Default, Lemma
from plansolve.encoders.lemmas.pair_mutex import PAIR_MUTEX

__all__ = ["TRIPLE_MUTEX"]

TRIPLE_MUTEX = Lemma(
    name="triple-mutex",
    keeps="every plan",
    argument="three tiles are not in three cells that they cannot reach together in time",
    # They halve the conflicts and save no time.
    encodings={"permutation": Default(None)},
    base=PAIR_MUTEX.name,
    tells_apart=True,
)
