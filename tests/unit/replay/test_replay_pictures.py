"""Plans as GIFs, and boards and plans in notebooks."""

import re
from html import unescape
from io import BytesIO
from itertools import product
from xml.etree import ElementTree

import pytest
from support.fixtures.cases import make

import plansolve
from plansolve.errors import OptionError, PlanError
from plansolve.model.problem import Problem, boards_of
from plansolve.replay.gif import board_png, plan_gif
from plansolve.replay.page import html_page
from plansolve.replay.svg import PITCH, board_svg

Image = pytest.importorskip("PIL.Image")

PLAN = ("D", "L", "L", "U", "U")


@pytest.fixture
def problem():
    return Problem(make("sliding", 3, 3), (4, 1, 2, 0, 5, 3, 7, 8, 6))


def frames(data):
    image = Image.open(BytesIO(data))
    for number in range(image.n_frames):
        image.seek(number)
        yield image.convert("RGB"), image.info["duration"]


def test_a_gif_has_a_frame_for_each_board(problem):
    pictures = list(frames(plan_gif(problem, PLAN, speed=4.0)))
    assert len(pictures) == 6
    assert [pause for _, pause in pictures] == [250] * 5 + [1500]
    assert len({picture.tobytes() for picture, _ in pictures}) == 6


def test_tiles_in_place_have_another_colour_and_the_gap_has_none(problem):
    *_, (last, _) = frames(plan_gif(problem, PLAN))
    side = last.width / 3
    corners = [
        last.getpixel((int((column + 0.25) * side), int((row + 0.25) * side)))
        for row in range(3)
        for column in range(3)
    ]
    assert len(set(corners[:8])) == 1
    assert corners[8] not in corners[:8]


def test_a_png_is_the_first_picture_of_a_gif(problem):
    (first, _), *_ = frames(plan_gif(problem, PLAN))
    assert Image.open(BytesIO(board_png(problem))).convert("RGB").tobytes() == first.tobytes()


def test_a_gif_has_the_colours_of_pieces_and_shows_holes():
    puzzle = make("hungarian-rings:apart=2,colours=4", 2, 6)
    pictures = list(frames(plan_gif(Problem(puzzle, puzzle.goal), ("L", "R'"))))
    boards = list(boards_of(Problem(puzzle, puzzle.goal), ("L", "R'")))
    for (picture, _), board in zip(pictures, boards, strict=True):
        for kind, (x, y) in zip(board, puzzle.layout.positions, strict=True):
            # Beside the letter, and inside the ball.
            pixel = picture.getpixel((round((x + 0.25) * 64), round((y + 0.5) * 64)))
            red, green, blue = (int(puzzle.layout.colours[kind][i : i + 2], 16) for i in (1, 3, 5))
            assert pixel == (red, green, blue)
    holes = make("sliding:holes=5", 3, 3)
    *_, (last, _) = frames(plan_gif(Problem(holes, holes.goal), ("D",)))
    middle, gap = (
        last.getpixel((round(x * 64), round(y * 64))) for x, y in ((1.5, 1.5), (2.5, 1.5))
    )
    assert min(middle) > 240 > min(gap)


def test_a_piece_of_several_cells_has_one_outline():
    board = "ABBC/ABBC/DEEF/DGHF/I..J"
    problem = plansolve.read_problem(board)
    picture = Image.open(BytesIO(board_png(problem))).convert("RGB")
    svg = ElementTree.fromstring(board_svg(problem.puzzle, problem.start))
    tiles = {}
    for g in svg.findall(".//*[@data-tile]"):
        x, y = map(int, re.findall(r"\d+", g.get("transform")))
        shape = {k: int(v) for k, v in g.find(".//{*}rect").items() if k in ("x", "y", "width")}
        tiles[x // PITCH, y // PITCH] = g.find("{*}text").text, shape
    rows, ground = board.split("/"), picture.getpixel((2, 2))
    for column, row in product(range(3), range(4)):
        one, right, below = rows[row][column], rows[row][column + 1], rows[row + 1][column]
        x, y = column * 64, row * 64
        are_apart = [one != right or one == ".", one != below or one == "."]
        seams = [picture.getpixel((x + 66, y + 20)), picture.getpixel((x + 20, y + 66))]
        assert [seam == ground for seam in seams] == are_apart, (column, row)
        if one != ".":
            label, shape = tiles[column, row]
            # Pieces of one shape are alike, and have the letter of the first.
            assert label == ("A" if one in "ACDF" else "G" if one in "GHIJ" else one)
            assert (shape.get("x", 0) + shape["width"] > PITCH) != are_apart[0]


def test_plans_that_no_gif_can_show_are_refused(problem):
    with pytest.raises(PlanError, match="step 1"):
        plan_gif(problem, ("R",))
    with pytest.raises(OptionError, match="at most 2000"):
        plan_gif(problem, ("D", "U") * 2000)


def test_large_boards_stay_small_pictures():
    puzzle = make("sliding", 30, 30)
    ((picture, _),) = frames(plan_gif(Problem(puzzle, puzzle.goal), ()))
    assert max(picture.size) <= 930


def test_a_frame_holds_no_more_than_what_differs_from_the_one_before():
    puzzle = make("sliding", 20, 20)
    problem = Problem(puzzle, puzzle.goal)
    whole = len(plan_gif(problem, ()))
    assert len(plan_gif(problem, ("D", "U") * 10)) < 2 * whole


def test_notebooks_show_boards_as_pictures_and_plans_as_pages(problem):
    board = plansolve.show(problem)
    assert board._repr_svg_() == board_svg(problem.puzzle, problem.start)
    assert str(board) == "4 1 2\n0 5 3\n7 8 6"
    frame = plansolve.show(problem, PLAN)._repr_html_()
    (page,) = re.findall(r'srcdoc="([^"]*)"', frame)
    assert unescape(page) == html_page(problem, PLAN)
    with pytest.raises(PlanError):
        plansolve.show(problem, ("R",))
    result = plansolve.solve(problem, optimal=True)
    shown = result._repr_html_()
    (page,) = re.findall(r'srcdoc="([^"]*)"', shown)
    assert unescape(page) == html_page(problem, PLAN, optimal_length=len(PLAN))
    assert shown.startswith(f"<p>{result}</p><iframe ") and "proved shortest" in page
    assert plansolve.solve(problem, max_horizon=1)._repr_html_() is None
