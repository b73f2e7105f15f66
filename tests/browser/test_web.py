"""The web application in a real browser: from a typed board to the plan that plays."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import psutil
import pytest
from support.fixtures.browser import Watched

from plansolve.checker import check_plan
from plansolve.formats import read_plan, read_problem

pytest.importorskip("uvicorn", reason="the extra plansolve[web] is not installed")

SECONDS = 30.0
EIGHT = "4 1 2\n. 5 3\n7 8 6"
UNSOLVABLE = "2 1 3\n4 5 6\n7 8 ."
# A is in the centre; it flies to its corner, and four letters slide home.
LLOYD = "+BCDE\nFGHIJ\nKLAMN\nPQRSO\nUVWXT"
# The 24-puzzle no. 5 of Korf (1996): its shortest plan has 100 moves.
HARD = "17 1 20 9 16\n2 22 19 14 5\n15 21 0 3 24\n23 18 13 12 7\n10 8 6 4 11"
CALM = {"reduced_motion": "reduce"}
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True}


@dataclass(frozen=True)
class Server:
    address: str
    pid: int

    def searches(self) -> list[psutil.Process]:
        """Those at work: one that has come to its end is kept, idle, for the next board."""
        busy = []
        for child in psutil.Process(self.pid).children(recursive=True):
            with suppress(psutil.NoSuchProcess):  # it may end meanwhile
                if child.cpu_percent(0.3) > 0:
                    busy.append(child)
        return busy


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    run = "from plansolve.cli.main import main; main()"
    options = ["web", "--port", "0", "--no-browser", "--time-limit", "60s"]
    process = subprocess.Popen(
        [sys.executable, "-c", run, *options], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    yield Server(process.stdout.readline().strip(), process.pid)
    process.terminate()
    process.communicate(timeout=SECONDS)
    assert process.returncode == 0


class Opened(Watched):
    """The page of the application."""

    def type(self, board: str) -> None:
        """Types a board and waits until the page has looked at it."""
        with self.page.expect_response("**/api/board"):
            self.page.fill("#board", board)

    def solve(self) -> str:
        """Solves what is typed; the plan's text."""
        self.page.click("#solve")
        self.page.wait_for_selector("#result:not([hidden])")
        return self.page.inner_text("#plan-text")

    def solve_again(self) -> str:
        """Solves another board than the one whose plan is there."""
        with self.page.expect_response("**/api/solve"):
            self.page.click("#solve")
        self.page.wait_for_selector("#earlier", state="hidden")
        self.page.wait_for_selector("#result:not([hidden])")
        return self.page.inner_text("#plan-text")

    @property
    def plan(self) -> Any:
        return self.page.frame_locator("#plan")

    def see_goal(self, moves: int) -> None:
        """Has the plan jump to its end, which is the goal."""
        self.plan.locator("#last").click()
        assert self.plan.locator("#count").inner_text() == f"{moves} / {moves}"
        assert "Solved." in self.plan.locator("#message").inner_text()
        assert self.plan.locator(".tile:not(.home)").count() == 0


@contextmanager
def opened_page(browser, server, **context):
    page = browser.new_context(**context).new_page()
    page.set_default_timeout(SECONDS * 1000)
    opened = Opened(page)
    with page.expect_response("**/api/board"):
        page.goto(server.address)
    yield opened
    page.context.close()
    assert opened.complaints == []
    assert all(url.startswith(server.address) for url in opened.requests), opened.requests


@pytest.fixture
def opened(browser, server):
    with opened_page(browser, server, **CALM) as one:
        yield one


def test_a_pasted_board_is_shown_solved_and_played(browser, server):
    with opened_page(browser, server) as opened:
        opened.type(EIGHT)
        opened.expect_text("#what", "sliding, 3 × 3, to blank-last")  # noqa: RUF001
        assert opened.page.text_content("#goal option") == "by default: blank-last"
        picture = opened.page.get_attribute("#preview svg", "aria-label")
        assert picture == "Board: row 1: 4 1 2; row 2: gap 5 3; row 3: 7 8 6"
        plan = opened.solve()
        assert opened.page.inner_text("#headline") == "5 moves, proved shortest"
        assert opened.page.inner_text("#upper") == opened.page.inner_text("#lower") == "5"
        assert "the bounds meet" in opened.page.text_content("#chart")
        problem = read_problem(EIGHT)
        assert len(plan) == 5 and check_plan(problem, read_plan(plan, problem.puzzle)).solves
        # Nobody has pressed play.
        opened.plan.locator("#count", has_text="5 / 5").wait_for()
        opened.plan.locator("#message", has_text="Solved.").wait_for()
        opened.plan.locator(".tile:not(.home)").wait_for(state="detached")


@pytest.mark.slow
def test_control_and_enter_solve_and_a_calm_page_waits_to_be_played(opened):
    opened.type(EIGHT)
    opened.page.press("#board", "Control+Enter")
    opened.page.wait_for_selector("#result:not([hidden])")
    opened.plan.locator("#count", has_text="0 / 5").wait_for()
    assert opened.plan.locator("#run").get_attribute("aria-label") == "Play"
    opened.see_goal(5)


def test_the_board_is_moved_by_hand_and_an_old_verdict_is_not_said_of_it(opened):
    opened.type(EIGHT)
    opened.solve()
    assert opened.page.is_hidden("#earlier")
    opened.page.click("#stage [data-tile='4']")
    opened.page.wait_for_selector("#earlier:not([hidden])")
    assert "earlier" in opened.page.get_attribute("#result", "class")
    opened.page.focus("#stage")
    opened.page.keyboard.press("ArrowLeft")
    moved = (1, 0, 2, 4, 5, 3, 7, 8, 6)
    # A click on Solve waits for the text, which follows the moves.
    assert len(opened.solve_again()) == 3
    assert read_problem(opened.page.input_value("#board")).start == moved
    assert opened.page.is_hidden("#earlier")
    opened.type("8 7 99")
    assert opened.page.is_visible("#earlier")
    assert opened.page.eval_on_selector("#stage", "s => s.inert")


def test_a_new_board_is_made_and_solved_even_by_the_hasty(opened):
    before = opened.page.input_value("#board")
    opened.page.click("text=8-puzzle")
    plan = opened.solve()
    board = opened.page.input_value("#board")
    assert board != before
    problem = read_problem(board)
    assert problem.puzzle.cells == 9
    assert check_plan(problem, read_plan(plan, problem.puzzle)).solves
    opened.see_goal(len(plan))


def test_a_scramble_takes_rules_size_goal_and_moves(opened):
    opened.page.click("#more summary")
    opened.page.select_option("#goal", "snail")
    opened.page.fill("#rows", "3")
    opened.page.fill("#columns", "3")
    opened.page.fill("#distance", "2")
    with opened.page.expect_response("**/api/scramble"):
        opened.page.click("#scramble")
    assert len(opened.solve()) == 2
    opened.see_goal(2)
    opened.page.fill("#rows", "99")
    opened.page.click("#scramble")
    opened.expect_text("#size-error", "rows must be from 1 to 30")
    assert opened.page.get_attribute("#rows", "aria-invalid") == "true"


def test_boards_of_other_puzzles(opened):
    opened.type(LLOYD)
    opened.expect_text("#what", "lloyd, 5 × 5")  # noqa: RUF001
    assert opened.solve() == "tlluu"
    assert opened.page.inner_text("#headline") == "5 moves, proved shortest, 1 t (the fewest)"
    opened.see_goal(5)
    goal = read_problem("\n".join(" ".join(str(5 * r + c) for c in range(1, 6)) for r in range(5)))
    board = check_plan(goal, ["R1", "Oc"]).board
    opened.type("\n".join(" ".join(map(str, board[i : i + 5])) for i in range(0, 25, 5)))
    opened.expect_text("#what", "torus-ring, 5 × 5")  # noqa: RUF001
    assert opened.solve_again() == "Occ L1"
    opened.plan.locator("#forward").click()
    assert "Occ" in opened.plan.locator("#message").inner_text()
    opened.see_goal(2)


def test_stop_ends_the_search_at_once_and_keeps_plan_and_bounds(opened, server):
    opened.page.click("#more summary")
    opened.page.select_option("#goal", "blank-first")
    opened.type(HARD)
    opened.page.click("#solve")
    opened.page.wait_for_function("() => Number(document.querySelector('#upper').textContent) > 0")
    searches = server.searches()
    assert searches
    assert opened.page.get_attribute("#solve", "aria-disabled") == "true"
    # A click would wait for frames, which are rare while every core searches.
    opened.page.dispatch_event("#stop", "click")
    opened.page.wait_for_selector("#result:not([hidden])")
    assert psutil.wait_procs(searches, SECONDS)[1] == []
    lower, upper = (int(opened.page.inner_text(f"#{bound}")) for bound in ("lower", "upper"))
    assert 60 < lower <= 100 <= upper
    headline = opened.page.inner_text("#headline")
    assert headline == f"{upper} moves to blank-first, not proved shortest (cancelled)"
    assert opened.page.inner_text("#sentence").startswith(f"Every plan has {lower} or more, ")
    assert opened.page.is_hidden("#stop")
    opened.see_goal(upper)


def test_an_unsolvable_board_says_why(opened):
    opened.type(UNSOLVABLE)
    opened.page.click("#solve")
    opened.expect_text("#headline", "Unsolvable")
    assert opened.page.inner_text("#sentence").startswith("Parity: ")
    assert opened.page.is_hidden("#result") and opened.page.is_hidden("#chart")


def test_what_is_wrong_is_shown_beside_the_field_with_its_place(opened):
    opened.type("4 1 2\n. 5 5\n7 8 6")
    opened.expect_text("#board-error", "line 2: 5 appears twice, 3 is missing")
    assert opened.page.get_attribute("#board", "aria-invalid") == "true"
    opened.page.click("#solve")
    opened.page.wait_for_function("() => document.activeElement.id === 'board'")
    marked = opened.page.eval_on_selector(
        "#board", "t => t.value.slice(t.selectionStart, t.selectionEnd)"
    )
    assert marked == ". 5 5"
    assert opened.page.is_hidden("#search")
    opened.page.click("#more summary")
    opened.page.select_option("#goal", "*")
    opened.type(EIGHT)
    with opened.page.expect_response("**/api/board"):
        opened.page.fill("#goal-board", "1 2 3\n4 5 6\n7 8 8")
    opened.expect_text("#goal-error", "8 appears twice")
    assert opened.page.is_hidden("#board-error")


def test_markup_in_a_board_stays_text(opened):
    label = "a</script><img/src=x/onerror=alert``>"
    rules = {
        "puzzle": {
            "name": "m<b>ine</b>",
            "rows": 1,
            "columns": 3,
            "labels": ["_", label, "2", "3"],
            "operators": [{"name": "a<i>", "moves": [[0, 2], [1, 0], [2, 1]]}],
            "goal": [[label, "2", "3"]],
        },
        "board": [["2", "3", label]],
    }
    opened.type(json.dumps(rules))
    opened.expect_text("#what", "m<b>ine</b>, 1 × 3")  # noqa: RUF001
    assert opened.page.locator("#preview [data-tile='1'] text").text_content() == label
    assert opened.solve() == "a<i>"
    opened.see_goal(1)
    assert opened.page.locator("main :is(img, b, i)").count() == 0
    assert opened.plan.locator("main :is(img, b, i)").count() == 0


@pytest.mark.parametrize("colors", ["dark", pytest.param("light", marks=pytest.mark.slow)])
def test_on_a_phone_everything_fits_and_can_be_touched(browser, server, colors):
    with opened_page(browser, server, **PHONE, **CALM, color_scheme=colors) as opened:
        opened.page.click("#more summary")
        opened.type(EIGHT)
        opened.solve()
        opened.plan.locator("#count", has_text="0 / 5").wait_for()
        assert opened.page.evaluate("document.documentElement.scrollWidth") <= 390
        small = opened.page.eval_on_selector_all(
            "button, select, input, textarea",
            """list => list.filter(b => b.offsetParent)
                .map(b => [b.id || b.textContent, b.offsetWidth, b.offsetHeight])
                .filter(([, width, height]) => Math.min(width, height) < 44)""",
        )
        assert small == []
        # The whole plan is there, without a second place to scroll.
        room = opened.page.eval_on_selector(
            "#plan", "f => f.clientHeight - f.contentDocument.querySelector('main').offsetHeight"
        )
        assert 0 <= room < 60


OUTSIDE = """async ([points, now]) => {
  const { makeChart } = await import("/assets/chart.js");
  const svg = document.querySelector("#chart");
  for (let part = svg; part; part = part.parentElement) part.hidden = false;
  const chart = makeChart(svg);
  for (const point of points) chart.add(...point);
  chart.draw(now);
  const frame = svg.getBoundingClientRect();
  const texts = [...svg.querySelectorAll("text")].map((text) => {
    const own = text.getBoundingClientRect();
    return [text.textContent, own.left - frame.left, frame.right - own.right];
  });
  return texts.filter(([, left, right]) => left < 0 || right < 0);
}"""


@pytest.mark.parametrize("width", [390, 1280])
def test_no_label_of_the_chart_is_cut_off(browser, server, width):
    courses = [
        [[0, 5, None], [1, 5, 5]],
        [[0, 140, None], [1, 160, 228], [4, 162, 162]],
        [[0, 1043, None], [1, 1043, 2155]],
        [[0, 22222, None], [1, 22222, 22222]],
    ]
    screen = {"viewport": {"width": width, "height": 844}}
    with opened_page(browser, server, **CALM, **screen) as opened:
        for points in courses:
            assert opened.page.evaluate(OUTSIDE, [points, 6.0]) == []
