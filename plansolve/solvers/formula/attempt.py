"""The job of an engine that solves formulas, and the outcome of one of them."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, TypeAlias

from plansolve.encoders.builder import Builder, Decoder
from plansolve.encoders.encoding import Encoder
from plansolve.encoders.registry import choose_encoding, choose_lemmas
from plansolve.errors import OptionError
from plansolve.model.problem import Problem
from plansolve.model.puzzle import Plan
from plansolve.solvers.formula.backends import choose_backend
from plansolve.solvers.protocol import HorizonRecord, Options


class Job:
    """A problem, and the way to make and solve formulas for it.

    The choices that the options name or leave open are resolved. `proofs` is a folder that receives
    each refuted formula and its proof, see `refutation`. Raises `OptionError` for choices that do
    not exist or cannot be combined.
    """

    def __init__(self, problem: Problem, options: Options, engine: str = "cnf") -> None:
        self.problem, self.engine = problem, engine
        self.encoding = choose_encoding(problem.structure, options.encoding)
        is_proof = options.proofs is not None
        self.lemmas = choose_lemmas(
            self.encoding, problem.puzzle, options.lemmas, engine, is_proof=is_proof
        )
        self.backend = choose_backend(engine, options.backend)
        self.proofs = None if options.proofs is None else Path(options.proofs)
        if self.proofs is not None and not self.backend.proof:
            raise OptionError(
                f"{self.backend.name} writes no proofs; see DRUP in `plansolve list engines`"
            )

    @property
    def options(self) -> Options:
        """The names of all choices, made for this problem or given."""
        proofs = None if self.proofs is None else str(self.proofs)
        return Options(self.backend.name, self.encoding.name, tuple(sorted(self.lemmas)), proofs)


@dataclass(frozen=True)
class Attempt:
    """The outcome of one horizon: the plan, or None if there is no model; and the figures."""

    plan: Plan | None
    record: HorizonRecord

    @property
    def refuted(self) -> bool:
        return self.record.refuted


class Found(NamedTuple):
    """A solver's answer: a plan or None, its conflicts if it counts them, and the cubes."""

    plan: Plan | None
    conflicts: int | None
    cubes: int = 1


def attempted(
    engine: str, encoder: Encoder, horizon: int, builder: Builder, solve: Callable[[Decoder], Found]
) -> Attempt:
    """Encode for a horizon, and return what `solve` finds; nothing is left to it after a search."""
    begin = time.perf_counter()
    decode = encoder.encode(builder, horizon)
    encoded = time.perf_counter()
    found = Found(None, 0) if builder.is_refuted_by_search else solve(decode)
    record = HorizonRecord(
        engine=engine,
        horizon=horizon,
        refuted=found.plan is None,
        variables=builder.variables,
        constraints=builder.constraints,
        conflicts=found.conflicts,
        cubes=found.cubes,
        encode_seconds=round(encoded - begin, 4),
        solve_seconds=round(time.perf_counter() - encoded, 4),
        boards=builder.boards_searched,
        by_search=builder.is_refuted_by_search,
    )
    return Attempt(found.plan, record)


SolveFormula: TypeAlias = Callable[[Encoder, int, str, Path | None], Attempt]
"""Encodes for a horizon and solves with the named back end, as `attempted` does; the proof of a
refutation goes to the folder, if there is one."""
