"""The encodings by name, and the choice among them by structure."""

from collections.abc import Iterable, Mapping

from plansolve.encoders.encoding import Encoding
from plansolve.encoders.layers import FULL_LAYER, HALF_LAYER
from plansolve.encoders.lemmas.registry import LEMMAS
from plansolve.encoders.permutation import PERMUTATION
from plansolve.errors import OptionError
from plansolve.model.puzzle import Puzzle
from plansolve.model.structure import Structure

ENCODINGS: Mapping[str, Encoding] = {
    encoding.name: encoding for encoding in (HALF_LAYER, FULL_LAYER, PERMUTATION)
}


def choose_encoding(structure: Structure, name: str | None = None) -> Encoding:
    """Return the encoding called `name`, or by default the first that fits the structure.

    Raise `OptionError` for an unknown name, or for one that does not fit.
    """
    if name is None:
        return next(encoding for encoding in ENCODINGS.values() if encoding.fits(structure))
    if name not in ENCODINGS:
        raise OptionError(f"unknown encoding {name!r}: choose from {', '.join(ENCODINGS)}")
    if not ENCODINGS[name].fits(structure):
        fitting = ", ".join(e.name for e in ENCODINGS.values() if e.fits(structure))
        raise OptionError(
            f"the {name} encoding needs {ENCODINGS[name].needs}; for this puzzle: {fitting}"
        )
    return ENCODINGS[name]


def choose_lemmas(
    encoding: Encoding,
    puzzle: Puzzle,
    names: Iterable[str] | None = None,
    engine: str = "cnf",
    *,
    is_proof: bool = False,
) -> frozenset[str]:
    """Return the lemmas to use: `names`, or by default those for boards of this size.

    The empty tuple means no lemmas. If pieces are not `Puzzle.is_distinct`, only lemmas that do not
    tell them apart are used; if moves need more than a gap, only those that hold for any moves; if
    the refutation `is_proof`, only plain ones.

    Raise `OptionError` for a lemma that does not exist, that the encoding does not support, that
    does not hold for such pieces, or that a check cannot follow.
    """
    if names is None:
        return frozenset(
            name
            for name in encoding.default(puzzle.cells, engine)
            if (puzzle.is_distinct or not LEMMAS[name].tells_apart)
            and not (puzzle.needs_kinds and LEMMAS[name].is_for_gaps)
            and (LEMMAS[name].is_plain or not is_proof)
        )
    chosen = frozenset(names)
    for name in sorted(chosen - encoding.lemmas):
        if name == "none":
            raise OptionError("`none` must stand alone; in Python it is lemmas=()")
        what = f"the {encoding.name} encoding has no lemma" if name in LEMMAS else "unknown lemma"
        raise OptionError(f"{what} {name!r}: choose from {', '.join(sorted(encoding.lemmas))}")
    for name in sorted(chosen):
        if not puzzle.is_distinct and LEMMAS[name].tells_apart:
            raise OptionError(f"lemma {name} needs distinct pieces and a goal without open cells")
        if puzzle.needs_kinds and LEMMAS[name].is_for_gaps:
            raise OptionError(f"lemma {name} is for moves that need at most a gap in one cell")
        if is_proof and not LEMMAS[name].is_plain:
            raise OptionError(
                f"lemma {name} cannot be certified: leave it out when proofs are kept"
            )
        base = LEMMAS[name].base
        if base is not None and base not in chosen:
            raise OptionError(f"lemma {name} needs {base}: add it")
    return chosen
