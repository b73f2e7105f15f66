"""Boards as tests: `pytest --plansolve`, in projects of its own, with `pytester`."""

import re
import sys
from pathlib import Path

import psutil
import pytest
from support.fixtures.sets import write_set

from plansolve.storage.folder import cache_folder

# Pytester gives its runs another home, where all kernels would be compiled anew.
CACHE = cache_folder()

SIMPLE = "4 1 2\n. 5 3\n7 8 6\n"
# It takes 80 moves, which SAT does not prove in hours.
HARD = "0 12 9 13\n15 11 10 14\n3 7 2 5\n4 8 6 1\n"
SEEDS = Path(__file__).parents[2] / "instances" / "seeds"


@pytest.fixture(autouse=True)
def project(pytester, monkeypatch):
    """A project with warnings as errors, whose runs know nothing of this one's options."""
    for name in ("PYTEST_ADDOPTS", "PYTEST_XDIST_WORKER", "PYTEST_XDIST_WORKER_COUNT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PLANSOLVE_CACHE_DIR", str(CACHE))
    # Hypothesis takes longer to load than most of these runs take.
    pytester.makeini(
        "[pytest]\nfilterwarnings = error\naddopts = -ra --strict-config -p no:hypothesispytest\n"
    )
    return pytester.path


def entry(name, board=(4, 1, 2, 0, 5, 3, 7, 8, 6), **fields):
    return {
        "name": name,
        "rows": 3,
        "columns": 3,
        "board": list(board),
        "optimal_length": 5,
        **fields,
    }


def failure(result):
    """The text of the one failure, which holds no traceback."""
    text = result.stdout.str()
    _, _, report = text.partition("= FAILURES =")
    report, summary, _ = report.partition("= short test summary info =")
    # Processes of xdist name their interpreter, which may lie in a folder called plansolve.
    report = report.replace(sys.executable, "python")
    assert summary
    assert "Traceback" not in text and "plansolve/" not in report and ".py" not in report
    return report


def test_nothing_happens_and_nothing_is_loaded_without_the_option(pytester, project):
    (project / "simple.puz").write_text(SIMPLE)
    write_set(project / "set", entry("a"))
    pytester.makepyfile(
        """
        import sys

        def test_what_is_loaded(request):
            loaded = {name for name in sys.modules if name.partition(".")[0] == "plansolve"}
            assert loaded == {"plansolve", "plansolve.apps", "plansolve.apps.pytest_plugin"}
            heavy = {"numpy", "numba", "ortools", "pysat", "click", "rich", "psutil"}
            assert not heavy & sys.modules.keys()
            assert not request.config.pluginmanager.has_plugin("plansolve-collecting")
        """
    )
    result = pytester.runpytest_subprocess("--plansolve-optimal")
    result.assert_outcomes(passed=1)


def test_a_folder_of_boards_and_sets(pytester, project):
    (project / "simple.puz").write_text(SIMPLE)
    (project / "ring.plansolve.json").write_text('{"puzzle": "loopover", "board": [[2, 3, 1]]}')
    (project / "class.csv").write_text(f'name,board\nada,"{SIMPLE}"\nbob,1 2 3 4 5 6 7 8\n')
    (project / "nested.json").write_text("[[4, 1, 2], [0, 5, 3], [7, 8, 6]]")
    (project / "two.txt").write_text(f"{SIMPLE}\n{SIMPLE}")
    (project / "notes.txt").write_text("1 2 3\n4 5\n")
    (project / "package.json").write_text('{"schema": "plansolve.instances/1"}')
    (project / "web").mkdir()
    (project / "web" / "manifest.json").write_text('{"name": "app", "icons": []')
    write_set(project / "set", entry("a"), entry("b", range(9), optimal_length=22))
    result = pytester.runpytest_inprocess("--plansolve", "--collect-only", "-q")
    assert sorted(result.outlines[:9]) == [
        "class.csv::ada",
        "class.csv::class#2",
        "nested.json::nested",
        "ring.plansolve.json::ring.plansolve",
        "set/manifest.json::a",
        "set/manifest.json::b",
        "simple.puz::simple",
        "two.txt::two#1",
        "two.txt::two#2",
    ]
    assert "9 tests collected" in result.stdout.str()
    (project / "class.csv").unlink()
    before = set(psutil.Process().children(recursive=True))
    assert pytester.runpytest_inprocess("--plansolve").ret == 0
    assert set(psutil.Process().children(recursive=True)) <= before


@pytest.mark.slow
def test_the_optima_of_the_seeds(pytester):
    """Real files: three puzzles, four formats, a board that is proved unsolvable."""
    result = pytester.runpytest_subprocess(
        "--plansolve", str(SEEDS), "-k", "impossible or cis521 or sliders or 2023 or lloyd"
    )
    result.assert_outcomes(passed=7, deselected=4)


WRONG = (1, 2, 3, 4, 5, 6, 8, 7, 0)
"""A board that no move leads to the goal."""


def test_wrong_records(pytester, project):
    write_set(
        project / "set",
        entry("too many", optimal_length=7),
        entry("too few", optimal_length=3),
        entry("solvable", optimal_length=None, solvable=False),
        entry("unsolvable", WRONG),
    )
    result = pytester.runpytest_inprocess("--plansolve")
    result.assert_outcomes(failed=4)
    report = failure(result)
    many, few, solvable, unsolvable = re.split("_ manifest.json::.* _", report)[1:]
    assert "5 moves suffice, but the recorded optimum is 7" in many
    assert "every plan has 5 moves or more, but the recorded optimum is 3" in few
    assert "recorded as unsolvable, but 5 moves suffice" in solvable
    for told in (many, few, solvable):
        assert "board:\n    4 1 2\n    0 5 3\n    7 8 6\n" in told
        assert re.search("plan of 5 moves, found by .*: DLLUU\n", told)
        assert "proved: every plan has 5 or more (" in told
    assert "the board is unsolvable: " in unsolvable and "plan of" not in unsolvable
    assert "FAILED set/manifest.json::too many - Failed: 5 moves" in result.stdout.str()
    result = pytester.runpytest_inprocess("--plansolve", "set/manifest.json::too few")
    result.assert_outcomes(failed=1)


def test_what_is_not_decided_is_a_failure_that_tells_the_bound(pytester, project):
    # Rows that turn one way only: three tiles that have changed places stay so, which no argument
    # about parity or reach tells.
    rules = {"puzzle": "loopover:rows=LLLLLLL,columns=-------", "goal": "in-order"}
    tiles = [2, 3, 1, *range(4, 50)]
    unsolvable = {"optimal_length": None, "solvable": False}
    hard = [*map(int, HARD.split())]
    write_set(
        project / "set",
        entry("proved", WRONG, **unsolvable),
        entry("open", tiles, **rules, rows=7, columns=7, **unsolvable),
        entry("hard", hard, rows=4, columns=4, optimal_length=80),
    )
    (project / "without.puz").write_text(HARD)
    options = ("--plansolve-optimal", "--plansolve-engine", "cnf", "--plansolve-time-limit", "0.5s")
    result = pytester.runpytest_inprocess("--plansolve", *options)
    result.assert_outcomes(passed=1, failed=3)
    report = failure(result)
    for name, known in (
        ("manifest.json::open", "recorded as unsolvable"),
        ("manifest.json::hard", "the recorded optimum is 80"),
        ("without.puz::without", "no optimum is recorded"),
    ):
        assert re.search(
            f"_ {name} _+\nnot decided \\(time limit reached\\), every plan has [0-9]+ moves "
            f"or more; {known}\nthe time limit is 0.5 s\nboard:\n",
            report,
        )
    assert "    0 12  9 13\n" in report


def test_a_board_without_a_record_needs_a_plan_and_with_optimal_a_proof(pytester, project):
    (project / "hard.puz").write_text(HARD)
    pytester.runpytest_inprocess("--plansolve").assert_outcomes(passed=1)
    limit = ("--plansolve-time-limit", "2")
    result = pytester.runpytest_inprocess("--plansolve", "--plansolve-optimal", *limit)
    result.assert_outcomes(failed=1)
    assert "plan of " in failure(result)
    (project / "hard.puz").write_text(SIMPLE)
    pytester.runpytest_inprocess("--plansolve", "--plansolve-optimal").assert_outcomes(passed=1)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"schema": "plansolve.instances/1", "name": ', "not a JSON document"),
        ('{"schema": "plansolve.instances/2"}', "schema: expected 'plansolve.instances/1'"),
    ],
)
def test_a_broken_manifest_is_a_collection_error_of_one_line(pytester, project, text, said):
    (project / "manifest.json").write_text(text)
    result = pytester.runpytest_inprocess("--plansolve")
    result.assert_outcomes(errors=1)
    lines = [line for line in result.outlines if "plansolve: " in line]
    assert len(lines) == 1 and said in lines[0] and str(project / "manifest.json") in lines[0]
    assert "Traceback" not in result.stdout.str() and ".py:" not in result.stdout.str()


def test_a_broken_board_is_a_failure_of_its_own(pytester, project):
    (project / "broken.puz").write_text("1 2 3\n4 5\n")
    (project / "notes.txt").write_text("requirements\n")
    (project / "named.txt").write_text("1 2 3\n4 5\n")
    (project / "crossword.puz").write_bytes(b"\x00\x00ACROSS&DOWN\x00")
    (project / "simple.puz").write_text(SIMPLE)
    pytester.runpytest_inprocess("--plansolve", "named.txt").assert_outcomes(failed=1)
    result = pytester.runpytest_inprocess("--plansolve")
    result.assert_outcomes(passed=1, failed=2)
    report = failure(result)
    assert "\nline 2: 2 entries, the first row has 3" in report
    assert "not a text file: byte 0x00 at offset 0" in report


def test_which_files_are_collected(pytester, project):
    for name in ("a.puz", "b.puz", "simple.board"):
        (project / name).write_text(SIMPLE)
    pytester.makepyfile("def test_one():\n    assert True\n")
    write_set(project, {"name": "first", "file": "a.puz", "optimal_length": 5})

    def collected(*options):
        result = pytester.runpytest_inprocess("--plansolve", "--collect-only", "-q", *options)
        return sorted(line for line in result.outlines if "::" in line and "test_one" not in line)

    # Files of a set are not collected twice, and a pattern adds some.
    assert collected() == ["b.puz::b", "manifest.json::first"]
    assert collected("a.puz") == ["a.puz::a"]
    assert collected("--plansolve-glob", "*.board") == [
        "b.puz::b", "manifest.json::first", "simple.board::simple"
    ]  # fmt: skip
    pytester.runpytest_inprocess("--plansolve").assert_outcomes(passed=3)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--plansolve-engine", "magic"], "unknown engine 'magic': choose from auto, cnf"),
        (["--plansolve-engine", "beam"], "engine beam proves nothing"),
        (["--plansolve-time-limit", "soon"], "--plansolve-time-limit: 'soon' is not a duration"),
        (
            ["--plansolve-time-limit", "0s"],
            "--plansolve-time-limit: '0s' is not a duration above 0",
        ),
        (["--plansolve-glob", ""], "'' is not a pattern"),
    ],
)
def test_options_that_make_no_sense(pytester, options, said):
    result = pytester.runpytest_inprocess("--plansolve", *options)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert said in result.stderr.str()


def test_side_by_side_with_xdist(pytester, project):
    pytest.importorskip("xdist")
    write_set(project / "set", entry("a"), entry("b", optimal_length=7), entry("c"), entry("d"))
    result = pytester.runpytest_subprocess("--plansolve", "-n", "2")
    result.assert_outcomes(passed=3, failed=1)
    assert "5 moves suffice, but the recorded optimum is 7" in failure(result)
