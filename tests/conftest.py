"""Puts tests/ on the path, so that every test can import `support`; what many tests share.

Pytest itself adds this folder, because it holds no `__init__.py`.
"""

import gc
import os
import signal

import pytest
from support.fixtures import cases

pytest_plugins = ["pytester"]

# A background job ignores Ctrl-C, and under nohup SIGHUP. So does what it starts: tests send both.
for number, default in (
    (signal.SIGINT, signal.default_int_handler),
    (signal.SIGHUP, signal.SIG_DFL),
):
    if signal.getsignal(number) == signal.SIG_IGN:
        signal.signal(number, default)


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Has the collector pass over the half a million objects that are made here and stay."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.set_threshold(20_000, 50, 100)
        gc.enable()


def pytest_addoption(parser):
    parser.addoption(
        "--share",
        type=int,
        default=400,
        metavar="N",
        help="tests that could take every board take every N-th (400; 1: all, for hours)",
    )


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers():
    """Two more than there are cores: tests wait for processes, limits and terminals at times."""
    from plansolve.solvers.limits import cores

    return cores() + 2


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call():
    """Has `solve` use its child processes again: one whose environment differs is not fit."""
    os.environ.pop("PYTEST_CURRENT_TEST", None)
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup():
    os.environ.pop("PYTEST_CURRENT_TEST", None)
    return (yield)


@pytest.fixture(scope="session")
def kept_workers():
    """Engines' processes for tests to use one after the other, where only the answers count."""
    from support.fixtures.processes import KEPT

    with KEPT:
        yield KEPT


@pytest.fixture(scope="session")
def lloyd_table():
    """The distance of each of the 362,880 boards of Lloyd's square of side 3 to the goal."""
    return cases.distance_table("lloyd", 3, 3)


@pytest.fixture(scope="session")
def eight_table():
    """The distance of each of the 181,440 solvable 3x3 boards to the blank-last goal."""
    return cases.distance_table("sliding", 3, 3)


@pytest.fixture(scope="session")
def hard_board(tmp_path_factory):
    """A 15-puzzle board of 54 moves, of which SAT refutes 40 and 42 quickly.

    With few lemmas 48 takes minutes; with those of the tables all is done in seconds.
    """
    path = tmp_path_factory.mktemp("boards") / "hard.puz"
    path.write_text("14 3 1 5\n12 2 8 6\n11 7 0 4\n15 9 10 13\n")
    return path


@pytest.fixture(scope="session")
def hardest_board(tmp_path_factory):
    """A 15-puzzle board of 80 moves, as many as any takes: no SAT solver proves that in hours."""
    path = tmp_path_factory.mktemp("boards") / "hardest.puz"
    path.write_text("0 12 9 13\n15 11 10 14\n3 7 2 5\n4 8 6 1\n")
    return path
