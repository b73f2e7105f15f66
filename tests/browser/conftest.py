"""A real headless Chromium; where there is none, these tests say so and are skipped."""

import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from support.fixtures.browser import Watched

from plansolve.model.problem import Problem
from plansolve.replay.page import html_page

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)


@pytest.fixture(scope="session")
def browser():
    sync_api = pytest.importorskip(
        "playwright.sync_api", reason="Playwright for Python is not installed"
    )
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        pytest.skip(f"no browser: none of {', '.join(BROWSERS)} is on the PATH")
    with sync_api.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=found, args=list(ARGUMENTS))
        yield chromium
        chromium.close()


@dataclass(kw_only=True)
class Opened(Watched):
    """The page of a problem, in a file."""

    problem: Problem
    url: str

    def board(self) -> tuple[int, ...]:
        """The board as it is drawn: which tile lies exactly on which cell."""
        drawn = self.page.eval_on_selector_all(
            "#stage .tile[data-tile]",
            "tiles => tiles.map(t => [t.dataset.tile, t.getAttribute('transform')])",
        )
        puzzle = self.problem.puzzle
        cells = [0] * puzzle.cells
        for tile, transform in drawn:
            x, y = map(float, re.fullmatch(r"translate\(([\d.]+) ([\d.]+)\)", transform).groups())
            cells[round((y - 8) / 64) * puzzle.columns + round((x - 8) / 64)] = int(tile)
            assert (x - 8) % 64 == 0 and (y - 8) % 64 == 0, "a tile lies between cells"
        return tuple(cells)

    def expect_board(self, state: tuple[int, ...]) -> None:
        """Waits until the drawn board is `state`; fails where it does not become it."""
        places = [[tile, cell] for cell, tile in enumerate(state) if tile]
        self.page.wait_for_function(
            """([places, columns]) => places.every(([tile, cell]) =>
                [...document.querySelectorAll(`[data-tile="${tile}"]`)].some(
                    (one) => one.getAttribute("transform") === `translate(${
                        8 + cell % columns * 64} ${8 + Math.floor(cell / columns) * 64})`))""",
            arg=[places, self.problem.puzzle.columns],
        )
        assert self.board() == state

    def tile(self, tile: int) -> Any:
        return self.page.locator(f'[data-tile="{tile}"]')

    def drag(self, tile: int, right: float, down: float) -> None:
        """Drags a tile so many of its own sides."""
        box = self.tile(tile).bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        self.page.mouse.move(x, y)
        self.page.mouse.down()
        self.page.mouse.move(x + right * box["width"], y + down * box["height"], steps=8)
        self.page.mouse.up()


Open = Callable[..., Opened]


@pytest.fixture
def open_page(browser, tmp_path: Path):
    """Opens the page of a problem from a file; in the end no page may have complained."""
    opened: list[Opened] = []

    def run(problem, plan=None, *, fragment="", context=None, **options):
        path = tmp_path / f"page-{len(opened)}.html"
        path.write_text(html_page(problem, plan, **options), encoding="utf-8")
        page = browser.new_context(**(context or {})).new_page()
        # On a busy machine a page may take long; no test waits for it to be quick.
        page.set_default_timeout(60_000)
        one = Opened(page, problem=problem, url=path.as_uri())
        page.goto(one.url + fragment)
        opened.append(one)
        return one

    yield run
    for one in opened:
        asked = [url.partition("#")[0] for url in one.requests]
        one.page.context.close()
        assert one.complaints == []
        assert set(asked) <= {one.url}, "the page asked for something else"
