"""The web application behind a real socket: who may ask for what, searches, and their ends."""

import json
import threading
import time
from collections.abc import Iterable, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.client import HTTPConnection
from typing import Any

import psutil
import pytest

pytest.importorskip("uvicorn", reason="the extra plansolve[web] is not installed")

from support.fixtures.processes import engine_processes

from plansolve.apps.web.guard import Hosts, is_loopback
from plansolve.apps.web.requests import LARGEST_BODY
from plansolve.apps.web.server import Server, listen
from plansolve.apps.web.solves import ServerLimits
from plansolve.checker import check_plan
from plansolve.errors import InternalError
from plansolve.formats import read_plan, read_problem
from plansolve.instances.predecessors import Predecessors
from plansolve.puzzles.registry import FAMILIES
from plansolve.solvers.engine.progress import Event
from plansolve.solvers.engine.solve import solve

BOARD = {"board": "4 1 2\n. 5 3\n7 8 6"}
UNSOLVABLE = {"board": "2 1 3\n4 5 6\n7 8 ."}
# The 24-puzzle no. 5 of Korf (1996): its shortest plan has 100 moves, which takes long to prove.
HARD = {
    "board": "17 1 20 9 16\n2 22 19 14 5\n15 21 0 3 24\n23 18 13 12 7\n10 8 6 4 11",
    "goal": "blank-first",
}
SECONDS = 30.0


@dataclass(frozen=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    text: str

    def json(self) -> Any:
        return json.loads(self.text)

    def events(self) -> list[tuple[str, dict[str, Any]]]:
        found = []
        for block in self.text.split("\n\n")[:-1]:
            number, kind, data = (line.partition(": ")[2] for line in block.split("\n"))
            assert int(number) >= len(found)
            found.append((kind, json.loads(data)))
        return found


class Client:
    """Requests as a browser on the page would send them, but for what a test changes."""

    def __init__(self, server: Server, port: int) -> None:
        self.server, self.port = server, port
        self.origin = f"http://127.0.0.1:{port}"

    def get(self, path: str, method: str = "GET", **headers: str | None) -> Answer:
        return self.send(method, path, None, headers)

    def post(self, path: str, form: object, **headers: str | None) -> Answer:
        return self.send("POST", path, json.dumps(form).encode(), headers)

    def send(
        self, method: str, path: str, body: bytes | Iterable[bytes] | None, headers: Mapping
    ) -> Answer:
        sent = {"Host": f"127.0.0.1:{self.port}"}
        if body is not None:
            sent |= {"Origin": self.origin, "Content-Type": "application/json"}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        connection = HTTPConnection("127.0.0.1", self.port, timeout=SECONDS)
        try:
            given = {name: value for name, value in sent.items() if value is not None}
            connection.request(method, path, body, given, encode_chunked=True)
            answer = connection.getresponse()
            names = {name.lower(): value for name, value in answer.getheaders()}
            return Answer(answer.status, names, answer.read().decode())
        finally:
            connection.close()

    def start(self, form: object) -> str:
        """Begins a search; its key."""
        answer = self.post("/api/solve", form)
        assert answer.status == 202, answer.text
        return answer.json()["solve"]

    def solve(self, form: object) -> dict[str, Any]:
        """The result of a search that is watched to its end."""
        events = self.get(f"/api/solve/{self.start(form)}/events").events()
        assert [kind for kind, _ in events].index("result") == len(events) - 1
        return events[-1][1]

    def watch(self, key: str) -> Iterable[dict[str, Any]]:
        """The events of a search as they come; closed when the test has seen enough."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=SECONDS)
        try:
            connection.request("GET", f"/api/solve/{key}/events", headers={})
            answer = connection.getresponse()
            kind = ""
            while line := answer.readline().decode():
                name, _, value = line.rstrip().partition(": ")
                if name == "event":
                    kind = value
                elif name == "data":
                    yield {"event": kind, **json.loads(value)}
        finally:
            connection.close()


@contextmanager
def serving(**limits):
    """A server in a thread; in the end it leaves no process behind."""
    listening = listen("127.0.0.1", 0)
    port = listening.getsockname()[1]
    is_ready = threading.Event()
    server = Server(Hosts.of("127.0.0.1", port), ServerLimits(**limits), is_ready.set)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    before = set(engine_processes(recursive=True))
    thread.start()
    try:
        assert is_ready.wait(SECONDS)
        yield Client(server, port)
    finally:
        server.should_exit = True
        thread.join(SECONDS)
        listening.close()
    assert not thread.is_alive()
    assert set(engine_processes(recursive=True)) <= before


@pytest.fixture(scope="module")
def client():
    with serving() as made:
        yield made


# ---- Who may ask


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "[::1]", "LocalHost"])
def test_the_names_of_this_machine_are_served(client, name):
    host = f"{name}:{client.port}"
    assert client.get("/", Host=host).status == 200
    assert client.post("/api/board", BOARD, Host=host, Origin=f"http://{host}").json()["rows"] == 3


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:PORT",
        "127.0.0.1.evil.example:PORT",
        "localhost.:PORT",
        "evil@localhost:PORT",
        "localhost",
        "localhost:PORT0",
        "localhost:PORT:PORT",
        "192.168.1.5:PORT",
        "[::2]:PORT",
        "[::1]x:PORT",
        "",
    ],
)
def test_no_other_name_is_answered(client, host):
    for path in ("/", "/assets/main.js", "/api/solve/x/events", "/nothing"):
        answer = client.get(path, Host=host.replace("PORT", str(client.port)))
        assert answer.status == 403
        assert f"http://localhost:{client.port}/" in answer.json()["message"]
        assert answer.headers["x-content-type-options"] == "nosniff"


def test_port_80_needs_no_number():
    assert Hosts(80).allow("localhost") and Hosts(80).allow("localhost:80")
    assert not Hosts(8080).allow("localhost")


def test_a_server_of_the_network_is_called_by_address_and_by_its_own_name(monkeypatch):
    monkeypatch.setattr("socket.gethostname", lambda: "Box")
    hosts = Hosts.of("0.0.0.0", 8023)
    for name in ("192.168.1.5", "[fe80::1]", "box", "localhost"):
        assert hosts.allow(f"{name}:8023"), name
        assert not hosts.allow(f"{name}:8024"), name
    for name in ("evil.example", "box.evil.example", "1.2.3.4.evil.example", ""):
        assert not hosts.allow(f"{name}:8023"), name
    assert not Hosts.of("127.0.0.1", 8023).allow("192.168.1.5:8023")


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("127.0.0.1", True),
        ("127.8.8.8", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("::", False),
        ("192.168.1.5", False),
        ("localhost.evil.example", False),
    ],
)
def test_what_is_loopback(host, expected):
    assert is_loopback(host) is expected


@pytest.mark.parametrize(
    "origin",
    [
        None,
        "null",
        "http://evil.example",
        "https://127.0.0.1:PORT",
        "http://localhost:PORT",
        "http://127.0.0.1",
        "http://127.0.0.1:PORT1",
        "http://127.0.0.1:PORT/",
    ],
)
def test_only_our_own_page_may_post(client, origin):
    origin = origin and origin.replace("PORT", str(client.port))
    for path in ("board", "scramble", "solve", "solve/x/stop"):
        answer = client.post(f"/api/{path}", BOARD, Origin=origin)
        assert answer.status == 403
        assert "only the page of this server" in answer.json()["message"]


@pytest.mark.parametrize(
    "kind", [None, "text/plain", "application/x-www-form-urlencoded", "application/jsonx"]
)
def test_only_json_is_read(client, kind):
    assert client.post("/api/board", BOARD, Content_Type=kind).status == 415


def test_a_content_type_may_name_its_letters(client):
    answer = client.post("/api/board", BOARD, Content_Type="Application/JSON; charset=utf-8")
    assert answer.json()["columns"] == 3


def test_a_request_may_be_so_large_and_no_larger(client):
    def send(body, **headers):
        return client.send("POST", "/api/board", body, headers)

    fitting = json.dumps(BOARD).encode().ljust(LARGEST_BODY)
    assert send(fitting).json()["columns"] == 3
    assert send(fitting + b" ").status == 413
    assert send(fitting[i : i + 5000] for i in range(0, LARGEST_BODY, 5000)).json()["columns"] == 3
    assert send([fitting, b" "]).status == 413


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b'{"board": "1 2 .",}',
        b"\xff\xfe",
        b"[" * 60000,
        b'{"board": ' + b"1" * 5000 + b"}",
        b'["board"]',
        b'"board"',
        b"null",
        b'{"board": 5}',
        b'{"board": ["1 2 ."]}',
        b'{"board": "1 2 .", "file": "/etc/passwd"}',
    ],
    ids=range(12),
)
def test_what_is_no_form_is_refused(client, body):
    answer = client.send("POST", "/api/board", body, {})
    assert answer.status == 400
    assert len(answer.json()["message"]) < 300


def test_all_answers_have_the_headers(client):
    answers = [
        client.get("/"),
        client.get("/assets/main.js"),
        client.get("/nothing"),
        client.get("/", Host="evil.example"),
        client.get("/api/solve/x/plan"),
        client.post("/api/board", BOARD),
        client.get("/", "PUT", Origin=client.origin),
    ]
    for answer in answers:
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["cross-origin-resource-policy"] == "same-origin"
        assert answer.headers["cache-control"] == "no-store"
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy and "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert not {"set-cookie", "access-control-allow-origin", "server"} & set(answer.headers)


@pytest.mark.parametrize(
    "path",
    [
        "/assets/../app.py",
        "/assets/%2e%2e%2fapp.py",
        "/assets/..%2f..%2f..%2fetc%2fpasswd",
        "/assets//etc/passwd",
        "/assets/%00",
        "/assets/",
        "/static/main.js",
        "/api/solve/..%2fx/plan",
        "/docs",
    ],
)
def test_a_request_names_no_file(client, path):
    assert client.get(path).status == 404


def test_what_acts_is_not_got_and_pages_are_not_posted(client):
    for path in ("board", "scramble", "solve", "solve/x/stop"):
        assert client.get(f"/api/{path}").status == 405
    assert client.post("/", BOARD).status == 405


def test_the_page_offers_each_preset_of_each_family(client):
    page = client.get("/").text
    for family in FAMILIES.values():
        for preset in family.presets:
            size = f'data-rows="{preset.rows}" data-columns="{preset.columns}"'
            moves = "" if preset.moves is None else f' data-moves="{preset.moves}"'
            assert f'data-puzzle="{family.name}" {size}{moves}>{preset.title}</button>' in page


def test_the_page_names_what_there_is_to_choose(client):
    page = client.get("/").text
    for name in ("torus-ring", "lloyd", "loopover", "snail", "korf", "json"):
        assert f'<option value="{name}">' in page
    assert "style=" not in page and "<script>" not in page and "$" not in page


# ---- Boards and searches


def test_a_board_is_shown_and_what_is_wrong_is_an_answer(client):
    answer = client.post("/api/board", BOARD).json()
    assert (answer["puzzle"], answer["rows"], answer["columns"]) == ("sliding", 3, 3)
    assert answer["picture"].startswith("<svg") and answer["is_solved"] is False
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


def test_what_cannot_be_drawn_is_told(client):
    form = {"rows": 11, "columns": 11, "puzzle": "loopover"}
    error = client.post("/api/scramble", form).json()["error"]
    assert error["field"] == "size" and "cannot be drawn evenly" in error["message"]


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
    assert result["headline"] == "5 moves, the fewest possible"
    problem = read_problem(BOARD["board"])
    assert check_plan(problem, read_plan(result["plan"], problem.puzzle)).solves
    page = client.get(f"/api/solve/{key}/plan")
    assert "a plan of 5 moves, the fewest possible" in page.text
    assert "frame-ancestors 'self'" in page.headers["content-security-policy"]
    again = client.get(f"/api/solve/{key}/events", Last_Event_ID=str(len(events) - 2))
    assert again.events() == events[-1:]


def test_an_unsolvable_board_says_why(client):
    key = client.start(UNSOLVABLE)
    kind, result = client.get(f"/api/solve/{key}/events").events()[-1]
    assert (kind, result["status"], result["plan"]) == ("result", "unsolvable", None)
    assert result["headline"] == "No plan exists"
    assert "parity" in result["sentence"]
    assert client.get(f"/api/solve/{key}/plan").status == 404


def test_a_solved_board_needs_no_move(client):
    result = client.solve({"board": "1 2 3\n4 5 6\n7 8 ."})
    assert (result["headline"], result["plan"]) == ("Already solved", "")


def test_an_unknown_search_is_not_found(client):
    for path in ("events", "plan"):
        assert client.get(f"/api/solve/unknown/{path}").status == 404
    assert client.post("/api/solve/unknown/stop", {}).status == 404


def test_the_time_limit_ends_a_search_with_its_bounds():
    with serving(solve=0.6) as client:
        result = client.solve(HARD)
    assert result["stop_reason"] == "time"
    assert 60 < result["lower"] <= 100 and result["tone"] == "open"
    assert "The time is over." in result["sentence"]
    assert "fewest" not in result["headline"] and "No plan exists" not in result["headline"]


def test_stop_ends_the_processes_and_keeps_what_was_found():
    with serving(solves=1) as client:
        key = client.start(HARD)
        for event in client.watch(key):
            if event["event"] == "bounds" and event["upper"]:
                searching = engine_processes(recursive=True)
                refused = client.post("/api/solve", BOARD)
                client.post(f"/api/solve/{key}/stop", {})
            last = event
        assert len(searching) > 1
        assert psutil.wait_procs(searching, SECONDS)[1] == []
        assert last["event"] == "result" and last["stop_reason"] == "interrupted"
        assert last["lower"] <= 100 <= last["upper"] and len(last["plan"]) == last["upper"]
        assert last["headline"] == f"{last['upper']} moves, not proved optimal"
        assert f"Every plan has {last['lower']} or more moves" in last["sentence"]
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
            assert result["headline"] == "Already solved"


def test_a_search_that_nobody_watches_is_stopped():
    with serving(idle=0.2) as client:
        never = client.start(HARD)
        left = client.start(HARD)
        events = iter(client.watch(left))
        next(events)
        # Who asks sooner watches it. The other search is watched all the time, and goes on.
        begin = time.monotonic()
        while time.monotonic() < begin + 2.0:
            next(events)
        assert client.get(f"/api/solve/{never}/events").events()[-1][1]["status"] != "optimal"
        # Those of the other search have ended.
        searching = engine_processes(recursive=True)
        assert searching
        events.close()
        assert psutil.wait_procs(searching, SECONDS)[1] == []
        kind, result = client.get(f"/api/solve/{left}/events").events()[-1]
        assert kind == "result" and "The search was stopped." in result["sentence"]


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
    assert (
        "ended unexpectedly" in last["sentence"] and f"{last['lower']} or more" in last["sentence"]
    )


def test_a_search_that_fails_says_so_and_keeps_its_bound(monkeypatch):
    def fail(problem, *, progress, **options):
        progress(Event("bound", "idastar", 41, None))
        raise InternalError("the plan is wrong")

    monkeypatch.setattr("plansolve.apps.web.solves.solve", fail)
    with serving() as client:
        last = client.solve(HARD)
    assert last["headline"] == "The search failed"
    assert last["sentence"] == "the plan is wrong. Every plan has 41 moves or more."


def test_a_board_that_takes_too_long_to_make_is_told():
    with serving(scramble=0.5) as client:
        form = {"rows": 30, "columns": 30, "puzzle": "loopover", "moves": 100_000}
        error = client.post("/api/scramble", form).json()["error"]
    assert error["message"] == "that board takes too long to make: give a number of moves"


def test_the_end_of_the_server_ends_the_searches_and_their_streams():
    with serving() as client:
        events = iter(client.watch(client.start(HARD)))
        next(events)
        client.server.should_exit = True
        *_, last = events
        assert last["event"] == "result"
