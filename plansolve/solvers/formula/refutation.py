"""Keep the needed part of a refutation: formula, legend, and the LRAT proof.

A solver writes all clauses that it learns, many of which are not needed. Its DRUP proof is checked
backward from the empty clause, which shows the needed steps and the clauses from which each
follows. `certcheck.files` describes the files.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from plansolve.certcheck.clauses import Array, Clauses, HintedProof, lines_of, rows_of
from plansolve.certcheck.files import formula_file, legend_file, proof_file
from plansolve.encoders.cnf import CnfBuilder
from plansolve.errors import EngineError, ProofError
from plansolve.solvers.formula import refutation_kernel as kernel
from plansolve.storage.files import write_lines
from plansolve.storage.jit import interruptible

_STEPS_A_DELETION = 1 << 12
_SHOWN_LITERALS = 12
_SPARE_ROOM = 1 << 16


def keep_refutation(folder: Path, name: str, builder: CnfBuilder, proof: Iterable[str]) -> None:
    """Write the clauses that a DRUP proof needs, the meaning of their variables, and the proof.

    Raise `EngineError` for a proof that does not hold.
    """
    formula = Clauses.of(builder.variables, builder.clauses)
    try:
        core, steps = trimmed(formula, proof)
    except ProofError as error:
        raise EngineError(f"the solver has written a proof that does not hold: {error}") from None
    write_lines(folder / formula_file(name), _dimacs(core))
    write_lines(folder / legend_file(name), builder.legend({*abs(core.literals).tolist()}))
    write_lines(folder / proof_file(name), _lrat(steps))


def trimmed(formula: Clauses, proof: Iterable[str]) -> tuple[Clauses, HintedProof]:
    """Return the clauses of the formula that are needed, in their order, and the proof for them.

    `proof` is the lines of a DRUP proof; what comes after the first conflict that unit propagation
    meets is not looked at. No clause has a literal twice. Deleting a clause does not take back the
    literals that were derived from it without any assumption. Raise `ProofError` if the proof
    does not refute the formula.
    """
    first, variables = len(formula), formula.variables
    learnt, deletes = _read(proof, variables)
    both = _joined(formula, _rows(learnt, np.flatnonzero(~deletes)))
    state = _state(both, _steps(formula, learnt, deletes))
    if not kernel.forward(state):
        raise ProofError("the proof ends before the empty clause follows by unit propagation")
    values = np.where(state.values[2::2] > 0, 1, -1) * np.arange(1, variables + 1)
    while (status := _back(first, state)) == kernel.RUNNING:
        if state.numbers[kernel.LOGGED] + 2 * len(state.trail) > len(state.log):
            log = np.concatenate((state.log, np.empty_like(state.log)))
            state = state._replace(log=log)
    if status == kernel.FAILED:
        clause = _rows(both, state.steps[state.numbers[kernel.AT] :][:1])
        shown = " ".join(map(str, clause.literals[:_SHOWN_LITERALS]))
        more = " ..." if len(clause.literals) > _SHOWN_LITERALS else ""
        raise ProofError(
            f"the clause {shown or 'without literals'}{more} does not follow by unit propagation"
        )
    # Row by row: the clauses, the empty one, and the values as clauses of one literal.
    rows = _joined(both, Clauses.of(variables, [(), *zip(values.tolist())]))
    traced = state.traced[: state.numbers[kernel.TRACED]][::-1]
    sizes = np.diff(state.log_ends[: len(traced)], prepend=0)[::-1]
    core = np.flatnonzero(state.needed[:first])
    number = np.zeros(len(rows), np.int32)
    number[core] = np.arange(1, len(core) + 1)
    number[traced] = np.arange(len(traced)) + len(core) + 1
    hints = number[state.log[: state.numbers[kernel.LOGGED]][::-1]]
    steps = HintedProof(len(core) + 1, _rows(rows, traced), hints, np.cumsum(sizes))
    return _rows(formula, core), steps


def _back(first: int, state: kernel.State) -> int:
    with interruptible():
        return kernel.backward(first, state)


def _state(clauses: Clauses, steps: Array) -> kernel.State:
    count, variables = len(clauses), clauses.variables
    literals = 2 * abs(clauses.literals) + (clauses.literals < 0)
    lists = np.bincount(literals, minlength=2 * variables + 2)
    return kernel.State(
        literals=literals.astype(np.int32),
        ends=clauses.ends.astype(np.int64),
        steps=steps,
        bottoms=np.zeros(len(steps), np.int32),
        values=np.zeros(2 * variables + 2, np.int8),
        starts=np.cumsum(lists) - lists,
        sizes=np.zeros(2 * variables + 2, np.int32),
        pool=np.empty(len(literals), np.uint64),
        reasons=np.zeros(variables + 1, np.int32),
        places=np.zeros(variables + 1, np.int32),
        seen=np.zeros(variables + 1, np.bool_),
        fixed=np.zeros(variables + 1, np.int32),
        trail=np.zeros(variables + 1, np.int32),
        needed=np.zeros(count + variables + 1, np.bool_),
        log=np.empty(4 * variables + _SPARE_ROOM, np.int32),
        traced=np.empty(count + variables + 1, np.int32),
        log_ends=np.empty(count + variables + 1, np.int64),
        numbers=np.zeros(4, np.int64),
    )


def _read(proof: Iterable[str], variables: int) -> tuple[Clauses, Array]:
    """Return the clauses of all lines of a DRUP proof, and which of them are deleted."""
    lines = [*proof]
    deletes = np.array([line.startswith("d") for line in lines], np.bool_)
    words = " ".join(lines).replace("d", "").split()
    try:
        numbers = np.fromiter(map(int, words), np.int32, len(words))
    except (ValueError, OverflowError) as error:
        raise ProofError(str(error)) from None
    (ends,) = np.nonzero(numbers == 0)
    if len(ends) != len(lines) or (len(lines) and ends[-1] != len(numbers) - 1):
        raise ProofError("a line is not a clause")
    return Clauses(variables, numbers[numbers != 0], ends - np.arange(len(ends))), deletes


def _steps(formula: Clauses, learnt: Clauses, deletes: Array) -> Array:
    """Return the steps of a `kernel.State`: the clauses that are added and deleted, by number.

    A deleted clause is found by a sum over its literals, whatever their order. If another clause is
    deleted, the check can only fail; if none is, it only takes longer.
    """
    both = _joined(formula, learnt)
    mixed = both.literals.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    sums = np.cumsum(np.concatenate((np.zeros(1, np.uint64), mixed ^ (mixed >> np.uint64(27)))))
    keys = np.diff(sums[both.ends], prepend=np.uint64(0))
    clauses: dict[int, int] = {}
    steps, count = [], 0
    of_formula = [False] * len(formula)
    for key, is_deleted in zip(keys.tolist(), of_formula + deletes.tolist(), strict=True):
        if not is_deleted:
            clauses[key] = count
            steps.append(count)
            count += 1
        elif key in clauses:
            steps.append(~clauses.pop(key))
    return np.array(steps, np.int64)


def _joined(one: Clauses, other: Clauses) -> Clauses:
    ends = np.concatenate((one.ends, other.ends + len(one.literals)))
    return Clauses(one.variables, np.concatenate((one.literals, other.literals)), ends)


def _rows(clauses: Clauses, numbers: Array) -> Clauses:
    """Return some of the clauses, by their numbers from 0 on."""
    sizes = np.diff(clauses.ends, prepend=0)[numbers]
    ends = np.cumsum(sizes)
    places = np.repeat(clauses.ends[numbers] - ends, sizes) + np.arange(sizes.sum())
    return Clauses(clauses.variables, clauses.literals[places], ends)


def _dimacs(formula: Clauses) -> Iterator[str]:
    yield f"p cnf {formula.variables} {len(formula)}"
    yield from lines_of(formula)


def _lrat(proof: HintedProof) -> Iterator[str]:
    """Yield the lines of a proof, and now and then one that deletes what no later step names."""
    last = np.zeros(proof.first + len(proof.steps), np.int64)
    named_by = np.repeat(np.arange(len(proof.steps)), np.diff(proof.hint_ends, prepend=0))
    np.maximum.at(last, proof.hints, named_by)
    order = np.argsort(last, kind="stable")
    # Nothing has the number 0, and nothing follows from the last step.
    order, deleted = order[(order > 0) & (order < len(last) - 1)], 0
    last_use = last[order]
    both = zip(lines_of(proof.steps), rows_of(proof.hints, proof.hint_ends), strict=True)
    for place, (step, causes) in enumerate(both):
        number = proof.first + place
        yield f"{number} {step} {causes}"
        is_last = number == len(last) - 1
        if place % _STEPS_A_DELETION == _STEPS_A_DELETION - 1 and not is_last:
            known = int(np.searchsorted(last_use, place, side="right"))
            if known > deleted:
                numbers = " ".join(map(str, np.sort(order[deleted:known]).tolist()))
                yield f"{number} d {numbers} 0"
                deleted = known
