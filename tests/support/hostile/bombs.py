"""Certificates of a few kilobytes that make a careless check take gigabytes, or minutes."""

import gzip
import json
from itertools import combinations

from plansolve.certcheck.certificate import Certificate
from plansolve.certcheck.search.proof import PatternLookup, SearchProof
from plansolve.claims.certificate import write_certificate
from plansolve.model.problem import Problem
from plansolve.model.puzzle import OPEN, Operator, Puzzle
from support.fixtures import cases

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
    """Two tables of four alike pieces which may end almost anywhere."""
    goal = (1, 2, *[OPEN] * 62)
    puzzle = exchanging(20, goal, [1] * 5 + [2] * 5 + [3] * 54)
    board = (3, 3, *[1] * 5, *[2] * 5, *[3] * 52)
    return searched(folder, Problem(puzzle, board), 3, ((0,), (1,)))


def long_units(folder):
    """Units of thousands of moves each, as many as there are."""
    puzzle = cases.make("sliding", 3, 3)
    return searched(folder, turned_tiles(puzzle), 9_999, ((0,),), 9_990)


def turned_tiles(puzzle):
    a, b, *board = puzzle.goal_board
    return Problem(puzzle, (b, a, *board))


def many_clauses(folder):
    """A formula of empty clauses, which a megabyte packs."""
    problem = turned_tiles(cases.make("sliding", 3, 3))
    folder.mkdir()
    write_certificate(folder, Certificate(problem, None, 4, (3,)))
    count = 125_000_000
    with gzip.open(folder / "3.cnf.gz", "wb") as stream:
        stream.write(b"p cnf 1 %d\n" % count)
        for _ in range(125):
            stream.write(b"0\n" * (count // 125))
    for kind in ("legend", "lrat"):
        (folder / f"3.{kind}.gz").write_bytes(gzip.compress(b""))
    return folder


def many_steps(folder):
    """A formula about plans of few moves, of which each board has thousands."""
    puzzle = exchanging(2016, tuple(range(CELLS)), range(CELLS))
    operators = (*puzzle.operators, Operator("b", ((0, 1), (1, 0)), 0))
    puzzle = Puzzle("own", 1, CELLS, puzzle.goal, operators, puzzle.labels)
    folder.mkdir()
    write_certificate(folder, Certificate(turned(puzzle), None, 9, (8,)))
    (folder / "8.cnf.gz").write_bytes(gzip.compress(b"p cnf 1 1\n1 0\n"))
    for kind in ("legend", "lrat"):
        (folder / f"8.{kind}.gz").write_bytes(gzip.compress(b""))
    return folder


def many_words(folder):
    """Words of sixteen moves of a puzzle in which moves need several gaps."""
    operators = tuple(
        Operator(f"m{i}", ((a, b), (b, a)), a)
        for i, (a, b) in enumerate(combinations(range(12), 2))
    )
    kinds = (0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8)
    puzzle = Puzzle("own", 1, 12, kinds, operators, tuple(map(str, range(9))), pieces=kinds)
    *board, a, b = kinds
    return searched(folder, Problem(puzzle, (*board, b, a)), 3, ((4,),), words=16)


BOMBS = {
    bomb.__name__: bomb
    for bomb in (many_tables, many_ends, long_units, many_clauses, many_steps, many_words)
}
