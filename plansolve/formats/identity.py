"""One text for one problem: what a problem is called where results are kept and looked up."""

import json
from hashlib import sha256

from plansolve.formats.json_document import document_of
from plansolve.model.problem import Problem


def problem_text(problem: Problem) -> str:
    """Return the JSON document of a problem in its one canonical spelling.

    Equal problems have the same text, and `read_problem` makes the problem of it again.
    """
    return json.dumps(document_of(problem), sort_keys=True, separators=(",", ":"))


def problem_key(problem: Problem) -> str:
    """Return the SHA-256 of the canonical text, in hexadecimal digits."""
    return sha256(problem_text(problem).encode()).hexdigest()
