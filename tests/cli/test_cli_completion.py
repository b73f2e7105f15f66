"""What a shell offers after Tab: commands, options, names, and files where they are expected."""

import shutil
import subprocess
from pathlib import Path

import pytest
from support.fixtures.processes import command

from plansolve.formats import FORMATS
from plansolve.puzzles.registry import FAMILIES
from plansolve.solvers.engine.registry import ENGINES

FILE = ("file", "")


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("sol", [("file", "sol"), "solve"]),
        ("solve ", [FILE]),
        ("check ", [FILE]),
        ("verify board.puz ", [FILE]),
        ("board.puz --engine ", ["auto", *ENGINES]),
        ("board.puz --engine ida", ["idastar"]),
        ("board.puz --opt", ["--optimal"]),
        ("solve --puzzle ", [*FAMILIES]),
        ("convert b --format ", [*FORMATS]),
        ("tables build --puzzle slid", ["sliding", "sliding-gaps"]),
        ("solve --goal sn", ["snail"]),
        ("solve --moves t", ["tile"]),
        ("solve --bound walk", ["walking-distance"]),
    ],
)
def test_what_is_offered(plansolve, line, offered):
    words = f"plansolve {line}"
    env = {
        "_PLANSOLVE_COMPLETE": "bash_complete",
        "COMP_WORDS": words,
        "COMP_CWORD": str(words.count(" ")),
    }
    done = plansolve(env=env)
    assert (done.code, done.err) == (0, "")
    items = [tuple(item.split(",", 1)) for item in done.out.splitlines()]
    assert items == [item if isinstance(item, tuple) else ("plain", item) for item in offered]


SCRIPT = """
PATH="$1:$PATH"
eval "$(_PLANSOLVE_COMPLETE=bash_source plansolve)"
COMP_WORDS=(plansolve board.puz --engine bea) COMP_CWORD=3
_plansolve_completion plansolve bea --engine 2>/dev/null
echo "${COMPREPLY[@]}"
"""


@pytest.mark.skipif(not shutil.which("bash"), reason="needs bash")
@pytest.mark.skipif(len(command()) > 1, reason="needs the installed command")
def test_bash_itself_completes_an_engine():
    folder = str(Path(*command()).parent)
    done = subprocess.run(
        ["bash", "-c", SCRIPT, "bash", folder], capture_output=True, text=True, timeout=120
    )
    assert done.stdout == "beam\n", done.stderr
