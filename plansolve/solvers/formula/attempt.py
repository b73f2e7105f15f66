"""What an engine is to do with formulas, and what comes out of one of them."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from plansolve.encoders.builder import Builder
from plansolve.encoders.encoding import Encoder
from plansolve.encoders.registry import choose_encoding, choose_lemmas
from plansolve.errors import OptionError
from plansolve.model.problem import Problem
from plansolve.model.puzzle import Plan
from plansolve.solvers.formula.backends import choose_backend
from plansolve.solvers.protocol import HorizonRecord, Options


class Job:
    """A problem, and how formulas are made of it and solved.

    `backend`, `encoding` and `lemmas` are given by name, as for `choose_backend`,
    `choose_encoding` and `choose_lemmas`, and held as what they name. `proofs` is a folder that
    receives each refuted formula and its proof, see `refutation`. Raises `OptionError` where the
    choices do not exist or do not go together.
    """

    def __init__(
        self,
        problem: Problem,
        engine: str = "cnf",
        backend: str | None = None,
        encoding: str | None = None,
        lemmas: Iterable[str] | None = None,
        proofs: str | None = None,
    ) -> None:
        self.problem, self.engine = problem, engine
        self.encoding = choose_encoding(problem.structure, encoding)
        puzzle = problem.puzzle
        self.lemmas = choose_lemmas(
            self.encoding,
            lemmas,
            engine,
            cells=puzzle.cells,
            is_distinct=puzzle.is_distinct,
            is_proof=proofs is not None,
        )
        self.backend = choose_backend(engine, backend)
        self.proofs = None if proofs is None else Path(proofs)
        if proofs is not None and not self.backend.proof:
            raise OptionError(f"{self.backend.name} writes no proofs: choose another back end")

    @classmethod
    def of(cls, problem: Problem, engine: str, options: Options) -> "Job":
        """Return what a formula engine has to do that was given these options."""
        return cls(
            problem, engine, options.backend, options.encoding, options.lemmas, options.proofs
        )

    @property
    def options(self) -> Options:
        """The names of all choices, made for this problem or given."""
        proofs = None if self.proofs is None else str(self.proofs)
        return Options(self.backend.name, self.encoding.name, tuple(sorted(self.lemmas)), proofs)


@dataclass(frozen=True)
class Attempt:
    """What came out of one horizon: the plan, or None where there is no model; and the figures."""

    plan: Plan | None
    record: HorizonRecord

    @classmethod
    def of(
        cls,
        engine: str,
        horizon: int,
        builder: Builder,
        constraints: int,
        plan: Plan | None,
        conflicts: int | None,
        times: tuple[float, float, float],
        cubes: int = 1,
    ) -> "Attempt":
        """Return what came out of a formula that was begun, encoded, and solved at these times."""
        begin, encoded, solved = times
        record = HorizonRecord(
            engine=engine,
            horizon=horizon,
            refuted=plan is None,
            variables=builder.variables,
            constraints=constraints,
            conflicts=conflicts,
            cubes=cubes,
            encode_seconds=round(encoded - begin, 4),
            solve_seconds=round(solved - encoded, 4),
            boards=builder.boards_searched,
            by_search=builder.is_refuted_by_search,
        )
        return cls(plan, record)

    @property
    def refuted(self) -> bool:
        """True if there is no plan of this length."""
        return self.record.refuted


class SolveFormula(Protocol):
    """Encode for a horizon and solve with the named back end."""

    def __call__(
        self, encoder: Encoder, horizon: int, backend: str, proofs: Path | None
    ) -> Attempt:
        """Return the back end's answer; the proof of a refutation goes to the folder `proofs`."""
