"""Puzzles, tables and variants of encodings that several test files share."""

from functools import cache
from random import Random

from pysat.solvers import Solver

from plansolve.encoders.cnf import CnfBuilder
from plansolve.encoders.lemmas.registry import LEMMAS
from plansolve.encoders.registry import ENCODINGS
from plansolve.model.problem import Problem
from plansolve.model.puzzle import Operator, Puzzle
from plansolve.model.structure import Structure
from plansolve.puzzles.registry import build, named_goal
from plansolve.solvers.formula.attempt import HorizonSolver, Job
from support.oracle import Rules


def make(specification, rows, columns, goal=None):
    """A puzzle of a family; `goal` is a board, a goal's name or None."""
    if isinstance(goal, str):
        goal = named_goal(specification, goal, rows, columns)
    return build(specification, rows, columns, goal)


@cache
def distance_table(specification, rows, columns, goal=None, depth=None):
    """The oracle's distance to the goal of each board that has a plan (of at most `depth`)."""
    puzzle = make(specification, rows, columns, goal)
    return Rules.of(puzzle).distances_to(puzzle.goal, depth)


def row_slides(rows=2, columns=3, goal=None):
    """Tiles between the blank and any cell of its row or column slide together, as fingers do.

    "L2": two tiles go left. No blank graph, since a move shifts several tiles at once.
    """
    operators = []
    for blank in range(rows * columns):
        row, column = divmod(blank, columns)
        ways = {
            "L": [row * columns + c for c in range(column + 1, columns)],
            "R": [row * columns + c for c in range(column - 1, -1, -1)],
            "U": [r * columns + column for r in range(row + 1, rows)],
            "D": [r * columns + column for r in range(row - 1, -1, -1)],
        }
        for letter, line in ways.items():
            for count in range(1, len(line) + 1):
                cells = [blank, *line[:count]]
                moves = tuple(zip(cells, cells[1:] + cells[:1], strict=True))
                operators.append(Operator(f"{letter}{count}", moves, blank))
    return Puzzle(
        name="row-slides",
        rows=rows,
        columns=columns,
        goal=goal or (*range(1, rows * columns), 0),
        operators=tuple(operators),
        labels=tuple(map(str, range(rows * columns))),
    )


def one_way_ring(cells=5):
    """The blank only goes round one way, and hops over one cell: a directed blank graph."""
    operators = []
    for blank in range(cells):
        for name, step in (("n", 1), ("h", 2)):
            tile = (blank + step) % cells
            operators.append(Operator(name, ((blank, tile), (tile, blank)), blank))
    return Puzzle(
        name="one-way-ring",
        rows=1,
        columns=cells,
        goal=(*range(1, cells), 0),
        operators=tuple(operators),
        labels=tuple(map(str, range(cells))),
    )


def scrambles(puzzle, count, steps, seed):
    """Boards at the end of random walks back from the goal, so that each of them has a plan."""
    random, rules = Random(seed), Rules.of(puzzle)
    boards = []
    for _ in range(count):
        state = puzzle.goal
        for _ in range(random.randint(1, steps)):
            state = random.choice(rules.predecessors(state))
        boards.append(state)
    return boards


def lemma_sets(encoding):
    """Default, plain, all, each lemma alone and all but each lemma; lemmas keep their bases."""
    every = encoding.lemmas
    sets = [None, frozenset(), every]
    for lemma in sorted(every):
        base = {LEMMAS[lemma].base} - {None}
        sets.append(frozenset({lemma} | base))
        sets.append(frozenset(x for x in every - {lemma} if LEMMAS[x].base != lemma))
    distinct = dict.fromkeys(sets)
    return [None if lemmas is None else tuple(sorted(lemmas)) for lemmas in distinct]


def variants(puzzle):
    """All (encoding, lemmas) that fit the puzzle, in an order that mixes the encodings."""
    fitting = [e for e in ENCODINGS.values() if e.fits(Structure(puzzle))]
    columns = [[(e.name, lemmas) for lemmas in lemma_sets(e)] for e in fitting]
    longest = max(map(len, columns))
    return [column[i] for i in range(longest) for column in columns if i < len(column)]


def solver(puzzle, start, encoding, lemmas, engine="cnf", backend=None):
    """The in-process solver of one board."""
    return HorizonSolver(Job(Problem(puzzle, start), engine, backend, encoding, lemmas))


def all_plans(puzzle, start, encoding, lemmas, horizon, most=100_000):
    """All plans that the formula of one horizon has, each found once and then excluded."""
    problem = Problem(puzzle, start)
    encoder = ENCODINGS[encoding].prepare(
        problem, ENCODINGS[encoding].default if lemmas is None else frozenset(lemmas)
    )
    builder = CnfBuilder()
    decode = encoder.encode(builder, horizon)
    plans = []
    with Solver(name="glucose42", bootstrap_with=builder.clauses) as sat:
        while sat.solve() and len(plans) < most:
            plans.append(decode({x for x in sat.get_model() if x > 0}))
            clause = decode.exclusion(plans[-1])
            if not clause:
                # The formula has folded the choice away: this plan is the only one.
                break
            sat.add_clause(clause)
    return plans
