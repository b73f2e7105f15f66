"""Make the screenshots of the documentation anew: python docs/screenshots.py

Needs the extra `dev` and a Chromium on the PATH. Writes docs/_static/screens/*.png, light and dark,
with few colours each so that they stay small.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import Page, sync_playwright

SCREENS = Path(__file__).parent / "_static" / "screens"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
DESKTOP, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
COLOURS = 64
MILLISECONDS = 60_000

BOARD = "6 5 2 3\n. 7 11 4\n9 1 10 8\n15 14 13 12\n"
PLAN = "UULLDDRURULDRDDLURDLLLUURURDLLU"
LESSON = Path(__file__).parent / "tutorial" / "judging.md"
PROGRAM = re.compile(r":caption: (\w+\.py)\n\n(.*?)^```$", re.M | re.S)


def plansolve(*arguments: str, folder: Path) -> None:
    """Run the command in a folder; its exit code is the caller's to expect."""
    subprocess.run(
        [sys.executable, "-m", "plansolve", *arguments],
        cwd=folder,
        # Optima that earlier runs have proved are called so.
        env={**os.environ, "PLANSOLVE_CACHE_DIR": str(folder / "cache")},
        check=False,
        capture_output=True,
    )


@contextmanager
def web() -> Iterator[str]:
    """Return the address of the web page, while it is served."""
    server = subprocess.Popen(
        [sys.executable, "-m", "plansolve", "web", "--port", "0", "--no-browser"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert server.stdout is not None
        yield server.stdout.readline().strip()
    finally:
        server.terminate()
        server.wait()


def solve_on_the_page(page: Page) -> None:
    """Type a board, solve it, and wait for the plan."""
    page.fill("#board", BOARD)
    page.click("#solve")
    page.locator("#headline", has_text="31 moves").wait_for()
    page.wait_for_selector("#result", state="visible")
    page.wait_for_timeout(500)
    page.evaluate("window.scrollTo(0, 0)")


def step_into_the_plan(page: Page) -> None:
    """Show the board after some moves."""
    for _ in range(12):
        page.keyboard.press("ArrowRight")


def keep(name: str, picture: bytes) -> None:
    """Write a screenshot with few colours."""
    image = Image.open(BytesIO(picture)).convert("RGB")
    few = image.quantize(COLOURS, dither=Image.Dither.NONE)
    few.save(SCREENS / f"{name}.png", optimize=True)


def main() -> None:
    """Take all screenshots."""
    SCREENS.mkdir(parents=True, exist_ok=True)
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        sys.exit(f"no browser: none of {', '.join(BROWSERS)} is on the PATH")
    with tempfile.TemporaryDirectory() as name, web() as address, sync_playwright() as playwright:
        folder = Path(name)
        (folder / "fifteen.puz").write_text(BOARD)
        plansolve(
            *("replay", "fifteen.puz", "--plan", PLAN, "--optimal-length", "31"),
            *("--html", "replay.html"),
            folder=folder,
        )
        for name_of_program, text in PROGRAM.findall(LESSON.read_text(encoding="utf-8")):
            (folder / name_of_program).write_text(text)
        boards = ("--size", "3x3", "--scramble", "20", "--count", "4", "--seed", "2024")
        plansolve("generate", *boards, "-o", "class", folder=folder)
        plansolve(
            *("judge", "ada=python3 ada.py {board}", "class"),
            *("--against", "bob=python3 bob.py {board}", "--html", "report.html"),
            folder=folder,
        )
        shots: list[tuple[str, str, Callable[[Page], object]]] = [
            ("replay", (folder / "replay.html").as_uri(), step_into_the_plan),
            ("judge", (folder / "report.html").as_uri(), lambda page: None),
            ("web", address, solve_on_the_page),
        ]
        chromium = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        for scheme in ("light", "dark"):
            for kind, size in (("", DESKTOP), ("-phone", PHONE)):
                for shot, url, act in shots:
                    options: dict[str, Any] = {"viewport": size, "color_scheme": scheme}
                    page = chromium.new_context(**options, reduced_motion="reduce").new_page()
                    page.set_default_timeout(MILLISECONDS)
                    page.goto(url)
                    act(page)
                    keep(f"{shot}{kind}-{scheme}", page.screenshot())
                    page.context.close()
        chromium.close()


if __name__ == "__main__":
    main()
