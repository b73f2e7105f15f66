"""The web application behind a real socket: boards, searches, and their ends."""

import threading
import time
from contextlib import suppress

import psutil
from support.fixtures.processes import end_or_idle, engine_processes
from support.fixtures.web import BOARD, HARD, SECONDS, serving

from plansolve.checker import check_plan
from plansolve.errors import InternalError
from plansolve.formats import read_plan, read_problem
from plansolve.instances.predecessors import Predecessors
from plansolve.solvers.engine.solve import solve
from plansolve.solvers.protocol import Event

UNSOLVABLE = {"board": "2 1 3\n4 5 6\n7 8 ."}


def test_a_board_is_shown_and_what_is_wrong_is_an_answer(client):
    answer = client.post("/api/board", BOARD).json()
    assert answer["what"] == "sliding, 3 × 3, to blank-last"  # noqa: RUF001
    assert answer["goal"] == "blank-last"
    assert (answer["data"]["rows"], answer["data"]["columns"]) == (3, 3)
    assert answer["picture"].startswith("<svg")
    moved = client.post("/api/board", BOARD | {"moves": ["D", "L"]}).json()
    assert read_problem(moved["board"]).start == (1, 0, 2, 4, 5, 3, 7, 8, 6)
    assert client.post("/api/board", BOARD | {"moves": ["D", "D"]}).status == 400
    wrong = {"board": "4 1 2\n. 5 5\n7 8 6"}
    for path in ("board", "solve"):
        error = client.post(f"/api/{path}", wrong).json()["error"]
        message = "line 2: 5 appears twice, 3 is missing"
        assert error == {"message": message, "field": "board", "line": 2}


def test_a_scramble_is_a_board_so_many_moves_away(client):
    form = {"rows": 3, "columns": 3, "moves": 1, "puzzle": "sliding"}
    problem = read_problem(client.post("/api/scramble", form).json()["board"])
    assert problem.start in Predecessors(problem.puzzle).of(problem.goal)
    boards = {client.post("/api/scramble", form | {"moves": None}).text for _ in range(3)}
    assert len(boards) > 1, "random boards are always the same"
    error = client.post("/api/scramble", form | {"rows": 40}).json()["error"]
    assert error["field"] == "size"
    uneven = {"rows": 11, "columns": 11, "puzzle": "loopover"}
    error = client.post("/api/scramble", uneven).json()["error"]
    assert error["field"] == "size" and "cannot be drawn at random" in error["message"]


def test_a_search_tells_its_bounds_and_its_plan_can_be_watched(client):
    key = client.start(BOARD)
    answer = client.get(f"/api/solve/{key}/events")
    assert answer.headers["content-type"].startswith("text/event-stream")
    events = answer.events()
    bounds = [(e["lower"], e["upper"]) for kind, e in events if kind == "bounds"]
    assert bounds[-1] == (5, 5)
    assert [low for low, _ in bounds] == sorted(low for low, _ in bounds)
    result = events[-1][1]
    assert (result["status"], result["tone"]) == ("optimal", "proved")
    assert result["headline"] == "5 moves, proved shortest"
    problem = read_problem(BOARD["board"])
    assert check_plan(problem, read_plan(result["plan"], problem.puzzle)).solves
    page = client.get(f"/api/solve/{key}/plan")
    assert "a plan of 5 moves, proved shortest" in page.text
    assert "frame-ancestors 'self'" in page.headers["content-security-policy"]
    again = client.get(f"/api/solve/{key}/events", Last_Event_ID=str(len(events) - 2))
    assert again.events() == events[-1:]


def test_a_board_without_a_plan_says_why_and_a_solved_one_needs_no_move(client):
    key = client.start(UNSOLVABLE)
    kind, result = client.get(f"/api/solve/{key}/events").events()[-1]
    assert (kind, result["status"], result["plan"]) == ("result", "unsolvable", None)
    assert result["headline"] == "Unsolvable"
    assert result["sentence"].startswith("Parity: ")
    for path in (f"{key}/plan", "unknown/events", "unknown/plan"):
        assert client.get(f"/api/solve/{path}").status == 404
    assert client.post("/api/solve/unknown/stop", {}).status == 404
    result = client.solve({"board": "1 2 3\n4 5 6\n7 8 ."})
    assert (result["headline"], result["plan"]) == ("0 moves, proved shortest", "")


def test_the_time_limit_ends_a_search_with_its_bounds():
    with serving(solve=0.6) as client:
        result = client.solve(HARD)
    assert result["stop_reason"] == "time"
    assert 60 < result["lower"] <= 100 and result["tone"] == "open"
    assert "ime limit reached" in f"{result['headline']} {result['sentence']}"
    assert "not proved shortest" in result["headline"] or "Gave up" in result["headline"]


def test_stop_ends_the_processes_and_keeps_what_was_found():
    with serving(solves=1) as client:
        key, searching = client.start(HARD), []
        for event in client.watch(key):
            # Another such event may be on its way while the processes end.
            if event["event"] == "bounds" and event["upper"] and not searching:
                searching = engine_processes(recursive=True)
                refused = client.post("/api/solve", BOARD)
                client.post(f"/api/solve/{key}/stop", {})
            last = event
        assert searching
        assert end_or_idle(searching, SECONDS)
        assert last["event"] == "result" and last["stop_reason"] == "interrupted"
        assert last["lower"] <= 100 <= last["upper"] and len(last["plan"]) == last["upper"]
        assert (
            last["headline"]
            == f"{last['upper']} moves to blank-first, not proved shortest (cancelled)"
        )
        assert f"Every plan has {last['lower']} or more, " in last["sentence"]
        # Only one at a time: that was said, and there is room again.
        assert refused.status == 429 and "a board is being solved already" in refused.text
        assert refused.headers["retry-after"] == "5"
        assert client.solve(BOARD)["status"] == "optimal"


def test_no_search_waits_for_the_threads_of_others(monkeypatch):
    # More than the 32 threads that an event loop has at the most.
    count = 34
    together = threading.Barrier(count)

    def meet(problem, **options):
        together.wait(SECONDS)
        return solve(problem, **options)

    monkeypatch.setattr("plansolve.apps.web.solves.solve", meet)
    with serving(solves=count) as client:
        keys = [client.start({"board": "1 2 3\n4 5 6\n7 8 ."}) for _ in range(count)]
        for key in keys:
            result = client.get(f"/api/solve/{key}/events").events()[-1][1]
            assert result["headline"] == "0 moves, proved shortest"


def test_a_search_that_nobody_watches_is_stopped():
    # Long enough for a busy machine to begin to watch within it.
    idle = 1.5
    with serving(idle=idle) as client:
        never = client.start(HARD)
        left = client.start(HARD)
        events = iter(client.watch(left))
        next(events)
        # Who asks sooner watches it. The other search is watched all the time, and goes on.
        begin = time.monotonic()
        while time.monotonic() < begin + 2 * idle:
            next(events)
        assert client.get(f"/api/solve/{never}/events").events()[-1][1]["status"] != "optimal"
        # Those of the other search have ended.
        searching = engine_processes(recursive=True)
        assert searching
        events.close()
        assert end_or_idle(searching, SECONDS)
        kind, result = client.get(f"/api/solve/{left}/events").events()[-1]
        assert kind == "result" and "(cancelled)" in result["headline"]


def test_a_search_whose_processes_are_ended_says_so_and_keeps_what_it_has():
    with serving() as client:
        key = client.start(HARD)
        is_ended = False
        for event in client.watch(key):
            if event["event"] == "bounds" and event["lower"] > 1:
                is_ended = True
            if is_ended:
                for process in engine_processes(recursive=True):
                    with suppress(psutil.NoSuchProcess):
                        process.terminate()
            last = event
    assert last["event"] == "result" and last["stop_reason"] == "crash"
    assert last["status"] in ("unknown", "feasible") and last["tone"] == "open"
    assert "ended unexpectedly" in last["headline"]
    assert last["sentence"].startswith(f"Every plan has {last['lower']} ")


def test_a_search_that_fails_says_so_and_keeps_its_bound(monkeypatch):
    def fail(problem, *, progress, **options):
        progress(Event("bound", "idastar", 41, None))
        raise InternalError("the plan is wrong")

    monkeypatch.setattr("plansolve.apps.web.solves.solve", fail)
    with serving() as client:
        last = client.solve(HARD)
    assert last["headline"] == "The search failed"
    assert last["sentence"] == "The plan is wrong. Every plan has 41 moves or more."


def test_a_board_that_takes_too_long_to_make_is_told():
    with serving(scramble=0.5) as client:
        form = {"rows": 30, "columns": 30, "puzzle": "loopover", "moves": 100_000}
        error = client.post("/api/scramble", form).json()["error"]
    assert error["message"] == "that board takes too long to make: give a small number of moves"


def test_the_end_of_the_server_ends_the_searches_and_their_streams():
    with serving() as client:
        events = iter(client.watch(client.start(HARD)))
        next(events)
        client.server.should_exit = True
        *_, last = events
        assert last["event"] == "result"
