"""The page in a real browser: what is drawn, moved, said and refused.

What the page draws is compared with boards that the model computes in Python.
"""

import pytest
from support.fixtures.cases import make, row_slides

import plansolve
from plansolve.checker import check_plan
from plansolve.formats import read_plan, read_problem
from plansolve.model.layout import CellLayout
from plansolve.model.problem import Problem
from plansolve.model.puzzle import Operator, Puzzle

EIGHT = "4 1 2\n. 5 3\n7 8 6"
EIGHT_PLAN = ("D", "L", "L", "U", "U")
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True}
CALM = {"reduced_motion": "reduce"}


@pytest.fixture
def eight():
    return read_problem(EIGHT)


def after(problem, *moves):
    verdict = check_plan(problem, moves)
    assert verdict.legal
    return verdict.board


def torus(*moves):
    puzzle = make("torus-ring", 5, 5)
    return Problem(puzzle, after(Problem(puzzle, puzzle.goal), *moves))


def test_playing_ends_on_the_goal(open_page, eight):
    opened = open_page(eight, EIGHT_PLAN, optimal_length=5)
    opened.expect_board(eight.start)
    opened.page.select_option("#speed", "8")
    opened.page.click("#run")
    opened.expect_text("#count", "5 / 5")
    opened.expect_board(eight.goal)
    opened.expect_text("#message", "Solved.")
    assert opened.page.get_attribute("#run", "aria-label") == "Play"
    assert opened.page.locator(".tile:not(.home)").count() == 0
    assert opened.requests == [opened.url]


def test_several_gaps_and_moves_of_several_tiles(open_page):
    problem = read_problem("1 2 3 4\n5 . 6 8\n9 10 7 11\n13 14 . 12")
    plan = read_plan("c2L c3U d3L d4U", problem)
    opened = open_page(problem, plan, optimal_length=4)
    opened.page.keyboard.press("End")
    opened.expect_board(problem.goal)
    opened.page.keyboard.press("Home")
    # A click takes a tile into the gap beside it, and one on a gap does nothing.
    opened.page.locator('[data-tile="12"]').click()
    opened.expect_board(after(problem, "d4L"))
    opened.page.locator('[data-tile="11"]').click()
    opened.expect_board(after(problem, "d4L", "d3D"))
    # Several tiles are pushed by a click on the farthest.
    opened = open_page(Problem(row_slides(1, 4), (0, 1, 2, 3)))
    opened.tile(3).click()
    opened.expect_board((1, 2, 3, 0))
    assert opened.page.inner_text("#standing") == "Solved in 1 move."


@pytest.mark.parametrize("context", [{}, CALM], ids=["moving", "calm"])
def test_the_keys_go_through_the_plan(open_page, eight, context):
    opened = open_page(eight, EIGHT_PLAN, context=context)
    # The space bar plays, and pauses.
    for label in ("Pause", "Play"):
        opened.page.keyboard.press(" ")
        assert opened.page.get_attribute("#run", "aria-label") == label
    step = int(opened.page.input_value("#step"))
    opened.expect_board(after(eight, *EIGHT_PLAN[:step]))
    opened.page.keyboard.press("Home")
    for key, step in (
        ("ArrowRight", 1),
        ("ArrowRight", 2),
        ("ArrowLeft", 1),
        ("End", 5),
        ("ArrowRight", 5),
        ("Home", 0),
        ("ArrowLeft", 0),
    ):
        opened.page.keyboard.press(key)
        opened.expect_board(after(eight, *EIGHT_PLAN[:step]))
        assert opened.page.inner_text("#count") == f"{step} / 5"


def test_the_last_move_is_marked_and_said_and_a_move_of_the_list_jumped_to(open_page, eight):
    opened = open_page(eight, EIGHT_PLAN)
    opened.page.click("#forward")
    assert opened.page.eval_on_selector_all(".last", "l => l.map(t => t.dataset.tile)") == ["4"]
    assert opened.page.inner_text("#live") == "Step 1 of 5. D: tile 4 moves down"
    label = opened.page.get_attribute("#stage > svg", "aria-label")
    assert label == "Board: row 1: gap 1 2; row 2: 4 5 3; row 3: 7 8 6"
    opened.page.locator("#moves button").nth(2).click()
    opened.expect_board(after(eight, *EIGHT_PLAN[:3]))
    assert opened.page.locator("#moves [aria-current]").inner_text() == "L"
    opened.page.fill("#step", "4")
    opened.expect_board(after(eight, *EIGHT_PLAN[:4]))


def test_the_list_shows_the_move_that_was_made_last(open_page):
    puzzle = make("sliding", 4, 4)
    one = open_page(Problem(puzzle, puzzle.goal), ("D", "U") * 300)
    for key in ("End", "Home", "End"):
        one.page.keyboard.press(key)
        number = "600" if key == "End" else "0"
        one.expect_text("#count", f"{number} / 600")
        seen = one.page.evaluate(
            """number => {
                const button = document.querySelectorAll("#moves button")[Math.max(0, number - 1)];
                const list = document.querySelector("#moves").getBoundingClientRect();
                const { top, bottom } = button.getBoundingClientRect();
                return list.top <= top && bottom <= list.bottom;
            }""",
            int(number),
        )
        assert seen, f"the move is out of sight after {key}"


def test_a_link_opens_its_step_and_the_address_follows(open_page, eight):
    opened = open_page(eight, EIGHT_PLAN, fragment="#step=3")
    opened.expect_board(after(eight, *EIGHT_PLAN[:3]))
    length = opened.page.evaluate("history.length")
    opened.page.click("#forward")
    opened.page.wait_for_function("() => location.hash === '#step=4'")
    assert opened.page.evaluate("history.length") == length, "back would not leave the page"
    opened.page.evaluate("location.hash = '#step=1'")
    opened.expect_board(after(eight, *EIGHT_PLAN[:1]))
    opened.page.evaluate("location.hash = '#step=99'")
    opened.expect_board(eight.goal)


def test_clicks_play_and_undo_and_reset_take_back(open_page, eight):
    opened = open_page(eight, EIGHT_PLAN, optimal_length=5)
    opened.tile(4).click()
    opened.expect_board(after(eight, "D"))
    assert opened.page.get_attribute("body", "data-mode") == "play"
    opened.tile(1).click()
    opened.expect_board(after(eight, "D", "L"))
    assert opened.page.inner_text(".score") == "2 moves; 5 suffice"
    # Watching goes on where the game is on the plan.
    opened.page.click("#to-watch")
    assert opened.page.inner_text("#count") == "2 / 5"
    opened.expect_board(after(eight, "D", "L"))
    opened.page.click("#to-play")
    opened.page.click("#undo")
    opened.expect_board(after(eight, "D"))
    assert opened.page.inner_text("#made") == "1"
    opened.page.click("#reset")
    opened.expect_board(eight.start)
    assert opened.page.inner_text("#made") == "0"
    # The arrow keys win the game.
    for key in ("ArrowDown", "ArrowLeft", "ArrowLeft", "ArrowUp", "ArrowUp"):
        opened.page.keyboard.press(key)
    opened.expect_board(eight.goal)
    assert opened.page.inner_text("#standing") == "Solved in 5 moves, optimal."


def test_a_tile_is_dragged_and_a_short_drag_is_taken_back(open_page, eight):
    opened = open_page(eight)
    opened.drag(4, 0, 0.25)
    opened.expect_board(eight.start)
    assert opened.page.inner_text("#made") == "0"
    opened.drag(4, 0.1, 0.9)
    opened.expect_board(after(eight, "D"))
    assert opened.page.inner_text("#made") == "1"


def test_an_illegal_move_is_refused_and_changes_nothing(open_page, eight):
    opened = open_page(eight)
    opened.page.evaluate("""window.shaken = [];
        addEventListener("animationstart", (e) => shaken.push(e.animationName), true)""")
    opened.tile(6).click()
    opened.expect_text("#live", "Tile 6 cannot make that move")
    opened.page.wait_for_function("() => shaken.includes('refuse')")
    opened.drag(6, 0, -0.9)
    opened.page.keyboard.press("ArrowRight")
    opened.expect_text("#live", "No tile can move that way")
    opened.page.get_by_role("button", name="R: not possible now").press("Enter")
    opened.expect_text("#live", "R cannot be made here")
    opened.expect_board(eight.start)
    assert opened.page.inner_text("#made") == "0"


def test_a_hint_is_the_plan_s_next_move_and_off_the_plan_there_is_a_way_back(open_page, eight):
    opened = open_page(eight, EIGHT_PLAN)
    opened.page.click("#to-play")
    opened.page.click("#hint")
    assert opened.page.inner_text("#message") == "Hint: D, tile 4 moves down"
    hinted = opened.page.eval_on_selector_all(
        ".hint", "list => list.map(e => e.dataset.tile ?? e.dataset.move)"
    )
    assert hinted == ["4", "D"]
    for tile in (4, 1, 5):
        opened.tile(tile).click()
    assert opened.page.inner_text("#standing") == "Off the plan."
    opened.page.keyboard.press("h")
    opened.expect_text("#message", "Off the plan")
    assert not opened.page.is_visible("#hint")
    opened.page.click("#return")
    opened.expect_board(after(eight, "D", "L"))
    assert opened.page.inner_text("#made") == "2"
    opened.page.keyboard.press("h")
    assert opened.page.inner_text("#message") == "Hint: L, tile 2 moves left"


def test_every_torus_move_has_an_arrow_that_makes_it(open_page):
    problem = torus("L3", "D3", "Occ", "Ic")
    opened = open_page(problem, ("Icc", "Oc", "U3", "R3"), context=CALM)
    opened.page.click("#to-play")
    arrows = opened.page.locator("#stage .arrow")
    names = arrows.evaluate_all("list => list.map(b => b.dataset.move)")
    assert sorted(names) == sorted(problem.puzzle.move_names)
    for name in names:
        opened.page.click(f'.arrow[data-move="{name}"]')
        opened.expect_board(after(problem, name))
        opened.page.click("#undo")
        opened.expect_board(problem.start)


def test_the_arrows_are_beside_the_lines_that_they_turn(open_page):
    opened = open_page(torus())
    sides = ((11, "L3", "left"), (15, "R3", "right"), (3, "U3", "top"), (23, "D3", "bottom"))
    for tile, name, side in sides:
        arrow = opened.page.locator(f'.arrow[data-move="{name}"]').bounding_box()
        box = opened.tile(tile).bounding_box()
        axis, size = ("y", "height") if side in ("left", "right") else ("x", "width")
        assert arrow[axis] + arrow[size] / 2 == pytest.approx(box[axis] + box[size] / 2, abs=1.5)
        other, length = ("x", "width") if axis == "y" else ("y", "height")
        if side in ("left", "top"):
            assert arrow[other] + arrow[length] <= box[other]
        else:
            assert arrow[other] >= box[other] + box[length]


def test_moves_without_a_place_on_the_board_are_buttons_and_the_hint_says_so(open_page):
    swaps = (Operator("S", ((0, 1), (1, 0))), Operator("V", ((1, 2), (2, 1))))
    problem = Problem(Puzzle("swaps", 1, 3, (1, 2, 3), swaps, ("_", *"123")), (2, 1, 3))
    opened = open_page(problem, context=CALM)
    assert opened.page.inner_text("#how") == "Drag a tile, or press the button of a move."
    assert opened.page.locator(".arrow").count() == 0
    opened.page.click("[data-move='S']")
    opened.expect_board(problem.goal)


def test_tiles_are_dragged_where_a_layout_has_drawn_them(open_page):
    hop = (Operator("in", ((2, 0), (0, 2)), 2), Operator("out", ((0, 2), (2, 0)), 0))
    layout = CellLayout(((0, 0), (1.5, 0), (0.75, 2)), ((0, 2), (2, 1)))
    puzzle = Puzzle("hop", 1, 3, (1, 2, 0), hop, ("_", "a", "b"), layout=layout)
    opened = open_page(Problem(puzzle, (0, 2, 1)), context=CALM)
    place = "translate(56 136)"
    assert opened.tile(1).get_attribute("transform") == place
    opened.drag(1, -0.75, -2)
    opened.expect_text("#standing", "Solved in 1 move.")
    assert opened.tile(1).get_attribute("transform") == "translate(8 8)"
    opened.tile(1).click()
    opened.expect_text("#made", "2")
    assert opened.tile(1).get_attribute("transform") == place
    assert opened.page.locator(".track").count() == 2


LETTERS = """
{"puzzle": {"name": "turns", "rows": 2, "columns": 2, "goal": ["ab", "*a"], "pieces": [0, 1, 1, 2],
            "labels": ["_", "a", "b"],
            "operators": [{"name": "T", "moves": [[0, 2], [1, 0], [3, 1], [2, 3]]},
                          {"name": "S", "moves": [[0, 1], [1, 0]]}]},
 "board": ["ba", "_a"]}
"""


@pytest.mark.parametrize(
    "context", [{}, pytest.param(CALM, marks=pytest.mark.slow)], ids=["moving", "calm"]
)
def test_pieces_that_are_alike_and_a_goal_with_an_open_cell(open_page, context):
    problem = read_problem(LETTERS)
    plan = ("T", "T", "T", "T", "S")
    opened = open_page(problem, plan, context=context)
    for key, step in (("End", 5), ("ArrowLeft", 4), ("Home", 0), ("ArrowRight", 1), ("End", 5)):
        opened.page.keyboard.press(key)
        opened.expect_board(after(problem, *plan[:step]))
    opened = open_page(problem, context=context)
    for count in range(1, len(plan) + 1):
        opened.page.click(f"[data-move={plan[count - 1]}]")
        opened.expect_board(after(problem, *plan[:count]))
        solved = problem.puzzle.is_goal(after(problem, *plan[:count]))
        opened.expect_text("#standing", f"Solved in {count} move" if solved else "")
    assert problem.puzzle.is_goal(after(problem, *plan))


def test_a_hole_is_no_cell_and_colours_stay(open_page):
    layout = CellLayout(((0, 0), (1, 0), (2, 0)), holes=(1,), colours=("#ffffff", "#c9302c"))
    swap = (Operator("S", ((0, 2), (2, 0))),)
    puzzle = Puzzle("swap", 1, 3, (1, 3, 2), swap, ("_", "a", "b", "-"), layout=layout)
    opened = open_page(Problem(puzzle, (2, 3, 1)), context=CALM)
    assert opened.page.locator(".board rect").count() == 2
    opened.page.click("[data-move=S]")
    opened.expect_text("#standing", "Solved in 1 move.")
    fill = "tile => getComputedStyle(tile.firstChild).fill"
    assert opened.tile(1).evaluate(fill) == "rgb(201, 48, 44)" != opened.tile(2).evaluate(fill)
    middle = opened.page.locator("#stage > svg").bounding_box()
    x, y = middle["x"] + middle["width"] / 2, middle["y"] + middle["height"] / 2
    opened.page.mouse.click(x, y)
    assert opened.page.inner_text("#made") == "1"


def test_a_row_turns_out_on_one_side_and_in_on_the_other(open_page):
    problem = torus()
    opened = open_page(problem)
    box, first = opened.tile(25).bounding_box(), opened.tile(21).bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    opened.page.mouse.move(x, y)
    opened.page.mouse.down()
    opened.page.mouse.move(x + box["width"] / 2, y, steps=6)
    twins = opened.page.locator(".tiles .tile:not([data-tile])")
    assert twins.count() == 1 and twins.text_content() == "25"
    # Half of it has left on the right, and half of its twin has come in on the left.
    assert opened.tile(25).bounding_box()["x"] > box["x"]
    assert first["x"] - first["width"] < twins.bounding_box()["x"] < first["x"]
    opened.page.mouse.up()
    opened.expect_board(after(problem, "R5"))
    assert twins.count() == 0
    # One drag may turn a row several times.
    opened.drag(11, 2.4, 0)
    opened.expect_board(after(problem, "R5", "R3", "R3"))
    assert opened.page.inner_text("#made") == "3"


def test_a_transported_tile_flies_above_the_others(open_page):
    problem = read_problem("ABMDE\nFGCHI\nKL+NJ\nPQRSO\nUVWXT")
    plan = read_plan("ddtdlluuu", problem.puzzle)
    opened = open_page(problem, plan, fragment="#step=2")
    # The pictures stand still until the next frame is asked for.
    opened.page.evaluate("window.requestAnimationFrame = (f) => { window.next = f; return 1; }")
    opened.page.click("#forward")
    opened.page.evaluate("{ const tick = next; tick(0); tick(225); }")
    c = opened.page.locator(".air [data-tile]")
    assert c.text_content() == "C"
    assert opened.page.locator(".shadow").count() == 1
    _, y, scale = c.evaluate(
        """g => [...g.getAttribute("transform").matchAll(/[\\d.]+/g)].map(Number)"""
    )
    # Half way from row 3 to row 1 and above it: nearer, and with its shadow on the ground.
    assert y < 8 + 64 and scale > 1.1
    opened.page.evaluate("next(1000)")
    opened.expect_board(after(problem, "d", "d", "t"))
    assert opened.page.locator(".shadow, .air > *").count() == 0


def test_a_click_transports_and_a_slide_comes_first(open_page):
    problem = read_problem("ABCDE\nFGHIJ\nKLMNO\nPQRST\nUVWX+")
    opened = open_page(problem, context=CALM)
    opened.tile(13).click()
    opened.expect_board(after(problem, "t"))
    assert opened.page.inner_text("#message") == "t: tile M jumps to row 5 column 5"
    # Beside the gap both moves do the same, and only the transport has a penalty.
    beside = Problem(problem.puzzle, (*range(1, 13), 0, 13, *range(14, 25)))
    opened = open_page(beside, context=CALM)
    opened.page.keyboard.press("ArrowLeft")
    opened.expect_board(after(beside, "l"))
    opened.tile(13).click()
    opened.expect_board(beside.start)
    assert opened.page.inner_text("#message") == "r: tile M moves right"


def test_what_users_name_is_text_and_never_markup(open_page):
    evil = "x</script><img/src=//example.org/x>"
    puzzle = Puzzle(
        name="x<b>rules</b>",
        rows=1,
        columns=3,
        goal=(1, 2, 3),
        operators=(Operator("x<i>&amp;</i>", ((0, 2), (1, 0), (2, 1))),),
        labels=("_", evil, "x'", "x&lt;"),
    )
    opened = open_page(Problem(puzzle, (2, 3, 1)), ("x<i>&amp;</i>",), title="<u>title</u>")
    assert opened.page.inner_text("h1") == "<u>title</u>"
    assert opened.page.locator("#moves button").inner_text() == "x<i>&amp;</i>"
    assert opened.tile(1).locator("text").text_content() == evil
    assert opened.page.locator("img, main b, main i, main u").count() == 0
    opened.page.keyboard.press("End")
    opened.expect_board(puzzle.goal)


def test_the_policy_lets_nothing_out(open_page, eight):
    opened = open_page(eight)
    outcome = opened.page.evaluate(
        "fetch('https://example.org/').then(() => 'answered', e => e.constructor.name)"
    )
    assert outcome == "TypeError"
    assert any("Content Security Policy" in c for c in opened.complaints), opened.complaints
    opened.complaints.clear()
    assert opened.requests == [opened.url]


def test_on_a_phone_everything_fits_and_can_be_touched(open_page, eight):
    opened = open_page(torus("R1"), ("L1",), context=PHONE)
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= 390
    for mode in ("#to-watch", "#to-play"):
        opened.page.click(mode)
        small = opened.page.eval_on_selector_all(
            "button, select, input",
            """list => list.filter(b => b.offsetParent)
                .map(b => [b.id || b.textContent, b.offsetWidth, b.offsetHeight])
                .filter(([, width, height]) => Math.min(width, height) < 44)""",
        )
        assert small == []
    opened = open_page(eight, context=PHONE)
    opened.tile(4).tap()
    opened.expect_board(after(eight, "D"))


def test_a_tall_board_fits_the_window_and_one_of_900_cells_is_replayed(open_page):
    puzzle = make("sliding", 10, 2)
    size = {"viewport": {"width": 1200, "height": 800}}
    one = open_page(Problem(puzzle, puzzle.goal), context=size)
    box = one.page.locator("#stage > svg").bounding_box()
    assert box["y"] + box["height"] <= 800 and box["width"] >= 100
    goal = Problem(make("sliding", 30, 30), make("sliding", 30, 30).goal)
    problem = Problem(goal.puzzle, after(goal, "R", "D"))
    plan = "ULDR" * 125
    opened = open_page(problem, plan)
    opened.page.keyboard.press("End")
    opened.expect_board(after(problem, *plan))
    assert opened.page.inner_text("#count") == "500 / 500"
    opened.page.keyboard.press("ArrowLeft")
    opened.expect_board(after(problem, *plan[:-1]))


def test_the_page_works_in_the_frame_of_a_notebook(browser, eight):
    page = browser.new_page(viewport={"width": 700, "height": 800})
    complaints = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda message: complaints.append(message.text))
    page.clock.install()
    page.set_content(plansolve.show(eight, EIGHT_PLAN)._repr_html_())
    frame = page.frame_locator("iframe")
    # The buttons are seen without scrolling, though they stand below the board.
    box, height = (
        frame.locator("#last").bounding_box(),
        page.locator("iframe").bounding_box()["height"],
    )
    assert box["y"] + box["height"] < height
    frame.locator("#last").click()
    # Longer than the page waits before it changes the address, which here it must not.
    page.clock.run_for(5000)
    assert frame.locator("#count").inner_text() == "5 / 5"
    assert frame.locator("#message").inner_text() == "U: tile 6 moves up. Solved."
    page.close()
    assert complaints == []
