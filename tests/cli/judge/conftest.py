"""Programs and boards to judge, and the command that does it."""

import shlex
import sys

import pytest
from support.fixtures.judged import BOARDS, PROGRAMS, SEARCH
from support.fixtures.own_cache import own_cache


@pytest.fixture(scope="session")
def programs(tmp_path_factory):
    """The command of each program."""
    folder = tmp_path_factory.mktemp("programs")
    for name, body in PROGRAMS.items():
        (folder / f"{name}.py").write_text(f"{SEARCH}\n{body}\n")
    reads_input = {"blank"}
    return {
        name: f"{name}={shlex.join([sys.executable, str(folder / f'{name}.py')])}"
        f"{'' if name in reads_input else ' {board}'}"
        for name in PROGRAMS
    }


@pytest.fixture(scope="session")
def boards(tmp_path_factory):
    folder = tmp_path_factory.mktemp("boards")
    for name, (text, _) in BOARDS.items():
        (folder / f"{name}.puz").write_text(text)
    return folder


@pytest.fixture
def judge(plansolve, tmp_path):
    """Runs the command in this process with a cache folder of the test's own.

    Compiled code comes from ours.
    """
    cache = own_cache(tmp_path / "cache")

    def run(*arguments, env=None, **options):
        return plansolve("judge", *arguments, env={**cache, **(env or {})}, **options)

    return run
