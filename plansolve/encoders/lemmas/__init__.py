"""Lemmas: clauses that follow from a problem, and which plans each of them keeps."""
