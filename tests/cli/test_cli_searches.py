"""Options of `plansolve solve` that concern the searches: --all, --bound, --count, --engine ..."""

import json
import re

import pytest

TECHNIQUES = {"astar": r"A\* search", "idastar": r"IDA\* search"}
TWO_PLANS = "1 2 3\n4 0 8\n7 6 5\n"


def test_every_shortest_plan_a_line(plansolve):
    done = plansolve("-", "--all", stdin=TWO_PLANS)
    assert done.code == 0
    assert len(set(done.out.split())) == 2
    assert re.search(r"^6 moves, proved shortest \([^()]*\), 2 such plans: ", done.err, re.M)


@pytest.mark.parametrize(
    ("arguments", "out"),
    [
        (("-", "--count"), "2\n"),
        (("--count", "-"), "2\n"),
        (("-", "--count", "1"), "1\n"),
        (("-", "--count=7", "--optimal"), "2\n"),
    ],
)
def test_the_number_of_shortest_plans(plansolve, arguments, out):
    done = plansolve(*arguments, stdin=TWO_PLANS)
    assert (done.code, done.out) == (0, out), done.err


def test_the_only_plan_is_called_so(plansolve, seeds):
    done = plansolve(seeds / "simple.puz", "--count")
    assert (done.code, done.out) == (0, "1\n")
    assert done.err.startswith(
        "24 moves, proved shortest (breadth-first search), the only such plan: "
    )


def test_plans_as_json(plansolve):
    done = plansolve("-", "--all", "--json", "--moves", "blank", "-q", stdin=TWO_PLANS)
    result = json.loads(done.out)
    assert (result["plan_count"], result["is_every_plan"]) == (2, True)
    assert result["plan"] in result["plans"]
    # Named after the blank, which starts in the middle and ends in the corner.
    assert all(plan.count("D") - plan.count("U") == 1 for plan in result["plans"])


def test_listing_and_counting_exclude_each_other(plansolve):
    done = plansolve("-", "--all", "--count", stdin=TWO_PLANS)
    assert done.code == 2
    assert "--all prints what --count counts" in done.error_line


def test_an_engine_that_proves_nothing_is_refused_where_a_proof_is_asked_for(plansolve, seeds):
    done = plansolve(seeds / "simple.puz", "--optimal", "--engine", "beam")
    assert done.code == 2
    assert "beam proves nothing" in done.error_line


@pytest.mark.parametrize("engine", ["astar", "idastar"])
def test_search_engines_prove(plansolve, seeds, engine):
    done = plansolve(seeds / "simple.puz", "--optimal", "--engine", engine, "--threads", "1", "-v")
    assert (done.code, done.out) == (0, "RRDDLUULDDRUULDRRDLLURUL\n")
    assert re.search(
        rf"\n24 moves, proved shortest \({TECHNIQUES[engine]}\): .*; \d+\.\d s\n\Z", done.err
    )
    told = {"idastar": r"every plan has \d+ or more", "astar": "a plan of 24 moves"}[engine]
    assert re.search(rf"^{engine}: {told}, .*; \d+\.\d s$", done.err, re.M)


RANDOM_15 = "5 2 4 8\n10 0 3 14\n13 6 11 12\n1 15 9 7\n"


@pytest.mark.parametrize("engine", ["astar", "idastar"])
@pytest.mark.parametrize("bound", ["walking-distance", "linear-conflict", "tile-distances"])
def test_a_bound_is_chosen_by_name(plansolve, engine, bound):
    done = plansolve("-", "--optimal", "--engine", engine, "--bound", bound, stdin=RANDOM_15)
    assert (done.code, len(done.out.strip())) == (0, 38), done.err
    assert re.search(
        rf"38 moves, proved shortest \({TECHNIQUES[engine]}\): first bound 24 ", done.err
    )


def test_a_bound_is_refused_by_other_engines(plansolve):
    done = plansolve("-", "--optimal", "--bound", "walking-distance", stdin=RANDOM_15)
    assert (done.code, done.out) == (2, "")
    assert "engine auto takes no bound for its nodes here: choose astar or idastar" in done.err


def test_the_choice_is_told_in_json(plansolve, seeds):
    done = plansolve(seeds / "simple.puz", "--optimal", "--json", "-q")
    choice = json.loads(done.out)["statistics"]["choice"]
    assert choice["tracks"] == [["breadth-first"]]
    assert "9 cells" in choice["reason"]


def test_a_plan_without_a_proof_says_what_is_proved(plansolve):
    rows = ["12 7 3 15", "1 10 14 9", "8 2 13 5", "6 11 4 0"]
    done = plansolve("-", "--engine", "constructive", stdin="\n".join(rows) + "\n")
    assert done.code == 0
    assert re.match(
        r"\d+ moves, not proved shortest: every plan has \d+ or more, so this one is at most "
        r"[1-9](\.\d+)? times the shortest, first bound .*; "
        "plan by constructive search; ",
        done.err,
    )


def test_engines_are_listed(plansolve):
    document = json.loads(plansolve("engines", "--json").out)
    proving = {engine["name"] for engine in document["engines"] if engine["proves"]}
    assert proving == {"cnf", "cp-sat", "breadth-first", "astar", "idastar"}
    assert {"beam", "constructive"} < {engine["name"] for engine in document["engines"]}
    bounds = {bound["name"]: bound for bound in document["bounds"]}
    assert bounds["walking-distance"] == {
        "name": "walking-distance",
        "needs": "sliding tiles on a full grid",
        "admissible": True,
        "consistent": True,
    }
    assert "  walking-distance " in plansolve("engines").out
