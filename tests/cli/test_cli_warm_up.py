"""`plansolve warm-up`: what first searches would wait for is made beforehand."""

import pytest
from support.fixtures.own_cache import own_cache

BOARD = "0 9 8 7 6\n5 4 3 2 1\n"


@pytest.fixture
def cache(tmp_path):
    return own_cache(tmp_path / "cache")


@pytest.mark.slow
def test_afterwards_nothing_is_built(plansolve, cache, tmp_path):
    done = plansolve("warm-up", "--size", "2x5", env=cache)
    assert (done.code, done.err) == (0, "")
    made = [line.split(" ... ")[0] for line in done.out.splitlines()[:-1]]
    assert made == ["sliding 2x5"]
    assert done.out.splitlines()[-1].endswith(f"kept in {tmp_path / 'cache'}")
    before = sorted(path for path in (tmp_path / "cache").rglob("*.table"))
    assert before
    for engine in ("idastar", "beam"):
        options = ("--engine", engine, "--time-limit", "60")
        solved = plansolve("-", *options, stdin=BOARD, env=cache)
        assert solved.code == 0
        assert "building" not in solved.err and "compiling" not in solved.err
    assert sorted((tmp_path / "cache").rglob("*.table")) == before


def test_a_board_tells_its_puzzle(plansolve, cache):
    done = plansolve("warm-up", "-", "--puzzle", "lloyd", stdin="ABC\nD+E\nFGH\n", env=cache)
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("lloyd 3x3 ... ")
    assert plansolve("warm-up", "-", "-q", stdin="ABC\nD+E\nFGH\n", env=cache).out == ""


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (("--size", "2x2x2"), "2x2x2"),
        (("--puzzle", "none"), "unknown puzzle"),
        (("-", "--size", "2x2"), "FILE has its own size: leave --size out"),
    ],
)
def test_what_cannot_be_done_is_one_line(plansolve, cache, arguments, hint):
    done = plansolve("warm-up", *arguments, stdin="1 2\n3 0\n", env=cache)
    assert done.code == 2
    assert hint in done.error_line


def test_a_cache_folder_that_cannot_be(plansolve, tmp_path):
    (tmp_path / "file").write_text("")
    done = plansolve("warm-up", env={"PLANSOLVE_CACHE_DIR": str(tmp_path / "file")})
    assert done.code == 2
    assert "nothing would be kept" in done.error_line
