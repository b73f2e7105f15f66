"""Certificates of a few kilobytes that make a careless check take gigabytes, or minutes."""

import gzip
import json
from itertools import combinations

from plansolve.certcheck.certificate import Certificate
from plansolve.certcheck.search.proof import PatternLookup, SearchProof
from plansolve.claims.certificate import write_certificate
from plansolve.model.problem import Problem
from plansolve.model.puzzle import OPEN, Operator, Puzzle

CELLS = 64
PAIRS = [*combinations(range(CELLS), 2)]


def exchanging(count, goal, kinds, blank=None):
    """A puzzle on a line whose moves each exchange two of its cells."""
    operators = (
        Operator(f"m{i}", ((a, b), (b, a)), blank) for i, (a, b) in enumerate(PAIRS[:count])
    )
    pieces = tuple(sorted(kinds))
    return Puzzle(
        "own", 1, CELLS, goal, tuple(operators), tuple(map(str, range(CELLS))), pieces=pieces
    )


def searched(folder, problem, bound, tables, depth=0, words=2):
    """The claim that a search to so many moves meets no plan."""
    folder.mkdir()
    same = (tuple(range(problem.puzzle.cells)),)
    sets = tuple((PatternLookup(number, 0, False),) for number in range(len(tables)))
    proof = SearchProof(bound, tables, same, sets, words, depth)
    (folder / "search.json").write_text(json.dumps(proof.document()))
    (folder / "units.txt.gz").write_bytes(gzip.compress(b"\n"))
    write_certificate(folder, Certificate(problem, None, bound + 1, (), searched=bound))
    return folder


def turned(puzzle):
    """A board whose last two pieces are exchanged."""
    *board, a, b = puzzle.goal_board
    return Problem(puzzle, (*board, b, a))


def many_tables(folder, count=100):
    """Four tables of 17 million entries, and so many moves to each of them."""
    puzzle = exchanging(count, tuple(range(CELLS)), range(CELLS))
    tables = tuple(tuple(range(4 * i, 4 * i + 4)) for i in range(4))
    return searched(folder, turned(puzzle), 5, tables)


def many_ends(folder):
    """Two tables of four identical pieces which may end almost anywhere."""
    goal = (1, 2, *[OPEN] * 62)
    puzzle = exchanging(20, goal, [1] * 5 + [2] * 5 + [3] * 54)
    board = (3, 3, *[1] * 5, *[2] * 5, *[3] * 52)
    return searched(folder, Problem(puzzle, board), 3, ((0,), (1,)))
