"""The formula of one horizon, for the commands that write and read DIMACS."""

import resource

from plansolve.cli.values import most_memory
from plansolve.encoders.builder import Decoder
from plansolve.encoders.cnf import CnfBuilder
from plansolve.encoders.registry import choose_encoding, choose_lemmas
from plansolve.model.problem import Problem

__all__ = ["encode"]


def encode(
    problem: Problem, horizon: int, encoding: str | None, lemmas: tuple[str, ...] | None
) -> tuple[CnfBuilder, Decoder, str]:
    """The formula, the decoder of its models, and the names of the encoding and its lemmas.

    Raises `MemoryError` before the formula takes the whole machine.
    """
    resource.setrlimit(resource.RLIMIT_AS, (most_memory(), resource.RLIM_INFINITY))
    chosen = choose_encoding(problem.structure, encoding)
    names = choose_lemmas(chosen, lemmas)
    builder = CnfBuilder()
    decode = chosen.prepare(problem, names).encode(builder, horizon)
    return builder, decode, f"{chosen.name} ({', '.join(sorted(names)) or 'plain'})"
