"""The examples of docs/reference/formats.md are read as the page says."""

import re
from pathlib import Path

import pytest

from plansolve.formats import FORMATS, detect, read_problem

PAGE = (Path(__file__).parents[3] / "docs" / "reference" / "formats.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```\w*\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
ROWS = re.findall(r"^\| `(\w+)` \|[^|]*\| (.*?) \| (\w+)[^|]*\|$", PAGE, re.MULTILINE)
EXAMPLES = [
    (name, example.replace(" / ", "\n"), puzzle)
    for name, examples, puzzle in ROWS
    for example in re.findall(r"`(.*?)`", examples)
    if name in FORMATS and "..." not in example
]


def test_the_table_lists_the_formats_in_the_order_of_detection():
    assert [name for name, _, _ in ROWS if name in FORMATS] == list(FORMATS)


@pytest.mark.parametrize(("name", "example", "puzzle"), EXAMPLES)
def test_examples_of_the_table(name, example, puzzle):
    assert detect(example).name == name
    expected = "sliding" if puzzle in ("by", "as") else puzzle
    assert read_problem(example).puzzle.name == expected


def test_examples_in_blocks():
    problems = [read_problem(block) for block in BLOCKS]
    assert [(problem.puzzle.name, problem.start) for problem in problems] == [
        ("torus-ring:rings=none", (2, 1, 3, 4, 5, 6)),
        ("hop", (0, 2, 1)),
        ("Swap", (3, 1, 2)),
    ]
