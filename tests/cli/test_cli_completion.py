"""What a shell offers after Tab: commands, options, names, and files where they are expected."""

import shutil
import subprocess
from pathlib import Path

import pytest
from support.fixtures.processes import command

from plansolve.cli.completion import NAMES
from plansolve.puzzles.registry import FAMILIES
from plansolve.solvers.engine.registry import ENGINES


@pytest.fixture
def offered(plansolve):
    """What is offered for a line whose last word is begun, as (kind, text)."""

    def ask(line):
        words = line.split()
        count = len(words) if line.endswith(" ") else len(words) - 1
        done = plansolve(
            env={
                "_PLANSOLVE_COMPLETE": "bash_complete",
                "COMP_WORDS": line,
                "COMP_CWORD": str(count),
            }
        )
        assert (done.code, done.err) == (0, "")
        return [tuple(item.split(",", 1)) for item in done.out.splitlines()]

    return ask


def plain(items):
    return [text for kind, text in items if kind == "plain"]


def test_a_bare_command_takes_a_command_or_a_file(offered):
    items = offered("plansolve ")
    assert ("file", "") in items
    assert {"solve", "verify", "web"} <= set(plain(items))
    assert plain(offered("plansolve sol")) == ["solve"]
    assert offered("plansolve solve ") == [("file", "")]
    assert offered("plansolve check ") == [("dir", "")]


def test_names_are_completed(offered):
    assert plain(offered("plansolve board.puz --engine ")) == ["auto", *ENGINES]
    assert plain(offered("plansolve board.puz --engine ida")) == ["idastar"]
    assert plain(offered("plansolve solve --puzzle ")) == [*FAMILIES]
    assert plain(offered("plansolve solve b --lemmas pair-mutex,tile")) == ["pair-mutex,tile-blank"]
    assert offered("plansolve solve --goal sn") == [("file", "sn"), ("plain", "snail")]
    assert plain(offered("plansolve tables build --puzzle slid")) == ["sliding", "sliding-gaps"]
    assert plain(offered("plansolve board.puz --opt")) == ["--optimal"]


@pytest.mark.parametrize("name", NAMES)
def test_every_list_of_names_is_there(name):
    names = list(NAMES[name]())
    assert names and all(isinstance(one, str) for one in names)


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
