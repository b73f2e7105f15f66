"""`plansolve tables`: what is built, kept, verified and cleared."""

import json
import re

import numpy as np
import pytest
from support.fixtures.own_cache import own_cache

from plansolve.storage.store import Store

BOARD = "1 2 3\n4 5 6\n7 8 0\n"


@pytest.fixture
def tables(plansolve, tmp_path):
    """Runs a subcommand in this process, with a cache folder of the test's own."""
    cache = own_cache(tmp_path / "cache")

    def run(*arguments, env=None, **options):
        return plansolve("tables", *arguments, env={**cache, **(env or {})}, **options)

    return run


@pytest.fixture
def built(tables, tmp_path):
    """One small table, and its file."""
    assert tables("build", "--size", "3x3", "--pattern-size", "2").code == 0
    (path,) = (tmp_path / "cache" / "tables").glob("*.table")
    return path


def damage(path):
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)


def test_without_a_word_more_the_help(tables):
    assert tables().out == tables("--help").out


def test_without_tables(tables, tmp_path):
    done = tables("list")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("0 tables, 0.0 MB in ") and str(tmp_path) in done.out
    for command in ("verify", "clear"):
        assert tables(command).code == 0


def test_build_list_verify_clear(tables, built):
    assert re.fullmatch(r"additive-3x3-sliding-2-2-2-2-[0-9a-f]{16}", built.stem)
    listed = tables("list")
    assert built.stem in listed.out and "3x3 sliding, 2-2-2-2" in listed.out
    assert listed.out.splitlines()[-1].startswith("1 table, 0.0 MB in ")
    verified = tables("verify")
    assert (verified.code, verified.out) == (0, f"{built.stem}: ok\n")
    cleared = tables("clear", built.stem)
    assert cleared.out.startswith("1 table deleted")
    assert list(built.parent.iterdir()) == []


def test_building_says_what_it_does_unless_told_not_to(tables):
    first = tables("build", "--size", "2x3", "--goal", "snail")
    assert first.out == "" and "building the table 2x3 sliding" in first.err
    # The second time there is nothing to do.
    assert tables("build", "--size", "2x3", "--goal", "snail").err == ""
    quiet = tables("build", "-q", "--size", "2x3", "--goal", "blank-first")
    assert (quiet.code, quiet.out, quiet.err) == (0, "", "")


def test_build_for_a_board(tables):
    done = tables("build", "-", "--pattern-size", "2", "--puzzle", "lloyd", stdin=BOARD)
    assert done.code == 0
    assert "3x3 lloyd, 2-2-2-2" in tables("list").out


def test_a_damaged_table_is_told_and_built_again(tables, built):
    damage(built)
    done = tables("verify", built.stem)
    assert done.code == 1
    assert done.out.startswith(f"{built.stem}: ") and "checksum" in done.out
    assert tables("build", "--size", "3x3", "--pattern-size", "2").code == 0
    assert tables("verify").code == 0


def test_a_foreign_file_is_told_and_can_be_cleared(tables, built):
    foreign = built.parent / "x\n\x1b[31m.table"
    foreign.write_text("nothing")
    done = tables("verify")
    assert done.code == 1
    assert sorted(line.rpartition(": ")[2] for line in done.out.splitlines()) == [
        "not a table of plansolve",
        "ok",
    ]
    assert "\x1b" not in done.out + tables("list").out
    assert tables("clear").out.startswith("2 tables deleted")
    assert not foreign.exists()


def test_a_cache_folder_that_cannot_be(plansolve, tables, tmp_path):
    in_the_way = tmp_path / "file"
    in_the_way.write_text("")
    env = {"PLANSOLVE_CACHE_DIR": str(in_the_way)}
    warmed = plansolve("tables", "warm", env=env)
    assert warmed.code == 2 and "nothing would be kept" in warmed.error_line
    done = tables("build", "--size", "2x3", env=env)
    assert done.code == 2 and "tables would be lost: set PLANSOLVE_CACHE_DIR" in done.err
    assert tables("list", env=env).out.startswith("0 tables")


def inflate_largest_entry(path):
    """Raise one entry, with the checksum that belongs to it."""
    store = Store(path.parent)
    key, content = store.read(path.stem)
    entries = np.array(content)
    entries[np.where(entries < 200, entries, 0).argmax()] += 1
    store.write(key, entries)


def test_an_answer_names_its_tables_and_one_wrong_entry_among_millions_is_found(
    plansolve, tables, tmp_path
):
    board, cache = tmp_path / "board.puz", tmp_path / "cache"
    board.write_text("11 5 9 4\n1 10 7 2\n8 3 6 .\n")
    env = {"PLANSOLVE_CACHE_DIR": str(cache)}
    done = plansolve(board, "--optimal", "--engine", "idastar", "--json", "-v", env=env)
    (table,) = json.loads(done.out)["rests_on"]
    (path,) = (cache / "tables").glob("*.table")
    assert table == {"kind": "table", "name": path.stem, "title": "3x4 sliding, 6-5"}
    assert "(IDA* search, cached table 6-5)" in done.err
    assert tables("verify").code == 0
    inflate_largest_entry(path)
    verified = tables("verify")
    assert verified.code == 1
    assert re.fullmatch(
        r"\S+: table 1: 1 of its 2985984 entries is wrong: entry \d+ is \d+, not \d+\n",
        verified.out,
    )


@pytest.mark.slow
def test_after_a_warm_up_nothing_is_built(plansolve, tmp_path):
    cache = own_cache(tmp_path / "cache")
    done = plansolve("tables", "warm", "--size", "2x5", env=cache)
    assert (done.code, done.err) == (0, "")
    assert [line.split(" ... ")[0] for line in done.out.splitlines()[:-1]] == ["sliding 2x5"]
    assert done.out.splitlines()[-1].endswith(f"kept in {tmp_path / 'cache'}")
    before = sorted((tmp_path / "cache").rglob("*.table"))
    assert before
    for engine in ("idastar", "beam"):
        options = ("--engine", engine, "--time-limit", "60")
        solved = plansolve("-", *options, stdin="0 9 8 7 6\n5 4 3 2 1\n", env=cache)
        assert solved.code == 0
        assert "building" not in solved.err and "compiling" not in solved.err
    assert sorted((tmp_path / "cache").rglob("*.table")) == before


def test_a_board_tells_its_puzzle(plansolve, tmp_path):
    cache, board = own_cache(tmp_path / "cache"), "ABC\nD+E\nFGH\n"
    done = plansolve("tables", "warm", "-", "--puzzle", "lloyd", stdin=board, env=cache)
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("lloyd 3x3 ... ")
    assert plansolve("tables", "warm", "-", "-q", stdin=board, env=cache).out == ""
