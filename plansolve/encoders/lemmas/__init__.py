"""Lemmas: clauses that follow from a problem, with the plans that each of them keeps."""
