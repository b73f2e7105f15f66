"""The RUP checker in plain Python: clauses are frozensets, propagation looks through all of them.

It says `verdict(...)`: whether the formula is refuted, and the step.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

Clause = frozenset[int]
Step = tuple[bool, Sequence[int]]
"""True for a deletion, and the literals of the clause."""


def verdict(formula: Iterable[Sequence[int]], steps: Iterable[Step]) -> tuple[bool, int | None]:
    """(refuted, the step that completes the refutation or does not follow)."""
    clauses = Counter(frozenset(clause) for clause in formula)
    derived = propagated(clauses, frozenset())
    if derived is None:
        return True, None
    for number, (deletes, literals) in enumerate(steps):
        clause = frozenset(literals)
        if deletes:
            clauses -= Counter([clause])
            continue
        if propagated(clauses, derived | {-literal for literal in clause}) is not None:
            return False, number
        clauses[clause] += 1
        # What was derived without assumptions stays, also when its clauses are deleted.
        derived = propagated(clauses, derived)
        if derived is None:
            return True, number
    return False, None


def propagated(clauses: Iterable[Clause], true: Clause) -> Clause | None:
    """All that unit propagation derives from the true literals; None for a conflict."""
    literals = set(true)
    while not any(-literal in literals for literal in literals):
        units = set()
        for clause in clauses:
            if clause & literals:
                continue
            left = [literal for literal in clause if -literal not in literals]
            if not left:
                return None
            if len(left) == 1:
                units.add(left[0])
        if not units:
            return frozenset(literals)
        literals |= units
    return None
