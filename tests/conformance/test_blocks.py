"""Pieces of several cells: rules against a search by pieces, published counts, proofs, notation."""

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from support.reference.blocks import letters, search

import plansolve
from plansolve import Problem, check_plan, read_plan, read_problem, solve
from plansolve.claims.certify import certify
from plansolve.errors import InputError, OptionError, PlansolveError, ProofError
from plansolve.formats import write_problem
from plansolve.instances.batch import solve_many
from plansolve.instances.instance_set import load_instance_set
from plansolve.instances.random_boards import BoardSampler
from plansolve.instances.randomness import Randomness
from plansolve.instances.wanted_length import boards_of_length
from plansolve.model.puzzle import OPEN, Operator, Puzzle
from plansolve.records.board import Board
from plansolve.solvers.limits import CutShort
from plansolve.solvers.protocol import NO_PLAN, Budget, Incumbent
from plansolve.solvers.result import Status, StopReason
from plansolve.solvers.search import packed_boards
from plansolve.solvers.search.packed_boards import PackedRules, many_boards, packed_breadth_first

KLOTSKI = "ABBC/ABBC/DEEF/DGHF/I..J"


def board(text: str, **options: Any) -> Problem:
    return read_problem(text.replace("/", "\n"), **options)


def visit(problem: Problem) -> tuple[int | None, int]:
    """The length that the engine proves, and the positions it met, all of them without a plan."""
    *_, last = packed_breadth_first(problem, Incumbent(), Budget())
    if last.plan is None:
        assert last.lower_bound == NO_PLAN
        return None, last.counts["nodes"]
    assert check_plan(problem, last.plan).solves
    return len(last.plan), 0


# Published counts

SETS = Path(__file__).parents[2] / "instances"
HUARONG = load_instance_set(SETS / "huarong-dao").instances
JAMS = load_instance_set(SETS / "rush-hour").instances


@pytest.mark.parametrize("one", HUARONG, ids=lambda one: one.name)
def test_classical_boards_have_their_published_counts(one: Board) -> None:
    assert visit(one.problem)[0] == one.optimal_length


def test_klotski_takes_116_steps_and_reaches_25955_positions() -> None:
    result = solve(board(KLOTSKI), optimal=True)
    assert (result.status, result.length) == (Status.OPTIMAL, 116)
    # The upper left part of the large piece never comes to the last cell.
    puzzle = result.problem.puzzle
    nowhere = (OPEN,) * 19 + (puzzle.labels.index("B1"),)
    problem = Problem(puzzle.with_goal(nowhere), result.problem.start)
    assert visit(problem) == (None, 25955)


@pytest.mark.slow
def test_a_search_by_pieces_reaches_as_many() -> None:
    assert search(KLOTSKI.split("/"), {}, "step") == (0, 25955)


@pytest.mark.parametrize("one", JAMS, ids=lambda one: one.name)
def test_boards_of_the_database_have_its_counts(one: Board) -> None:
    assert visit(one.problem)[0] == one.optimal_length
    # The car never comes to its goal without its second part there.
    kinds, puzzle = one.problem.puzzle.labels, one.problem.puzzle
    nowhere = tuple(kinds.index("A1") if cell == 17 else OPEN for cell in range(36))
    found = visit(Problem(puzzle.with_goal(nowhere), one.problem.start))
    assert found == (None, int(one.note.split()[0].replace(",", "")))


# Random boards


_MOST_GAPS = 6


def random_board(draw: Random) -> tuple[list[str], dict[str, Any]]:
    """A grid with random pieces and walls, and a goal for one or two of the pieces."""
    rows, columns = draw.randint(2, 4), draw.randint(3, 4)
    grid = [["."] * columns for _ in range(rows)]
    if draw.random() < 0.3:
        grid[draw.randrange(rows)][draw.randrange(columns)] = "-"
    shapes = [{(0, 0)}, {(0, 0), (0, 1)}, {(0, 0), (1, 0)}, {(0, 0), (0, 1), (1, 0)}]
    shapes += [{(0, 1), (1, 0), (1, 1)}, {(0, 0), (0, 1), (1, 0), (1, 1)}, {(0, 0), (0, 1), (0, 2)}]
    for letter in "ABCDEFGH"[: draw.randint(2, 7)]:
        shape, r, c = draw.choice(shapes), draw.randrange(rows), draw.randrange(columns)
        cells = [(r + down, c + right) for down, right in shape]
        if all(a < rows and b < columns and grid[a][b] == "." for a, b in cells):
            for a, b in cells:
                grid[a][b] = letter
    own = letters(["".join(row) for row in grid])
    goal = dict[str, Any]()
    for letter in draw.sample(sorted(own), min(len(own), draw.randint(1, 2))):
        down, right = draw.randint(-2, 2), draw.randint(-2, 2)
        cells = frozenset((r + down, c + right) for r, c in own[letter])
        is_free = all(0 <= r < rows and 0 <= c < columns and grid[r][c] != "-" for r, c in cells)
        if is_free and not any(cells & other for other in goal.values()):
            goal[letter] = cells
    return ["".join(row) for row in grid], goal


def random_boards(
    seed: int, count: int
) -> Iterator[tuple[list[str], dict[str, Any], Problem, str]]:
    draw = Random(seed)
    while count:
        grid, goal = random_board(draw)
        gaps = "".join(grid).count(".")
        if not goal or not 0 < gaps < _MOST_GAPS:
            continue
        count -= 1
        metric = ("step", "slide", "move")[count % 3]
        wanted = [["*"] * len(row) for row in grid]
        for letter, cells in goal.items():
            for r, c in cells:
                wanted[r][c] = letter
        text = "\n".join([*grid, "goal:", *map("".join, wanted)])
        yield grid, goal, read_problem(text, puzzle=f"blocks:metric={metric}"), metric


@pytest.mark.parametrize(
    ("seed", "count"), [(1, 150), pytest.param(2, 5000, marks=pytest.mark.slow)]
)
def test_random_boards_agree_with_a_search_by_pieces(
    seed: int, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    solvable = 0
    for grid, goal, problem, metric in random_boards(seed, count):
        length, positions = search(grid, goal, metric)
        monkeypatch.setattr(packed_boards, "_visited", [0])
        found, met = visit(problem)
        if length != 0:
            rules = PackedRules(problem.puzzle)
            start, _ = rules.packed(enumerate(problem.start))
            *_, same = many_boards(rules, start, Incumbent(), Budget())
            *_, last = packed_breadth_first(problem, Incumbent(), Budget())
            assert (same.plan, same.counts) == (last.plan, last.counts)
        assert found == length, (grid, goal, metric)
        solvable += found is not None
        if found is None:
            assert met == positions, (grid, goal, metric)
    assert count / 4 < solvable < count


@pytest.mark.parametrize(("seed", "count"), [(3, 12), pytest.param(4, 300, marks=pytest.mark.slow)])
def test_formulas_agree(seed: int, count: int) -> None:
    for _, _, problem, _ in random_boards(seed, count):
        length, _ = visit(problem)
        if length is not None and 0 < length < 12:
            result = solve(problem, optimal=True, engine="cnf")
            assert (result.status, result.length) == (Status.OPTIMAL, length)


@pytest.mark.slow
def test_formulas_prove_boards_of_many_slides() -> None:
    more = read_problem("ooJKBBGoJKLMGAAoLMGHCCCMoHIoDDFFIEEo")
    for problem in (more, *(one.problem for one in JAMS if one.optimal_length == 10)):
        proved = solve(problem, optimal=True, engine="cnf")
        assert (proved.status, proved.length) == (Status.OPTIMAL, visit(problem)[0])
    assert visit(more)[0] == 21


def test_moves_may_carry_pieces_that_they_need_not_know() -> None:
    hops = [(c, c + 2) for c in range(4)]
    operators = [
        Operator(f"{way}{c}", [(to, here), (here, to)], needs=[(c + 1, 0), (to, 0)])
        for c, there in hops
        for way, here, to in (("L", there, c), ("R", c, there))
    ]
    puzzle = Puzzle("hop", 1, 6, (0, 0, 0, 1, 2, 3), tuple(operators), tuple(".abc"))
    start = (0, 1, 2, 0, 0, 3)
    distance, todo = {start: 0}, [start]
    for here in todo:
        for operator in puzzle.applicable(here).values():
            if (after := operator.apply(here)) not in distance:
                distance[after] = distance[here] + 1
                todo.append(after)
    assert len(distance) > 2
    for after, moves in distance.items():
        problem = Problem(puzzle.with_goal(after), start)
        assert visit(problem)[0] == moves
        if moves:
            assert solve(problem, engine="cnf", optimal=True).length == moves


# Certificates


def is_accepted(problem: Problem, folder: Path) -> bool:
    try:
        verdict = plansolve.check_certificate(folder, problem=problem).verdict
    except ProofError:
        return False
    return verdict in ("proved", "unsolvable")


@pytest.mark.parametrize(("seed", "count"), [(5, 3), pytest.param(6, 500, marks=pytest.mark.slow)])
def test_certificates_are_checked_and_mutated_ones_refused(
    seed: int, count: int, tmp_path: Path
) -> None:
    made = 0
    for number, (_, _, problem, _) in enumerate(random_boards(seed, count * 20)):
        length, _ = visit(problem)
        if made == count:
            break
        if length is None or length < 3:
            continue
        folder = tmp_path / str(number)
        certify(problem, folder)
        if not (folder / "search.json").exists():
            # Distances of single parts tell as much.
            assert is_accepted(problem, folder)
            continue
        made += 1
        record = json.loads((folder / "search.json").read_bytes())
        assert record["bound"] == length - 1
        assert is_accepted(problem, folder)
        for key, value in (
            ("boards", record["boards"] + 1),
            ("bound", length),
            ("schema", "plansolve.visit-proof/0"),
            ("more", 1),
        ):
            (folder / "search.json").write_text(json.dumps({**record, key: value}))
            assert not is_accepted(problem, folder), key
    assert made == count


def test_no_formula_is_a_proof_here(tmp_path: Path) -> None:
    problem = board("AAB/..C/goal:/***/**B".replace("/goal:/", "\ngoal:\n"), puzzle="blocks")
    with pytest.raises(OptionError, match="formulas about moves that need pieces in certain cells"):
        certify(problem, tmp_path / "sat", by="sat")
    without = board("HAAI/HAAI/JKNL/JKOL/P..Q", puzzle="blocks:metric=move")
    assert solve(without, optimal=True).status == Status.UNSOLVABLE
    certificate = certify(without, tmp_path / "none").certificate
    assert certificate is not None and certificate.lower_bound is None
    assert is_accepted(without, tmp_path / "none")


def test_a_batch_solves_small_and_large_boards() -> None:
    small = board("AAB/C.B/C..\ngoal:\nC**\nC**\n***", puzzle="blocks")
    boards = {small: 3} | {b.problem: b.optimal_length for b in (*JAMS[-2:], *HUARONG[-2:])}
    results = solve_many(boards, optimal=True, parallel=1)
    assert {result.problem: result.length for result in results} == boards


# New boards


@pytest.mark.parametrize(
    ("rules", "lengths"),
    [
        (KLOTSKI, (40, 60)),
        ("BBoKMxDDDKMoIAALooIoJLEEooJFFNoGGoxN", (20, 50)),
        ("AABB/C..D/C..D\ngoal:\n****\n****\n**AA", (4, 9)),
    ],
    ids=["blocks", "jam", "small"],
)
def test_new_boards_have_the_wanted_length(rules: str, lengths: tuple[int, int]) -> None:
    puzzle = board(rules).puzzle
    for start, plan in boards_of_length(puzzle, lengths[0], 2, Randomness(1), longest=lengths[1]):
        problem = Problem(puzzle, start)
        assert lengths[0] <= len(plan) <= lengths[1]
        assert visit(problem)[0] == len(plan)
        assert check_plan(problem, plan).solves
        # Where the pieces stand makes no other rules.
        form = "rush-hour" if puzzle.name == "rush-hour" else "letters"
        assert read_problem(write_problem(problem, form)) == problem
    start = BoardSampler(puzzle).solvable(Randomness(2))
    assert visit(Problem(puzzle, start))[0] is not None
    with pytest.raises(OptionError, match="need pieces in certain cells"):
        BoardSampler(puzzle).unsolvable(Randomness(2))


# Limits


def test_a_full_memory_leaves_a_bound() -> None:
    *_, last = _until_cut(board(KLOTSKI), 1 << 20)
    assert 10 < last.lower_bound < 116
    assert last.plan is None


def _until_cut(problem: Problem, memory: int) -> Iterator[Any]:
    try:
        yield from packed_breadth_first(problem, Incumbent(), Budget(memory=memory))
    except CutShort as cut:
        assert cut.reason == StopReason.MEMORY


def test_a_horizon_ends_the_search() -> None:
    result = solve(board(KLOTSKI), max_horizon=20)
    assert (result.status, result.lower_bound) == (Status.NO_PLAN_WITHIN_HORIZON, 21)


# Boards as people write them


@pytest.mark.parametrize(
    ("text", "options", "name", "length"),
    [
        (KLOTSKI, {}, "blocks", 116),
        (KLOTSKI, {"puzzle": "blocks:metric=move"}, "blocks:metric=move", 81),
        (KLOTSKI, {"goal": "E at row 3 column 1"}, "blocks", None),
        (
            '{"puzzle": "blocks", "board": ["AAB", "C.B", "C.."], "goal": "C at row 1 column 1"}',
            {},
            "blocks",
            3,
        ),
        (f"{KLOTSKI}\ngoal:\nB at row 4 column 2", {}, "blocks", 116),
        ("######/#ABBC#/#ABBC#/#DEEF#/#DGHF#/#I..J#/######", {}, "blocks", 116),
        ("xAAx/x.Bx/x..x", {"goal": "B at row 3 column 2"}, "blocks", 2),
        (f"{KLOTSKI}\ngoal:\n****\n****\n****\n*BB*\n*BB*", {}, "blocks", 116),
        ("AAo/oBo/oBo", {"puzzle": "blocks", "goal": "A at row 3 column 2"}, "blocks", None),
        ("..B.CC/..B.../AAB.../DDD..E/.....E/.....E", {}, "rush-hour", 9),
        ("AA...O/P..Q.O/PXXQ.O/P..Q../B...CC/B.RRR.", {}, "rush-hour", 8),
        ("BBoKMx/DDDKMo/IAALoo/IoJLEE/ooJFFN/oGGoxN", {}, "rush-hour", 58),
        ("60 IBBxooIooLDDJAALooJoKEEMFFKooMGGHHHM 2332", {}, "rush-hour", 60),
    ],
    ids=lambda value: str(value)[:24].replace("/", "-"),
)
def test_boards_are_read_as_they_are_written(
    text: str, options: dict[str, Any], name: str, length: int | None
) -> None:
    problem = board(text, **options)
    assert problem.puzzle.name == name
    if length is not None:
        assert visit(problem)[0] == length
    for form in ("json", "letters") if name == "blocks" else ("json",):
        written = write_problem(problem, form)
        assert read_problem(written) == problem


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("AAB/BCA/C..", {"puzzle": "blocks"}, "row 2: A does not touch the other cells of A"),
        ("AAB/AAB", {"puzzle": "blocks"}, "no gap"),
        ("AA./BB.", {"puzzle": "blocks"}, "a board of blocks needs its goal"),
        ("AA./BB.", {"goal": "C at row 1 column 1"}, "does not name a piece and its place"),
        ("AA./BB.", {"goal": "A at row 1 column 3"}, "A would leave the board"),
        ("AA./BB.\ngoal:\nA**/A**", {}, "the piece A has another shape in the goal"),
        (
            "AA./BB.\ngoal:\nCC*/***",
            {"puzzle": "blocks"},
            "the goal has the piece 'C', but the board does not",
        ),
        ("AA./.B.", {"puzzle": "rush-hour"}, "row 2: B is not a car"),
        ("BB./.C./.C.", {"puzzle": "rush-hour"}, "no car X, R or A is horizontal"),
        ("AA./BB.", {"puzzle": "blocks:metric=jump"}, "unknown metric 'jump'"),
        ("AA./BB.", {"puzzle": "rush-hour:metric=move"}, "unknown metric 'move'"),
        ("AA./BB.", {"puzzle": "blocks", "goal": "snail"}, "unknown goal 'snail' for blocks"),
    ],
)
def test_what_is_wrong_is_said(text: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        board(text, **options)


@pytest.mark.parametrize(
    ("written", "moves"),
    [
        ("G+1 H-1", None),
        ("I right 1, H down", "a5R c4D"),
        ("IR HD", "a5R c4D"),
        ("I right; I left", "a5R b5L"),
        ("IR2", "a5R b5R"),
        ("a5R c4D", "a5R c4D"),
    ],
)
def test_plans_are_read_by_pieces(written: str, moves: str | None) -> None:
    problem = board(KLOTSKI)
    if moves is None:
        with pytest.raises(PlansolveError, match="gives no direction, as"):
            read_plan(written, problem)
        return
    plan = read_plan(written, problem)
    assert plan == tuple(moves.split())
    assert read_plan(plansolve.format_plan(plan, problem, "pieces"), problem) == plan


@pytest.mark.parametrize(
    ("seed", "count"), [(7, 40), pytest.param(8, 1000, marks=pytest.mark.slow)]
)
def test_plans_are_written_by_pieces(seed: int, count: int) -> None:
    for _, _, problem, _ in random_boards(seed, count):
        *_, last = packed_breadth_first(problem, Incumbent(), Budget())
        if last.plan:
            text = plansolve.format_plan(last.plan, problem, "pieces")
            assert read_plan(text, problem) == last.plan, (str(problem), text)
