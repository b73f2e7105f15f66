"""The formula of one horizon, for the commands that write and read DIMACS."""

from dataclasses import dataclass

from plansolve.encoders.builder import Decoder
from plansolve.encoders.cnf import CnfBuilder
from plansolve.encoders.lemmas.perimeter import DEEP_PERIMETER
from plansolve.encoders.lemmas.registry import keeps_every_plan
from plansolve.encoders.registry import choose_encoding, choose_lemmas
from plansolve.model.problem import Problem
from plansolve.text import counted

__all__ = ["Formula", "encode"]


@dataclass(frozen=True)
class Formula:
    """A formula and what it says: `claim` is what a model shows, `encoding` how it is written."""

    builder: CnfBuilder
    decode: Decoder
    claim: str
    encoding: str


def encode(
    problem: Problem, horizon: int, encoding: str | None, lemmas: tuple[str, ...] | None
) -> Formula:
    """Return the formula of one horizon, with the encoding and lemmas chosen as `solve` does.

    But no deep search is made unasked: it would leave nothing to write, or the same formula.
    """
    chosen = choose_encoding(problem.structure, encoding)
    puzzle = problem.puzzle
    names = choose_lemmas(chosen, lemmas, cells=puzzle.cells, is_distinct=puzzle.is_distinct)
    if lemmas is None:
        names -= {DEEP_PERIMETER.name}
    builder = CnfBuilder()
    decode = chosen.prepare(problem, names).encode(builder, horizon)
    # Some lemmas leave out longer plans where there is a shorter one.
    kind = "plan" if all(map(keeps_every_plan, names)) else "shortest plan"
    return Formula(
        builder,
        decode,
        f"{kind} of exactly {counted(horizon, 'move')}",
        f"{chosen.name} ({', '.join(sorted(names)) or 'plain'})",
    )
