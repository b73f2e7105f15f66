"""The web application behind a real socket: who may ask for what, and what the page is."""

import json

import pytest
from support.fixtures.web import BOARD

from plansolve.apps.web.guard import Hosts, is_loopback
from plansolve.apps.web.requests import LARGEST_BODY
from plansolve.puzzles.registry import FAMILIES


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "[::1]", "LocalHost"])
def test_the_names_of_this_machine_are_served(client, name):
    host = f"{name}:{client.port}"
    assert client.get("/", Host=host).status == 200
    assert client.post("/api/board", BOARD, Host=host, Origin=f"http://{host}").json()["rows"] == 3


@pytest.mark.parametrize(
    "host",
    [
        "evil.example", "evil.example:PORT", "127.0.0.1.evil.example:PORT", "localhost.:PORT",
        "evil@localhost:PORT", "localhost", "localhost:PORT0", "localhost:PORT:PORT",
        "192.168.1.5:PORT", "[::2]:PORT", "[::1]x:PORT", "",
    ],
)  # fmt: skip
def test_no_other_name_is_answered(client, host):
    for path in ("/", "/assets/main.js", "/api/solve/x/events", "/nothing"):
        answer = client.get(path, Host=host.replace("PORT", str(client.port)))
        assert answer.status == 403
        assert f"http://localhost:{client.port}/" in answer.json()["message"]
        assert answer.headers["x-content-type-options"] == "nosniff"


def test_which_names_a_server_has(monkeypatch):
    assert Hosts(80).allow("localhost") and Hosts(80).allow("localhost:80")
    assert not Hosts(8080).allow("localhost")
    # One of the network is called by address and by its own name.
    monkeypatch.setattr("socket.gethostname", lambda: "Box")
    hosts = Hosts.of("0.0.0.0", 8023)
    for name in ("192.168.1.5", "[fe80::1]", "box", "localhost"):
        assert hosts.allow(f"{name}:8023"), name
        assert not hosts.allow(f"{name}:8024"), name
    for name in ("evil.example", "box.evil.example", "1.2.3.4.evil.example", ""):
        assert not hosts.allow(f"{name}:8023"), name
    for loopback in ("127.0.0.1", "127.8.8.8", "::1", "localhost"):
        assert is_loopback(loopback)
        assert not Hosts.of(loopback, 8023).allow("192.168.1.5:8023")
    for other in ("0.0.0.0", "::", "192.168.1.5", "localhost.evil.example"):
        assert not is_loopback(other)


@pytest.mark.parametrize(
    "origin",
    [
        None, "null", "http://evil.example", "https://127.0.0.1:PORT", "http://localhost:PORT",
        "http://127.0.0.1", "http://127.0.0.1:PORT1", "http://127.0.0.1:PORT/",
    ],
)  # fmt: skip
def test_only_our_own_page_may_post(client, origin):
    origin = origin and origin.replace("PORT", str(client.port))
    for path in ("board", "scramble", "solve", "solve/x/stop"):
        answer = client.post(f"/api/{path}", BOARD, Origin=origin)
        assert answer.status == 403
        assert "only this server's own page" in answer.json()["message"]


def test_only_json_is_read(client):
    for kind in (None, "text/plain", "application/x-www-form-urlencoded", "application/jsonx"):
        assert client.post("/api/board", BOARD, Content_Type=kind).status == 415
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
        b"", b"{", b'{"board": "1 2 .",}', b"\xff\xfe", b"[" * 60000, b'["board"]', b'"board"',
        b"null", b'{"board": ' + b"1" * 5000 + b"}", b'{"board": 5}', b'{"board": ["1 2 ."]}',
        b'{"board": "1 2 .", "file": "/etc/passwd"}',
    ],
    ids=range(12),
)  # fmt: skip
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
    fixed = {
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cross-origin-resource-policy": "same-origin",
        "cache-control": "no-store",
    }
    for answer in answers:
        assert fixed.items() <= dict(answer.headers).items()
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy and "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert not {"set-cookie", "access-control-allow-origin", "server"} & set(answer.headers)


@pytest.mark.parametrize(
    "path",
    [
        "/assets/../app.py", "/assets/%2e%2e%2fapp.py", "/assets/..%2f..%2f..%2fetc%2fpasswd",
        "/assets//etc/passwd", "/assets/%00", "/assets/", "/static/main.js",
        "/api/solve/..%2fx/plan", "/docs",
    ],
)  # fmt: skip
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
            rules = f' data-rules="{family.name}:{preset.parameters}"' if preset.parameters else ""
            button = f'data-puzzle="{family.name}" {size}{moves}{rules}>{preset.title}</button>'
            assert button in page


def test_the_page_names_what_there_is_to_choose(client):
    page = client.get("/").text
    for name in ("torus-ring", "lloyd", "loopover", "snail", "korf", "json"):
        assert f'<option value="{name}">' in page
    assert "style=" not in page and "<script>" not in page and "$" not in page
