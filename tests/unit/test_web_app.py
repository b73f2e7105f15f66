"""The web application behind a real socket: who may ask for what, searches, and their ends."""

import json
import threading
from collections.abc import Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from typing import Any

import psutil
import pytest

pytest.importorskip("uvicorn", reason="the extra plansolve[web] is not installed")

from plansolve.checker import check_plan
from plansolve.formats import read_plan, read_problem
from plansolve.generation.predecessors import Predecessors
from plansolve.web.guard import Hosts, is_loopback
from plansolve.web.requests import LARGEST_BODY
from plansolve.web.server import Server, listen
from plansolve.web.solves import Limits

BOARD = {"board": "4 1 2\n. 5 3\n7 8 6"}
UNSOLVABLE = {"board": "2 1 3\n4 5 6\n7 8 ."}
# Its shortest plan takes minutes to prove.
HARD = {"board": "25\n14 5 9 2 18\n8 23 19 12 17\n15 0 10 20 4\n13 11 21 1 7\n24 3 16 22 6"}
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
    server = Server(Hosts.of("127.0.0.1", port), Limits(**limits), is_ready.set)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    before = set(psutil.Process().children(recursive=True))
    thread.start()
    try:
        assert is_ready.wait(SECONDS)
        yield Client(server, port)
    finally:
        server.should_exit = True
        thread.join(SECONDS)
        listening.close()
    assert not thread.is_alive()
    assert set(psutil.Process().children(recursive=True)) <= before


@pytest.fixture(scope="module")
def client():
    with serving() as made:
        yield made


# ---- Who may ask


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "[::1]", "LocalHost"])
def test_the_names_of_this_machine_are_served(client, name):
    assert client.get("/", headers={"Host": f"{name}:{PORT}"}).status_code == 200
    asked = {"Host": f"{name}:{PORT}", "Origin": f"http://{name}:{PORT}"}
    assert post(client, json=BOARD, headers=asked).json()["rows"] == 3


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        f"evil.example:{PORT}",
        f"127.0.0.1.evil.example:{PORT}",
        f"localhost.:{PORT}",
        f"evil@localhost:{PORT}",
        "localhost",
        f"localhost:{PORT}0",
        f"localhost:{PORT}:{PORT}",
        f"192.168.1.5:{PORT}",
        f"[::2]:{PORT}",
        f"[::1]x:{PORT}",
        "",
    ],
)
@pytest.mark.parametrize("path", ["/", "/assets/main.js", "/api/solve/x/events", "/nothing"])
def test_no_other_name_is_answered(client, host, path):
    answer = client.get(path, headers={"Host": host})
    assert answer.status_code == 403
    assert f"http://localhost:{PORT}/" in answer.json()["message"]


def test_port_80_needs_no_number():
    assert Hosts(80).allow("localhost") and Hosts(80).allow("localhost:80")
    assert not Hosts(8080).allow("localhost")


def test_a_server_of_the_network_is_called_by_address_and_by_its_own_name(monkeypatch):
    monkeypatch.setattr("socket.gethostname", lambda: "Box")
    hosts = Hosts.of("0.0.0.0", PORT)
    for name in ("192.168.1.5", "[fe80::1]", "box", "localhost"):
        assert hosts.allow(f"{name}:{PORT}"), name
        assert not hosts.allow(f"{name}:{PORT + 1}"), name
    for name in ("evil.example", "box.evil.example", "1.2.3.4.evil.example", ""):
        assert not hosts.allow(f"{name}:{PORT}"), name
    assert not Hosts.of("127.0.0.1", PORT).allow(f"192.168.1.5:{PORT}")


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
        f"https://127.0.0.1:{PORT}",
        f"http://localhost:{PORT}",
        "http://127.0.0.1",
        f"http://127.0.0.1:{PORT}1",
        f"http://127.0.0.1:{PORT}/",
    ],
)
@pytest.mark.parametrize("path", ["board", "scramble", "solve", "solve/x/stop"])
def test_only_our_own_page_may_post(client, origin, path):
    answer = post(client, f"/api/{path}", json=BOARD, headers={"Origin": origin})
    assert answer.status_code == 403
    assert "only the page of this server" in answer.json()["message"]


@pytest.mark.parametrize(
    "kind", [None, "text/plain", "application/x-www-form-urlencoded", "application/jsonx"]
)
def test_only_json_is_read(client, kind):
    answer = post(client, content=b"{}", headers={"Content-Type": kind})
    assert answer.status_code == 415


def test_a_content_type_may_name_its_letters(client):
    kind = {"Content-Type": "Application/JSON; charset=utf-8"}
    assert post(client, content=b'{"board": "2 1 ."}', headers=kind).json()["columns"] == 3


def test_a_request_may_be_so_large_and_no_larger(client):
    fitting = b'{"board": "1 2 ."}'.ljust(LARGEST_BODY)
    json = {"Content-Type": "application/json"}
    assert post(client, content=fitting, headers=json).json()["columns"] == 3
    assert post(client, content=fitting + b" ", headers=json).status_code == 413
    in_parts = (fitting[i : i + 5000] for i in range(0, LARGEST_BODY, 5000))
    assert post(client, content=in_parts, headers=json).json()["columns"] == 3
    in_parts = (b" " * 5000 for _ in range(14))
    assert post(client, content=in_parts, headers=json).status_code == 413
    boast = {**json, "Content-Length": "9" * 30}
    assert post(client, content=b"{}", headers=boast).status_code == 413


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
    answer = post(client, content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == 400
    assert len(answer.json()["message"]) < 300


def test_all_answers_have_the_headers(client):
    answers = [
        client.get("/"),
        client.get("/assets/main.js"),
        client.get("/nothing"),
        client.get("/", headers={"Host": "evil.example"}),
        client.get("/api/solve/x/plan"),
        post(client, json=BOARD),
        client.put("/"),
    ]
    for answer in answers:
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["cross-origin-resource-policy"] == "same-origin"
        assert answer.headers["cache-control"] == "no-store"
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy and "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert "set-cookie" not in answer.headers
        assert "access-control-allow-origin" not in answer.headers


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
    assert client.get(path).status_code == 404


def test_what_acts_is_not_got_and_pages_are_not_posted(client):
    for path in ("board", "scramble", "solve", "solve/x/stop"):
        assert client.get(f"/api/{path}").status_code == 405
    assert post(client, "/", json=BOARD).status_code == 405


def test_the_page_names_what_there_is_to_choose(client):
    page = client.get("/").text
    for name in ("torus-ring", "lloyd", "loopover", "snail", "korf", "json"):
        assert f'<option value="{name}">' in page
    assert "style=" not in page and "<script>" not in page and "$" not in page
