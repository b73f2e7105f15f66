"""Plans as people and programs write them: each is read as itself, or asked back."""

import json
from random import Random

import pytest

from plansolve.claims.claim import verify
from plansolve.claims.diagnosis import check_plan, diagnose
from plansolve.errors import OptionError, PlanError, WrongTypeError
from plansolve.formats import format_plan, read_plan, read_problem
from plansolve.formats.extract import extract_plan, read_plan_file
from plansolve.formats.notation import STYLES, moves_of_tile
from plansolve.model.problem import Problem, boards_of, operators_of
from plansolve.model.puzzle import BLANK
from plansolve.puzzles.registry import make_puzzle
from plansolve.puzzles.sliding import OPPOSITE

EIGHT = read_problem("2 3 6\n1 0 7\n4 8 5\n")
LETTERS = read_problem(
    "J C E O\nN D K F\nA M G H\nI L B .\ngoal:\nA B C D\nE F G H\nI J K L\nM N O ."
)
SPELLED = read_problem("U D .\nA L R\ngoal:\nA R L\nD U .")
MULTI = read_problem("2 3 6\n1 0 7\n4 8 5\n", puzzle="sliding:metric=multi-tile")
GAPS = read_problem("1 . 2\n3 4 .\n5 6 7")
BEADS = read_problem("A A .\nB B A\ngoal:\nA A A\nB B .")
LLOYD = read_problem("CGB\nFAD\nEH+")

# Forms of a plan: functions of its moves (name, word, tile), and of the boards that it passes.
ARROW = {"up": "↑", "down": "↓", "left": "←", "right": "→"}
WIDE = {"up": "⬆️", "down": "⬇️", "left": "⬅️", "right": "➡️"}
SIGN = {"up": "^", "down": "v", "left": "<", "right": ">"}
POINT = {"up": "N", "down": "S", "left": "W", "right": "E"}
BACK = {"up": "down", "down": "up", "left": "right", "right": "left"}
LINES = "\n".join


def lines_of(each):
    return lambda moves, boards: LINES(each(i, *move) for i, move in enumerate(moves, 1))


def joined(between, each):
    return lambda moves, boards: between.join(each(*move) for move in moves)


def drawn(row, between="\n\n", gap="0", above=""):
    """The boards one below the other, each row as `row` writes its tiles."""

    def text(moves, boards):
        return between.join(
            above + LINES(row([str(t or gap) for t in cells]) for cells in board)
            for board in boards
        )

    return text


SPOKEN = {
    "words": joined(" ", lambda name, word, tile: word),
    "capital words": joined(", ", lambda name, word, tile: word.title()),
    "words between arrows": joined(" -> ", lambda name, word, tile: word),
    "a list of words": lambda m, b: str([word for _, word, _ in m]),
    "numbered lines": lines_of(lambda i, name, word, tile: f"{i}. {word}"),
    "steps": lines_of(lambda i, name, word, tile: f"Step {i}: move tile {word}"),
    "the blank's": lines_of(lambda i, name, word, tile: f"move blank {BACK[word]}"),
    "points": joined(" ", lambda name, word, tile: POINT[word]),
    "points run together": joined("", lambda name, word, tile: POINT[word]),
    "arrows": joined(" ", lambda name, word, tile: ARROW[word]),
    "arrows run together": joined("", lambda name, word, tile: ARROW[word]),
    "wide arrows": joined(" ", lambda name, word, tile: WIDE[word]),
    "arrows of signs": joined("", lambda name, word, tile: SIGN[word]),
    "enumeration": joined(", ", lambda name, word, tile: f"<Direction.{word.upper()}: 1>"),
    "members": lambda m, b: f"[{', '.join(f'Move.{name}' for name, _, _ in m)}]",
    "calls": joined(" ", lambda name, word, tile: f"move{word.title()}();"),
    "snake case": joined(" ", lambda name, word, tile: f"move_{word}"),
    "start to goal": lambda m, b: " -> ".join(["Start", *(w for _, w, _ in m), "Goal"]),
    "between bars": joined(" | ", lambda name, word, tile: name),
    "semicolons": joined(";", lambda name, word, tile: name),
    "a remark": lambda m, b: f"# found\n{' '.join(w for _, w, _ in m)} # {len(m)} moves",
    "the number before": lambda m, b: f"{len(m)} {''.join(n for n, _, _ in m)}",
    "the number after": lambda m, b: f"{''.join(n for n, _, _ in m)} {len(m)}",
    "the number in brackets": lambda m, b: f"{''.join(n for n, _, _ in m)} ({len(m)})",
    "the length after": lambda m, b: f"{''.join(n for n, _, _ in m)}, length {len(m)}",
    "boxed": lambda m, b: rf"\boxed{{{', '.join(word for _, word, _ in m)}}}",
    "boxed text": lambda m, b: rf"$\boxed{{\text{{{' '.join(n for n, _, _ in m)}}}}}$",
    "solution": lambda m, b: json.dumps({"solution": "".join(n for n, _, _ in m)}),
    "actions": lambda m, b: json.dumps({"actions": [w.upper() for _, w, _ in m], "cost": 3}),
    "within": lambda m, b: json.dumps({"ok": 1, "result": {"moves": [w for _, w, _ in m]}}),
    "objects": lambda m, b: json.dumps({"path": [{"n": 1, "direction": w} for _, w, _ in m]}),
}  # fmt: skip
OF_TILES = {
    "tiles": joined(" ", lambda name, word, tile: tile),
    "tiles in a list": lambda m, b: str([int(tile) for _, _, tile in m]),
    "tiles in a tuple": lambda m, b: str(tuple(int(tile) for _, _, tile in m)),
    "tiles between arrows": joined(" → ", lambda name, word, tile: tile),
    "tiles in JSON": lambda m, b: json.dumps({"solution": [int(t) for _, _, t in m]}),
    "the word tiles": lambda m, b: "tiles " + ", ".join(tile for _, _, tile in m),
    "tile and letter": joined(" ", lambda name, word, tile: f"{tile}{word[0].upper()}"),
    "run together": joined("", lambda name, word, tile: f"{tile}{word[0].upper()}"),
    "dashes": joined("-", lambda name, word, tile: f"{tile}{word[0].upper()}"),
    "tile and word": joined(", ", lambda name, word, tile: f"{tile} {word}"),
    "tile: word": lines_of(lambda i, name, word, tile: f"{tile}: {word}"),
    "tile and arrow": joined(" ", lambda name, word, tile: f"{tile}{ARROW[word]}"),
    "Move 7 Left": lines_of(lambda i, name, word, tile: f"Move {tile} {word.title()}"),
    "tile 5 up": lines_of(lambda i, name, word, tile: f"tile {tile} {word}"),
    "swaps": lines_of(lambda i, name, word, tile: f"Swap the blank with {tile}"),
    "sentences": lines_of(lambda i, name, word, tile: f"{i}. Slide the tile {tile} to the {word}."),
    "up (5)": joined(", ", lambda name, word, tile: f"{word} ({tile})"),
    "left 7": joined(", ", lambda name, word, tile: f"{word} {tile}"),
    "pairs": lambda m, b: str([(int(tile), word) for _, word, tile in m]),
    "the blank's motion": joined(" ", lambda name, word, tile: f"{tile}{BACK[word][0].upper()}"),
    "objects of both": lambda m, b: json.dumps({"moves": [{"dir": w, "tile": t} for _, w, t in m]}),
}  # fmt: skip
OF_BOARDS = {
    "Princeton": drawn(" ".join, above="3\n"),
    "with dots": drawn(" ".join, gap="."),
    "a space for the gap": drawn("  ".join, gap=" "),
    "bars": drawn(lambda row: f"| {' | '.join(row)} |", gap=" "),
    "frames": drawn(lambda row: f"+---+---+---+\n| {' | '.join(row)} |", "\n+---+---+---+\n\n"),
    "box drawing": drawn(lambda row: f"│ {' │ '.join(row)} │\n├───┼───┼───┤", gap=" "),
    "arrows between": drawn(" ".join, "\n  |\n  v\n"),
    "arrows below": drawn(" ".join, "\n↓\n"),
    "commas": drawn(",".join),
    "after headings": drawn(" ".join, above="Step:\n", gap="_"),
    "digits": drawn("".join),
    "a board a line": lambda m, b: LINES(" ".join(str(t) for r in x for t in r) for x in b),
    "nine digits a line": lambda m, b: LINES("".join(str(t) for r in x for t in r) for x in b),
    "slashes": lambda m, b: " -> ".join("/".join(" ".join(map(str, r)) for r in x) for x in b),
    "nested lists": lambda m, b: str(b),
    "nested tuples": lambda m, b: str([tuple(map(tuple, x)) for x in b]),
    "a list a line": lambda m, b: LINES(map(str, b)),
    "flat lists": lambda m, b: str([[t for r in x for t in r] for x in b]),
    "indented JSON": lambda m, b: json.dumps(b, indent=1),
    "None": lambda m, b: str([[[t or None for t in r] for r in x] for x in b]),
    "JSON path": lambda m, b: json.dumps({"path": b, "cost": len(m)}),
    "null": lambda m, b: json.dumps({"path": [[[t or None for t in r] for r in x] for x in b]}),
}  # fmt: skip
FORMS = SPOKEN | OF_TILES | OF_BOARDS
WORDS = {"U": "up", "D": "down", "L": "left", "R": "right"}


def walk(problem, length, choice):
    """A legal plan of random moves; where there is another, none takes the one before back."""
    board, before, plan = problem.start, None, []
    for _ in range(length):
        ways = problem.puzzle.applicable(board)
        ways = {n: o for n, o in ways.items() if o.apply(board) != before} or ways
        name = choice.choice(sorted(ways))
        before, board = board, ways[name].apply(board)
        plan.append(name)
    return tuple(plan)


def told(problem, plan):
    """The moves of a sliding plan as (name, word, tile), and the boards that they pass, in rows."""
    boards = [*boards_of(problem, plan)]
    tiles = [
        next(board[cell] for cell, _ in operator.moves if after[cell] == BLANK)
        for board, after, operator in zip(
            boards, boards[1:], operators_of(problem, plan), strict=False
        )
    ]
    moves = [(n, WORDS[n], str(t)) for n, t in zip(plan, tiles, strict=True)]
    return moves, [[list(row) for row in problem.puzzle.in_rows(board)] for board in boards]


@pytest.mark.parametrize("form", FORMS)
def test_a_form_is_read_as_itself(form):
    """Alone, and (all but documents) among what programs print, labelled."""
    choice = Random(form)
    for length in (2, 3, 5, 9, 17):
        plan = walk(EIGHT, length, choice)
        text = FORMS[form](*told(EIGHT, plan))
        assert read_plan_file(text, EIGHT).plan == plan, text
        if form in OF_TILES:
            assert extract_plan(text, EIGHT).plan == plan, text
        if not text.startswith("{") and form not in ("indented JSON", "steps"):
            printed = f"Searching ...\nNodes: 8\nSolution:\n{text}\nTime: 0.25 s\n"
            assert extract_plan(printed, EIGHT).plan == plan, printed


FIFTEEN = read_problem("2 1 4 3/5 6 7 8/9 10 11 12/13 14 0 15")


@pytest.mark.parametrize("gap", ["", " ", ".", "None"])
@pytest.mark.parametrize("between", [" ", "  ", "\t", ",", " | "])
def test_boards_whose_columns_do_not_stand_below_each_other(gap, between):
    for seed in range(9):
        plan = walk(FIFTEEN, 5, Random(seed))
        text = drawn(between.join, gap=gap)(*told(FIFTEEN, plan))
        assert read_plan(text, FIFTEEN) == plan, text


COUNTED = [
    ("U2R2", EIGHT, "UURR"),
    ("DR2DRDL2", EIGHT, "DRRDRDLL"),
    ("u2r2", EIGHT, "UURR"),
    ("R2 D L3", EIGHT, "RRDLLL"),
    ("R 2, D 1, L 3", EIGHT, "RRDLLL"),
    ("1R 1D 2L 2U", EIGHT, "RDLLUU"),
    ("Rx1 D x1 left x2", EIGHT, "RDLL"),
    ("U 2L", EIGHT, "ULL"),
    ("down, 2 left, 2 up", EIGHT, "DLLUU"),
    ("D L 2U U", EIGHT, "DLUUU"),
    ("right2 down left3", EIGHT, "RRDLLL"),
    ("['R2', 'D', 'L3']", EIGHT, "RRDLLL"),
    ("↑2←3", EIGHT, "UULLL"),
    ("N2 W", EIGHT, "UUL"),
    ("U12", EIGHT, "U" * 12),
    ("d2rt2", LLOYD, "ddrtt"),
    # A name of the puzzle stands before a count.
    ("U2 L", MULTI, ("U2", "L")),
    ("u2r2d", MULTI, ("U2", "R2", "D")),
    ("R12", make_puzzle("loopover", 3, 3), None),
    ("R1U2", make_puzzle("loopover", 3, 3), ("R1", "U2")),
    ("0U", EIGHT, None),
    ("| 1 | Left |\n| 2 | Up |\n| 3 | Right |\n| 4 | Down |", EIGHT, "LURD"),
    ("<answer>LURD</answer>", EIGHT, "LURD"),
]


@pytest.mark.parametrize(("text", "problem", "plan"), COUNTED, ids=[case[0] for case in COUNTED])
def test_counts(text, problem, plan):
    if plan is None:
        with pytest.raises(PlanError, match="step 1"):
            read_plan(text, problem)
    else:
        assert read_plan(text, problem) == tuple(plan)


@pytest.mark.parametrize(
    ("text", "problem", "plan"),
    [
        ("HFKDNJCE", LETTERS, "DDRRRDLL"),
        ("h f k d", LETTERS, "DDRR"),
        ("H down, F down", LETTERS, "DD"),
        ("HD FD", LETTERS, "DD"),
        # All tiles of a line between the gap and the one that is named go along.
        ("7 6", MULTI, ("L", "D")),
        ("3\n4 7 8", read_problem("1 2 3\n0 5 6\n4 7 8"), "ULL"),
        ("Move 7 left", MULTI, ("L",)),
        # Beside the centre a transport does what a slide does.
        ("D A", LLOYD, "dr"),
        ("4 3", read_problem("1 0 2\n3 4 5"), "UR"),
    ],
)
def test_tiles(text, problem, plan):
    assert read_plan(text, problem) == tuple(plan)


@pytest.mark.parametrize(
    ("text", "problem", "step", "reason"),
    [
        ("7 5 8 2", EIGHT, 4, "there is no move '2' while the blank is in row 3 column 2"),
        ("7L 5U 8R 2D", EIGHT, 4, "there is no move '2 D' while"),
        ("7 left, 5 down", EIGHT, 2, "there is no move '5 D' while"),
        ("203/164/785 230/164/785", EIGHT, 1, "there is no move 'to 2 0 3 / 1 6 4 / 7 8 5'"),
        ("236 107 485\n\n236 170 485\n\n203 176 485", EIGHT, 2, "'to 2 0 3 / 1 7 6 / 4 8 5'"),
    ],
)
def test_the_step_that_is_no_move_is_named(text, problem, step, reason):
    verdict = diagnose(problem, read_plan(text.replace("/", " "), problem)).verdict
    assert verdict.illegal.step == step and reason in verdict.illegal.reason


@pytest.mark.parametrize(
    ("text", "problem", "message"),
    [
        ("R", SPELLED, "two readings"),
        ("A A", BEADS, "step 1: tile A can move in 2 ways: name the move itself"),
        ("2", GAPS, "step 1: tile 2 can move in 2 ways"),
        ("3 1 9", EIGHT, "step 3: '9' is not a tile that can move"),
        ("7 L 5", EIGHT, "step 2: 'L' is not a tile that can move"),
        ("move the tile", EIGHT, "there are no moves"),
        ("7L 5U (3)", EIGHT, "not a tile that can move"),
        ("LUU (5)", EIGHT, "the text says 5 moves, the plan has 3"),
        ("[7, 5", EIGHT, "the list of moves is not closed"),
    ],
)
def test_what_is_not_certain_is_asked(text, problem, message):
    with pytest.raises(PlanError, match=message):
        read_plan(text, problem)


def test_every_legal_meaning_is_weighed():
    """On a board whose tiles are called U, D, L, R and A all short texts of these letters."""
    puzzle, seen = SPELLED.puzzle, set()
    for text in {"".join(Random(i).choices("UDLR", k=1 + i % 3)) for i in range(300)}:
        meanings = []
        if check_plan(SPELLED, text.replace("", " ").split()).legal:
            meanings.append(tuple(text))
        board, names = SPELLED.start, []
        for label in text:
            ways = moves_of_tile(puzzle, board, puzzle.labels.index(label))
            names += [way.name for way in ways]
            board = ways[0].apply(board) if ways else puzzle.goal
        if len(names) == len(text):
            meanings.append(tuple(names))
        for tile, direction in (text, text[::-1]) if len(text) == 2 else ():
            kind = puzzle.labels.index(tile)
            if moves_of_tile(puzzle, SPELLED.start, kind, direction):
                meanings.append((direction,))
            elif moves_of_tile(puzzle, SPELLED.start, kind, OPPOSITE[direction]):
                meanings.append((OPPOSITE[direction],))
        try:
            found = read_plan(text, SPELLED)
        except PlanError:
            assert len(set(meanings)) > 1
            seen.add("asked")
        else:
            assert set(meanings) <= {found}
            seen.add("read" if meanings else "illegal")
    assert seen == {"asked", "read", "illegal"}


ROUND = {
    "sliding": (EIGHT, STYLES[:5]),
    "letters": (LETTERS, STYLES[:5]),
    "spelled": (SPELLED, STYLES[:5]),
    "multi-tile": (MULTI, STYLES[:5]),
    "lloyd": (LLOYD, STYLES[:4]),
    "gaps": (GAPS, STYLES[:4]),
}


@pytest.mark.parametrize("name", ROUND)
def test_each_style_is_read_back(name):
    problem, styles = ROUND[name]
    for seed in range(40):
        plan = walk(problem, seed % 14, Random(seed))
        for style in styles:
            text = format_plan(plan, problem, style)
            try:
                assert read_plan(text, problem) == plan, (style, text)
            except PlanError as error:
                # Directions that could be tiles are asked back, and never misread.
                assert name in ("spelled", "letters", "lloyd") and "two readings" in str(error)


@pytest.mark.parametrize(
    ("style", "plan", "problem", "text"),
    [
        ("counted", "LLURRRD", EIGHT, "L2UR3D"),
        ("counted", "", EIGHT, ""),
        ("counted", ("U", "U", "L2"), MULTI, "UUL2"),
        ("counted", ("R1", "R1", "U2"), make_puzzle("loopover", 3, 3), "R1R1U2"),
        ("tiles", "LUR", EIGHT, "7 5 8"),
        ("tiles", "DDRR", LETTERS, "HFKD"),
        ("tiles", "RU", SPELLED, "tiles DU"),
        ("tiles", "", EIGHT, ""),
    ],
)
def test_counted_and_tiles_as_output(style, plan, problem, text):
    if style == "tiles" and plan:
        plan = read_plan(text, problem)
    assert format_plan(plan, problem, style) == text


@pytest.mark.parametrize(
    ("plan", "problem", "error", "message"),
    [
        ("L", EIGHT.puzzle, OptionError, "needs a problem whose board has a gap"),
        (("R1",), Problem(make_puzzle("loopover", 2, 2), (1, 2, 3, 4)), OptionError, "has a gap"),
        ("LL", EIGHT, PlanError, "step 2: 'L' cannot be made here"),
        ("R", BEADS, PlanError, "step 1: the tile A cannot stand for the move R"),
    ],
)
def test_what_the_style_tiles_cannot_say(plan, problem, error, message):
    with pytest.raises(error, match=message):
        format_plan(plan, problem, "tiles")


@pytest.mark.parametrize(
    "plan",
    [
        ["left", "up", "right", "down"],
        ("Left", "UP", "R", "d"),
        [7, 5, 8, 7],
        [(7, "left"), (5, "up"), (8, "right"), (7, "down")],
        iter(["left", "up", "right", "down"]),
        [[[2, 3, 6], [1, 7, 0], [4, 8, 5]], [[2, 3, 6], [1, 7, 5], [4, 8, 0]],
         [[2, 3, 6], [1, 7, 5], [4, 0, 8]], [[2, 3, 6], [1, 0, 5], [4, 7, 8]]],
    ],
    ids=["words", "mixed", "tiles", "pairs", "iterator", "boards"],
)  # fmt: skip
def test_lists_in_python(plan):
    assert verify(EIGHT, plan).diagnosis.plan == tuple("LURD")


def test_lists_in_python_that_are_no_plans():
    assert check_plan(EIGHT, ["right", "down"]).legal
    assert not check_plan(EIGHT, ["left", "left"]).legal
    assert verify(EIGHT, ["right", "down"], convention="blank").diagnosis.plan == ("L", "U")
    with pytest.raises(PlanError, match="step 2: 'x' is not a move"):
        check_plan(EIGHT, ["left", "x"])
    for wrong in (5, [1.5], [None, 2.5], object()):
        with pytest.raises(WrongTypeError):
            check_plan(EIGHT, wrong)
