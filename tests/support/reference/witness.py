"""A formula that one plan is put into: what its boards decide is worked out, the rest follows.

Boards are compared where the formula has variables for them.
"""

import numpy as np

from plansolve.encoders.builder import FALSE, TRUE, Builder

OPEN = 2


class WitnessBuilder(Builder):
    """Knows from a plan's boards which contents stand where; other variables follow by units.

    It keeps what is left open of the clauses, so that it can take in hundreds of thousands. A
    counter stands for what it means.
    """

    def __init__(self, boards):
        super().__init__()
        self.boards = boards
        # By literal, for negative ones from the end. A list is faster for one literal, an array
        # for many.
        self.value = [OPEN] * (1 << 16)
        self.values = np.array(self.value, np.int8)
        self.open, self.limits = [], []
        self.is_broken = False

    def new(self, *meaning):
        self.variables += 1
        assert self.variables < len(self.value) // 2
        if meaning[0] == "at":
            _, t, cell, content = meaning
            sign = 1 if self.boards[t][cell] == content else -1
            self.set_true(sign * self.variables)
        return self.variables

    def set_true(self, literal):
        self.values[literal] = self.value[literal] = 1
        self.values[-literal] = self.value[-literal] = 0

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
        if len(left) == 1:
            self.set_true(left[0])
        elif left:
            self.open.append(left)
        else:
            self.is_broken = True

    def at_most_one(self, literals):
        # Only contents of cells are of this kind.
        true = [x for x in literals if x == TRUE or (x != FALSE and self.value[x] != 0)]
        self.is_broken |= len(true) > 1

    def equal_rows(self, unless, left, right):
        if not any(x == TRUE or (x != FALSE and self.value[x] == 1) for x in unless):
            super().equal_rows(unless, left, right)

    def clauses_without_constants(self, clauses):
        values = self.values[clauses]
        left = (values != 1).all(axis=1)
        rest = zip(clauses[left], values[left] == OPEN, strict=True)
        for clause in dict.fromkeys(tuple(row[unknown].tolist()) for row, unknown in rest):
            self.clause(*clause)

    def prefix_counter(self, events, total):
        # Each move's waste follows from the boards of a plan.
        self.settle()
        values = [self.value[x] for x in events]
        self.is_broken |= OPEN in values or values.count(1) != total
        return MeantCounter(self, events, total)

    def settle(self):
        """Draws all conclusions."""
        before = None
        while before != len(self.open):
            before, clauses = len(self.open), self.open
            self.open = []
            for clause in clauses:
                self.clause(*clause)

    def has_model(self):
        """Whether the boards, with all that follows and nothing else, are those of a model."""
        self.settle()
        return (
            not self.is_broken
            and all(min(clause) < 0 for clause in self.open)
            and all(
                [self.value[x] for x in (*events, *literals)].count(1) <= total
                for events, literals, total in self.limits
            )
        )


class MeantCounter:
    """The events among the first so many, and some literals, are together at most the total."""

    def __init__(self, builder, events, total):
        self.builder, self.events, self.total = builder, events, total

    def limit(self, prefix, literals):
        kept = [x for x in literals if x != FALSE]
        # What nothing makes true is false.
        assert all(x > 0 for x in kept)
        self.builder.limits.append((self.events[:prefix], kept, self.total))
