"""A formula that one plan is put into: what its boards decide is worked out, the rest is solved."""

import numpy as np
from pysat.solvers import Solver

from plansolve.encoders.builder import FALSE, TRUE
from plansolve.encoders.cnf import CnfBuilder

OPEN = 2


class WitnessBuilder(CnfBuilder):
    """Knows from a plan's boards which contents stand where; other variables are open.

    It keeps what the boards leave of the clauses, so that it can take in hundreds of thousands.
    """

    def __init__(self, boards):
        super().__init__()
        self.boards = boards
        # By literal, for negative ones from the end.
        self.values = np.full(1 << 16, OPEN, np.int8)
        self.value = self.values.tolist()
        self.unsatisfiable = False

    def new(self, *meaning):
        literal = super().new(*meaning)
        if meaning[0] == "at":
            _, t, cell, content = meaning
            value = int(self.boards[t][cell] == content)
            self.values[literal] = self.value[literal] = value
            self.values[-literal] = self.value[-literal] = 1 - value
        return literal

    def clause(self, *literals):
        value, left = self.value, []
        for x in literals:
            if x == TRUE:
                return
            if x != FALSE:
                if value[x] == 1:
                    return
                if value[x] == OPEN:
                    left.append(x)
        if left:
            self.clauses.append(left)
        else:
            self.unsatisfiable = True

    def at_most_one(self, literals):
        several = list(literals)
        true = [x for x in several if x == TRUE or (x != FALSE and self.value[x] == 1)]
        assert not any(x != FALSE and x != TRUE and self.value[x] == OPEN for x in several)
        self.unsatisfiable |= len(true) > 1

    def equal_rows(self, unless, left, right):
        if not any(x == TRUE or (x != FALSE and self.value[x] == 1) for x in unless):
            super(CnfBuilder, self).equal_rows(unless, left, right)

    def clauses_without_constants(self, clauses):
        values = self.values[clauses]
        left = (values != 1).all(axis=1)
        rest = zip(clauses[left], values[left] == OPEN, strict=True)
        for clause in dict.fromkeys(tuple(row[unknown].tolist()) for row, unknown in rest):
            self.clause(*clause)

    def has_model(self):
        """Whether the boards are those of a model."""
        if self.unsatisfiable:
            return False
        with Solver(name="minisat22", bootstrap_with=self.clauses) as sat:
            return sat.solve()
