"""Parts of the encodings, each against brute force: builders, counters, words, time tables."""

from itertools import permutations, product

import pytest
from pysat.solvers import Solver
from support import cases
from support.cases import make
from support.oracle import Rules

from plansolve.encoders.builder import FALSE, TRUE
from plansolve.encoders.cnf import CnfBuilder
from plansolve.encoders.lemmas import LEMMAS
from plansolve.encoders.pair_times import PairTimes
from plansolve.encoders.reachability import TileBlankTimes, TileTimes
from plansolve.encoders.registry import ENCODINGS, choose_encoding, choose_lemmas
from plansolve.encoders.words import forbidden_words
from plansolve.errors import OptionError, PlanError
from plansolve.model.problem import Problem
from plansolve.model.structure import Structure

# The CNF builder


def test_constants_are_folded_out_of_clauses():
    builder = CnfBuilder()
    a, b = builder.new(), builder.new()
    builder.clause(a, TRUE, -b)
    builder.clause(a, FALSE, -b)
    builder.clause(a, -TRUE)
    builder.clause(-FALSE, b)
    assert builder.clauses == [[a, -b], [a]]
    assert builder.variables == 2


def test_the_empty_clause_is_a_contradiction_in_two_units():
    for literals in ((), (FALSE,), (FALSE, -TRUE)):
        builder = CnfBuilder()
        builder.clause(*literals)
        assert builder.clauses == [[1], [-1]]
        assert builder.variables == 1


def models(builder, variables):
    """The assignments of `variables` (as tuples of 0 and 1) that some model has."""
    with Solver(name="cadical195", bootstrap_with=builder.clauses) as solver:
        return {
            values
            for values in product((0, 1), repeat=len(variables))
            if solver.solve(
                assumptions=[v if x else -v for v, x in zip(variables, values, strict=True)]
            )
        }


def value(literal, values):
    if abs(literal) == TRUE:
        return int(literal == TRUE)
    return values[abs(literal) - 1] if literal > 0 else 1 - values[abs(literal) - 1]


LITERAL_LISTS = [
    [],
    [1],
    [-1],
    [1, 2],
    [1, -2],
    [1, 2, 3],
    [-1, -2, -3],
    [TRUE],
    [FALSE],
    [TRUE, 1],
    [FALSE, 1, 2],
    [TRUE, TRUE],
    [TRUE, TRUE, 1],
    [TRUE, FALSE, 1, -2],
    [1, 2, 3, 4],
]


@pytest.mark.parametrize("literals", LITERAL_LISTS, ids=str)
@pytest.mark.parametrize(
    ("method", "accepts"),
    [
        ("clause", lambda total: total >= 1),
        ("at_most_one", lambda total: total <= 1),
        ("exactly_one", lambda total: total == 1),
    ],
)
def test_each_constraint_accepts_exactly_the_assignments_that_it_means(method, accepts, literals):
    builder = CnfBuilder()
    variables = [builder.new() for _ in range(4)]
    call = getattr(builder, method)
    call(*literals) if method == "clause" else call(iter(literals))
    assert models(builder, variables) == {
        values
        for values in product((0, 1), repeat=4)
        if accepts(sum(value(x, values) for x in literals))
    }


@pytest.mark.parametrize("literals", LITERAL_LISTS, ids=str)
@pytest.mark.parametrize("method", ["clause", "at_most_one", "exactly_one"])
def test_both_builders_mean_the_same(method, literals):
    assert cpsat_models(method, literals, 4) == cnf_models(method, literals, 4)


def cnf_models(method, literals, count):
    builder = CnfBuilder()
    variables = [builder.new() for _ in range(count)]
    call = getattr(builder, method)
    call(*literals) if method == "clause" else call(literals)
    return models(builder, variables)


def cpsat_models(method, literals, count):
    from plansolve.encoders.cpsat import CpSatBuilder

    builder = CpSatBuilder()
    variables = [builder.new() for _ in range(count)]
    call = getattr(builder, method)
    call(*literals) if method == "clause" else call(literals)
    return cpsat_assignments(builder, variables)


def cpsat_assignments(builder, variables):
    from ortools.sat.python import cp_model

    class All(cp_model.CpSolverSolutionCallback):
        def __init__(self):
            super().__init__()
            self.found = set()

        def on_solution_callback(self):
            self.found.add(tuple(int(self.value(builder.variable[v])) for v in variables))

    every, solver = All(), cp_model.CpSolver()
    solver.parameters.enumerate_all_solutions = True
    solver.parameters.num_workers = 1
    solver.solve(builder.model, every)
    return every.found


def counters():
    for count in range(6):
        for total in range(-2, count + 3):
            yield count, total


@pytest.mark.parametrize(("count", "total"), list(counters()))
def test_the_counter_accepts_exactly_the_assignments_with_the_total(count, total):
    builder = CnfBuilder()
    events = [builder.new() for _ in range(count)]
    builder.prefix_counter(events, total)
    expected = {values for values in product((0, 1), repeat=count) if sum(values) == total}
    assert models(builder, events) == expected


def limited():
    for total in (-2, -1, 0, 1, 2, 3, 4, 6):
        for prefix in range(5):
            for extra in ([5], [5, 6], [-5, 6], [5, FALSE], [FALSE, 5, 6], [5, 6, 1], []):
                yield total, prefix, extra


def expected_under_limit(total, prefix, extra):
    return {
        values
        for values in product((0, 1), repeat=6)
        if sum(values[:4]) == total
        and sum(values[:prefix]) + sum(value(x, values) for x in extra) <= total
    }


@pytest.mark.parametrize(("total", "prefix", "extra"), list(limited()))
def test_a_limit_bounds_the_prefix_and_the_literals_together(total, prefix, extra):
    # Totals below 0 and above the number of events: no model, and no crash either.
    builder = CnfBuilder()
    events = [builder.new() for _ in range(6)]
    counter = builder.prefix_counter(events[:4], total)
    counter.limit(prefix, extra)
    assert models(builder, events) == expected_under_limit(total, prefix, extra)


@pytest.mark.parametrize(("total", "prefix", "extra"), list(limited())[::5])
def test_cp_sat_s_limit_means_the_same(total, prefix, extra):
    from plansolve.encoders.cpsat import CpSatBuilder

    builder = CpSatBuilder()
    events = [builder.new() for _ in range(6)]
    counter = builder.prefix_counter(events[:4], total)
    counter.limit(prefix, extra)
    assert cpsat_assignments(builder, events) == expected_under_limit(total, prefix, extra)


def test_two_limits_on_one_counter_hold_together():
    builder = CnfBuilder()
    events = [builder.new() for _ in range(6)]
    counter = builder.prefix_counter(events[:4], 2)
    counter.limit(1, [5, 6])
    counter.limit(3, [6])
    expected = expected_under_limit(2, 1, [5, 6]) & expected_under_limit(2, 3, [6])
    assert models(builder, events) == expected


def test_dimacs_counts_its_variables_and_clauses():
    builder = CnfBuilder()
    a, b = builder.new(), builder.new()
    builder.exactly_one([a, b])
    assert list(builder.dimacs(["two", "lines"])) == [
        "c two",
        "c lines",
        "p cnf 2 2",
        "1 2 0",
        "-1 -2 0",
    ]


# Horizons at and below the ends


FITTING = [
    (specification, encoding.name)
    for specification in [("sliding", 3, 3), ("lloyd", 3, 3), ("loopover", 3, 3)]
    for encoding in ENCODINGS.values()
    if encoding.fits(Structure(make(*specification)))
]


@pytest.mark.parametrize(("specification", "encoding"), FITTING, ids=str)
@pytest.mark.parametrize("lemmas", [None, ()], ids=["default", "plain"])
def test_at_horizon_zero_only_the_goal_itself_has_a_plan(specification, encoding, lemmas):
    puzzle = make(*specification)
    other = list(puzzle.goal)
    other[0], other[1] = other[1], other[0]
    there = cases.solver(puzzle, puzzle.goal, encoding, lemmas).attempt(0).solution.plan
    elsewhere = cases.solver(puzzle, tuple(other), encoding, lemmas).attempt(0).solution.plan
    assert (there, elsewhere) == ((), None)


@pytest.mark.parametrize("lemmas", [None, ()], ids=["default", "plain"])
@pytest.mark.parametrize("encoding", ["half-layer", "full-layer", "permutation"])
def test_at_horizon_one_only_the_neighbours_of_the_goal_have_a_plan(encoding, lemmas):
    puzzle = make("sliding", 2, 3)
    table = Rules.of(puzzle).distances_to(puzzle.goal, 1)
    for start in permutations(range(6)):
        plan = cases.solver(puzzle, start, encoding, lemmas).attempt(1).solution.plan
        assert (plan is not None) == (table.get(start) == 1), (start, plan)


@pytest.mark.parametrize("engine", ["cnf", "cp-sat"])
@pytest.mark.parametrize("encoding", ["half-layer", "full-layer", "permutation"])
def test_horizons_far_below_the_lower_bound_are_refuted(encoding, engine):
    # The farthest 3x3 board, 31 moves: its tile distances alone are 21.
    puzzle = make("sliding", 3, 3)
    solver = cases.solver(puzzle, (8, 6, 7, 2, 5, 4, 3, 0, 1), encoding, None, engine)
    assert [solver.attempt(h).solution.plan for h in (1, 2, 3, 5, 9, 15)] == [None] * 6


@pytest.mark.parametrize("encoding", ["half-layer", "full-layer", "permutation"])
def test_a_set_that_is_no_model_is_not_decoded(encoding):
    puzzle = make("sliding", 2, 2)
    problem = Problem(puzzle, (0, 1, 3, 2))
    made = ENCODINGS[encoding].prepare(problem, ())
    decode = made.encode(CnfBuilder(), 4)
    with pytest.raises(PlanError, match="the model"):
        decode(set())
    with pytest.raises(PlanError, match="the model"):
        decode(set(range(1, 500)))


def test_encoding_twice_writes_the_same_formula():
    problem = Problem(make("sliding", 3, 3), (8, 6, 7, 2, 5, 4, 3, 0, 1))
    for encoding in ENCODINGS.values():
        made = encoding.prepare(problem, encoding.default)
        first, second = CnfBuilder(), CnfBuilder()
        made.encode(first, 23)
        made.encode(CnfBuilder(), 25)
        made.encode(second, 23)
        assert first.clauses == second.clauses
        assert first.variables == second.variables


def test_every_literal_of_a_formula_is_a_variable_that_was_made():
    for specification in (("sliding", 3, 3), ("lloyd", 3, 3), ("loopover", 3, 3)):
        puzzle = make(*specification)
        (start,) = cases.scrambles(puzzle, 1, 6, 1)
        for encoding, lemmas in cases.variants(puzzle):
            builder = CnfBuilder()
            chosen = choose_lemmas(ENCODINGS[encoding], lemmas)
            ENCODINGS[encoding].prepare(Problem(puzzle, start), chosen).encode(builder, 8)
            used = {abs(literal) for clause in builder.clauses for literal in clause}
            assert used <= set(range(1, builder.variables + 1))
            assert all(builder.clauses)


# Forbidden words


def effects(puzzle, longest):
    """For each word of operator indices, where each content goes; for rules without blanks."""
    rules = Rules.of(puzzle)
    start = tuple(range(1, puzzle.cells + 1))
    gathers = [gather for _, _, gather in rules.forward]
    layer = {(): start}
    yield from layer.items()
    for _ in range(longest):
        layer = {
            (*word, index): gather(state)
            for word, state in layer.items()
            for index, gather in enumerate(gathers)
        }
        yield from layer.items()


@pytest.fixture(scope="module")
def torus_words():
    """All words of up to three turns of the 5x5 torus, by effect, in shortlex order."""
    by_effect = {}
    for word, effect in effects(make("torus-ring", 5, 5), 3):
        by_effect.setdefault(effect, []).append(word)
    return by_effect


def contains(word, parts):
    """Whether a proper part of the word is one of `parts`."""
    return any(
        word[i:j] in parts
        for i in range(len(word))
        for j in range(i + 1, len(word) + 1)
        if j - i < len(word)
    )


def test_a_forbidden_torus_word_has_a_shorter_or_earlier_equal(torus_words):
    rank = {word: group[0] for group in torus_words.values() for word in group}
    found = forbidden_words(make("torus-ring", 5, 5), True, True)
    assert len(found) == len(set(found))
    for word in found:
        assert (len(rank[word]), rank[word]) < (len(word), word)


def test_exactly_the_minimal_torus_words_with_an_equal_are_forbidden(torus_words):
    found = set(forbidden_words(make("torus-ring", 5, 5), True, True))
    second = {word for group in torus_words.values() for word in group[1:]}
    minimal = set()
    for word in sorted(second, key=len):
        if not contains(word, minimal):
            minimal.add(word)
    assert found == minimal


def test_with_shorter_alone_only_words_with_a_shorter_equal_are_forbidden(torus_words):
    found = set(forbidden_words(make("torus-ring", 5, 5), True, False))
    longer = {word for group in torus_words.values() for word in group if len(word) > len(group[0])}
    minimal = set()
    for word in sorted(longer, key=len):
        if not contains(word, minimal):
            minimal.add(word)
    assert found == minimal


def test_turns_that_commute_are_forbidden_in_one_order_only():
    puzzle = make("torus-ring", 5, 5)
    found = set(forbidden_words(puzzle, True, True))
    everything = dict(effects(puzzle, 2))
    shorter = {effect for word, effect in everything.items() if len(word) < 2}
    for a, b in permutations(range(len(puzzle.operators)), 2):
        commute = everything[a, b] == everything[b, a] and everything[a, b] not in shorter
        if commute:
            assert ((a, b) in found) == (a > b), (a, b)


@pytest.mark.parametrize(
    "puzzle",
    [
        make("sliding", 2, 3),
        make("sliding", 3, 3),
        make("lloyd", 3, 3),
        make("lloyd", 1, 5),
        cases.row_slides(),
        cases.one_way_ring(),
        make("loopover", 2, 2),
        make("loopover", 2, 3),
    ],
    ids=lambda puzzle: f"{puzzle.name}-{puzzle.cells}",
)
@pytest.mark.parametrize("flags", [(True, True), (True, False), (False, True)], ids=str)
def test_a_forbidden_word_can_be_replaced_wherever_it_applies(puzzle, flags):
    shorter, earlier = flags
    operators = puzzle.operators

    def run(state, word):
        for index in word:
            if not operators[index].applies_to(state):
                return None
            state = operators[index].apply(state)
        return state

    starts = [puzzle.goal]
    if puzzle.has_blank:
        tiles = list(puzzle.tiles)
        starts = [(*tiles[:b], 0, *tiles[b:]) for b in range(puzzle.cells)]
    found = forbidden_words(puzzle, shorter, earlier)
    by_start = {}
    for start in starts:
        # Every word that applies, in shortlex order, by the board that it leads to.
        reached, layer = {}, [((), start)]
        for _ in range(4):
            for word, state in layer:
                reached.setdefault(state, []).append(word)
            layer = [
                ((*word, i), operator.apply(state))
                for word, state in layer
                if len(word) < 3
                for i, operator in enumerate(operators)
                if operator.applies_to(state)
            ]
        by_start[start] = reached
    # On a grid no two words of equal length do the same; the ring has no equal words at all.
    none = puzzle.name == "one-way-ring" or (
        puzzle.name in ("sliding", "row-slides") and not shorter
    )
    assert bool(found) != none
    for word in found:
        applied = 0
        for start in starts:
            end = run(start, word)
            if end is None:
                continue
            applied += 1
            others = by_start[start][end]
            assert any(
                (shorter and len(other) < len(word))
                or (earlier and len(other) == len(word) and other < word)
                for other in others
            ), (word, start)
        assert applied, f"{word} never applies"


# Tables of times


def spread(puzzle, contents, arcs_back=False):
    """Fewest operators that take some cells' contents to other cells, preconditions ignored."""
    distance, frontier, steps = {contents: 0}, [contents], 0
    images = []
    for operator in puzzle.operators:
        image = list(range(puzzle.cells))
        for cell, source in operator.moves:
            if arcs_back:
                image[cell] = source
            else:
                image[source] = cell
        images.append(image)
    while frontier:
        steps += 1
        following = []
        for cells in frontier:
            for image in images:
                after = tuple(image[c] for c in cells)
                if after not in distance:
                    distance[after] = steps
                    following.append(after)
        frontier = following
    return distance


TIMED = [
    make("sliding", 2, 3),
    make("lloyd", 1, 5),
    make("loopover", 2, 3),
    make("torus-ring:rows=LR,columns=UD-,rings=none", 2, 3),
    cases.row_slides(),
    cases.one_way_ring(),
]


def name(puzzle):
    return puzzle.name.replace("torus-ring:", "")


@pytest.mark.parametrize("puzzle", TIMED, ids=name)
def test_tile_times_are_the_distances_of_single_contents(puzzle):
    (start,) = cases.scrambles(puzzle, 1, 9, 2)
    times = TileTimes(Problem(puzzle, start))
    for content in puzzle.goal:
        early = spread(puzzle, (start.index(content),))
        late = spread(puzzle, (puzzle.goal.index(content),), arcs_back=True)
        for cell, done, left in product(range(puzzle.cells), range(5), range(5)):
            expected = early.get((cell,), 99) <= done and late.get((cell,), 99) <= left
            assert times.possible(done, left, content, cell) == expected


@pytest.mark.parametrize("puzzle", TIMED, ids=name)
def test_pair_mutexes_are_the_pairs_that_cannot_meet_in_time(puzzle):
    (start,) = cases.scrambles(puzzle, 1, 9, 4)
    contents = sorted(puzzle.goal)
    times = PairTimes(Problem(puzzle, start))
    for done, left in product(range(4), range(4)):
        builder = CnfBuilder()
        layer = [[builder.new() for _ in contents] for _ in range(puzzle.cells)]
        times.add_mutexes(builder, done, left, layer)
        expected = set()
        for i, j in permutations(range(len(contents)), 2):
            if i > j:
                continue
            a, b = contents[i], contents[j]
            early = spread(puzzle, (start.index(a), start.index(b)))
            late = spread(puzzle, (puzzle.goal.index(a), puzzle.goal.index(b)), arcs_back=True)
            expected |= {
                frozenset((-layer[p][i], -layer[q][j]))
                for p, q in permutations(range(puzzle.cells), 2)
                if early.get((p, q), 99) > done or late.get((p, q), 99) > left
            }
        assert {frozenset(clause) for clause in builder.clauses} == expected


@pytest.mark.parametrize(
    "puzzle", [make("sliding", 2, 3), make("lloyd", 1, 5), cases.one_way_ring()], ids=name
)
def test_the_lemmas_of_tile_and_blank_are_the_table_in_clauses_and_rows(puzzle):
    (start,) = cases.scrambles(puzzle, 1, 9, 5)
    problem, graph = Problem(puzzle, start), Structure(puzzle).blank_graph
    cells = range(puzzle.cells)
    for lemmas in ((), ("distance",), ("tile-blank",), ("distance", "tile-blank")):
        times = TileBlankTimes(problem, graph, lemmas)
        for done, left in product(range(0, 6, 2), range(1, 7, 2)):
            builder = CnfBuilder()
            blanks = {cell: builder.new() for cell in cells}
            rows = {cell: times.new_row(builder, done, left, cell, [0, 2]) for cell in cells}
            for cell, tile in product(cells, puzzle.tiles):
                somewhere = any(times.possible(done, left, tile, cell, b) for b in (0, 2))
                expected = "distance" not in lemmas or somewhere
                assert (rows[cell][tile - 1] != FALSE) == expected
            times.add_mutexes(builder, done, left, rows, blanks)
            assert {frozenset(clause) for clause in builder.clauses} == {
                frozenset((-rows[cell][tile - 1], -blanks[b]))
                for cell, tile, b in product(cells, puzzle.tiles, cells)
                if "tile-blank" in lemmas
                and rows[cell][tile - 1] != FALSE
                and not times.possible(done, left, tile, cell, b)
            }


def test_pair_mutexes_leave_constants_alone():
    puzzle = make("loopover", 2, 3)
    (start,) = cases.scrambles(puzzle, 1, 9, 4)
    builder = CnfBuilder()
    layer = [[TRUE if tile == there else FALSE for tile in sorted(puzzle.goal)] for there in start]
    PairTimes(Problem(puzzle, start)).add_mutexes(builder, 0, 0, layer)
    assert builder.clauses == []


@pytest.mark.parametrize(
    "puzzle",
    [make("sliding", 2, 3), make("sliding", 1, 4), make("lloyd", 1, 5), cases.one_way_ring()],
    ids=name,
)
def test_tile_blank_times_are_the_distances_on_a_board_with_one_tile(puzzle):
    (start,) = cases.scrambles(puzzle, 1, 9, 3)
    rules, goal = Rules.of(puzzle), puzzle.goal
    times = TileBlankTimes(Problem(puzzle, start), Structure(puzzle).blank_graph, ())
    for tile in puzzle.tiles:
        # All other tiles look alike: 99.
        alone = [tuple(t if t in (0, tile) else 99 for t in board) for board in (start, goal)]
        early, late = rules.distances_from(alone[0]), rules.distances_to(alone[1])
        for cell, blank in permutations(range(puzzle.cells), 2):
            board = [99] * puzzle.cells
            board[cell], board[blank] = tile, 0
            board = tuple(board)
            for done, left in product(range(0, 9, 2), range(0, 9, 3)):
                expected = early.get(board, 99) <= done and late.get(board, 99) <= left
                assert times.possible(done, left, tile, cell, blank) == expected


@pytest.mark.parametrize("puzzle", TIMED, ids=name)
def test_no_board_on_the_way_is_ruled_out_by_a_table(puzzle):
    rules = Rules.of(puzzle)
    (start,) = cases.scrambles(puzzle, 1, 12, 6)
    early, late = rules.distances_from(start), rules.distances_to(puzzle.goal)
    problem = Problem(puzzle, start)
    single, graph = TileTimes(problem), Structure(puzzle).blank_graph
    together = TileBlankTimes(problem, graph, ()) if graph else None
    for board, done in early.items():
        if board in late:
            left = late[board]
            assert all(single.possible(done, left, t, cell) for cell, t in enumerate(board))
            if together:
                blank = board.index(0)
                assert all(
                    together.possible(done, left, t, cell, blank)
                    for cell, t in enumerate(board)
                    if t
                )


# The choice


def test_the_first_encoding_that_fits_is_chosen():
    chosen = {
        specification: choose_encoding(Structure(make(*specification))).name
        for specification in [("sliding", 4, 4), ("lloyd", 5, 5), ("torus-ring", 5, 5)]
    }
    assert list(chosen.values()) == ["half-layer", "full-layer", "permutation"]
    assert choose_encoding(Structure(cases.row_slides())).name == "permutation"
    assert choose_encoding(Structure(make("lloyd", 1, 3))).name == "half-layer"
    assert choose_encoding(Structure(make("sliding", 4, 4)), "permutation").name == "permutation"


@pytest.mark.parametrize(
    ("specification", "encoding", "message"),
    [
        (("sliding", 3, 3), "quarter-layer", "unknown encoding 'quarter-layer': choose from half"),
        (
            ("lloyd", 3, 3),
            "half-layer",
            "the half-layer encoding needs a blank graph with two colours; for this puzzle: "
            "full-layer, permutation",
        ),
        (
            ("torus-ring", 5, 5),
            "full-layer",
            "the full-layer encoding needs a blank graph; for this puzzle: permutation",
        ),
    ],
)
def test_an_encoding_that_does_not_fit_is_refused(specification, encoding, message):
    with pytest.raises(OptionError) as caught:
        choose_encoding(Structure(make(*specification)), encoding)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("encoding", "lemmas", "message"),
    [
        ("half-layer", ["nonsense"], "unknown lemma 'nonsense': choose from away-counter, dist"),
        (
            "full-layer",
            ["away-counter"],
            "the full-layer encoding has no lemma 'away-counter': choose from distance, no-undo",
        ),
        ("half-layer", ["linear-conflict"], "linear-conflict works on top of away-counter: add it"),
    ],
)
def test_a_lemma_that_does_not_fit_is_refused(encoding, lemmas, message):
    with pytest.raises(OptionError) as caught:
        choose_lemmas(ENCODINGS[encoding], lemmas)
    assert message in str(caught.value)


def test_no_lemmas_and_default_lemmas_are_two_choices():
    for encoding in ENCODINGS.values():
        assert choose_lemmas(encoding) == encoding.default <= encoding.lemmas
        assert choose_lemmas(encoding, ()) == frozenset()
        assert choose_lemmas(encoding, iter(sorted(encoding.lemmas))) == encoding.lemmas


def test_every_lemma_belongs_to_an_encoding_and_declares_what_it_keeps():
    used = frozenset().union(*(encoding.lemmas for encoding in ENCODINGS.values()))
    assert used == set(LEMMAS)
    assert {lemma.keeps for lemma in LEMMAS.values()} == {
        "every plan",
        "shortest plans",
        "one plan",
    }
    assert all(key == lemma.name for key, lemma in LEMMAS.items())
