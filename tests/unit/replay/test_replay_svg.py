"""Pictures of boards, read back with an XML parser."""

import re
from itertools import pairwise
from xml.etree import ElementTree

from support.fixtures.cases import make

from plansolve.formats import read_problem
from plansolve.model.layout import CellLayout
from plansolve.model.puzzle import Operator, Puzzle
from plansolve.replay.steps import steps
from plansolve.replay.svg import MARGIN, PITCH, board_svg, cell_origin

SVG = "{http://www.w3.org/2000/svg}"


def drawn(text):
    """The label and the classes at each place of the picture, as (column, row)."""
    root = ElementTree.fromstring(text)
    found = {}
    for g in root.iter(f"{SVG}g"):
        if "data-tile" not in g.attrib:
            continue
        x, y = map(int, re.fullmatch(r"translate\((\d+) (\d+)\)", g.get("transform")).groups())
        place = (x - MARGIN) // PITCH, (y - MARGIN) // PITCH
        assert place not in found
        found[place] = g.find(f"{SVG}text").text, set(g.get("class").split()) - {"tile"}
    return root, found


def test_every_tile_is_drawn_in_its_cell_and_tells_whether_it_is_home():
    problem = read_problem("4 1 2\n. 5 3\n7 8 6")
    root, found = drawn(board_svg(problem.puzzle, problem.start, highlight=[0, 3]))
    assert found == {
        (0, 0): ("4", {"last"}),
        (1, 0): ("1", set()),
        (2, 0): ("2", set()),
        (1, 1): ("5", {"home"}),
        (2, 1): ("3", set()),
        (0, 2): ("7", {"home"}),
        (1, 2): ("8", {"home"}),
        (2, 2): ("6", set()),
    }
    assert root.get("aria-label") == "Board: 4 1 2; 0 5 3; 7 8 6"
    puzzle = make("torus-ring", 5, 5)
    root, found = drawn(board_svg(puzzle, puzzle.goal))
    assert {kinds == {"home"} for _, kinds in found.values()} == {True} and len(found) == 25
    width, height = (float(n) for n in root.get("viewBox").split()[2:])
    right, lower = cell_origin(puzzle, puzzle.cells - 1)
    assert right < width < right + PITCH + 2 * MARGIN
    assert lower < height < lower + PITCH + 2 * MARGIN


def test_holes_are_left_out_and_kinds_have_their_colours():
    layout = CellLayout(
        ((0, 0), (1, 0), (2, 0), (0, 1)),
        ((0, 1), (0, 3)),
        holes=(2,),
        colours=("#ffffff", "#102030", "#f0e0d0"),
        round=True,
    )
    swap = Operator("S", ((0, 1), (1, 0)))
    labels = ("0", "a", "b", "c", "-")
    puzzle = Puzzle("p", 1, 4, (1, 2, 4, 3), (swap,), labels, layout=layout)
    root, found = drawn(board_svg(puzzle, (2, 1, 4, 3), highlight=[0]))
    assert found == {
        (0, 0): ("b", {"last", "painted"}),
        (1, 0): ("a", {"painted"}),
        (0, 1): ("c", {"home"}),
    }
    wells = root.find(f"{SVG}g").findall(f"{SVG}rect")
    assert len(wells) == 3 and {well.get("rx") for well in wells} == {"32"}
    tiles = [g for g in root.iter(f"{SVG}g") if "data-tile" in g.attrib]
    colours = {
        g.find(f"{SVG}text").text: (
            g.find(f"{SVG}rect").get("fill"),
            g.find(f"{SVG}text").get("fill"),
        )
        for g in tiles
    }
    # Light letters on dark pieces, and dark ones on light.
    assert colours["a"] == ("#102030", "#fffdf8") and colours["b"] == ("#f0e0d0", "#2b2824")


def test_hostile_labels_are_text():
    labels = ("_", "a<script>&'", "b&lt;", "long" * 15)
    puzzle = Puzzle("p", 1, 3, (1, 2, 3), (Operator("t", ((0, 1), (1, 0))),), labels)
    _, found = drawn(board_svg(puzzle, (1, 2, 3)))
    assert [found[column, 0][0] for column in range(3)] == [*labels[1:]]


def test_the_steps_of_a_plan_change_what_the_moves_change():
    problem = read_problem("4 1 2\n. 5 3\n7 8 6")
    boards = list(steps(problem, ("D", "L", "L", "U", "U")))
    assert [(b.number, b.move) for b in boards] == [
        (0, None), (1, "D"), (2, "L"), (3, "L"), (4, "U"), (5, "U"),
    ]  # fmt: skip
    assert boards[0].changed == set()
    for before, step in pairwise(boards):
        differ = {c for c in range(9) if before.board[c] != step.board[c] and step.board[c]}
        assert step.changed == differ
    assert boards[-1].board == problem.goal


def test_a_layout_says_where_cells_tracks_and_walls_are():
    swap = (Operator("t", ((0, 1), (1, 0))),)
    # Beside each other and joined, or not; below each other and not; far away and joined.
    places = ((1, 1), (2, 1), (1, 2), (4.5, 1.5), (0, 1))
    layout = CellLayout(places, ((0, 1), (1, 3)))
    puzzle = Puzzle("p", 1, 5, (1, 2, 3, 4, 5), swap, ("_", *"abcde"), layout=layout)
    root = ElementTree.fromstring(board_svg(puzzle, (1, 2, 3, 4, 5)))
    assert root.get("viewBox") == f"0 0 {5.5 * PITCH + 2 * MARGIN:g} {2 * PITCH + 2 * MARGIN:g}"
    lines = {
        kind: [
            tuple((float(line.get(end)) - MARGIN) / PITCH for end in ("x1", "y1", "x2", "y2"))
            for line in root.iter(f"{SVG}line")
            if line.get("class") == kind
        ]
        for kind in ("track", "wall")
    }
    assert lines == {
        "track": [(1.5, 0.5, 2.5, 0.5), (2.5, 0.5, 5, 1)],
        "wall": [(1, 1, 2, 1), (1, 0, 1, 1)],
    }
    tiles = [g.get("transform") for g in root.iter(f"{SVG}g") if "data-tile" in g.attrib]
    assert tiles == [f"translate({8 + x * 64:g} {8 + y * 64:g})" for x, y in
                     ((1, 0), (2, 0), (1, 1), (4.5, 0.5), (0, 0))]  # fmt: skip
    still = Puzzle("p", 1, 5, (1, 2, 3, 4, 5), swap, ("_", *"abcde"), layout=CellLayout(places))
    assert "<line" not in board_svg(still, (1, 2, 3, 4, 5))
