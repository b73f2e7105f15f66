"""Bounded-horizon planning as formulas: (problem, horizon) -> CNF or CP-SAT model -> plan.

The encodings are pure functions that write into a builder, so that one text serves both targets:
`cnf.CnfBuilder` writes a constraint as clauses, the builder of `cp-sat` passes it on whole.
"""
