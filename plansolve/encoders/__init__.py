"""Bounded-horizon planning as formulas: (problem, horizon) -> CNF or CP-SAT model -> plan.

The encodings are pure functions that write into a builder, so that one text serves both targets:
`cnf.CnfBuilder` spells a constraint out in clauses, that of `cp-sat` hands it over whole.
"""
