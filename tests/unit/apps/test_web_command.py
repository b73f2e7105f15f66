"""`plansolve web` as a process: what it says and refuses, and that it leaves nothing behind."""

import json
import signal
import socket
import subprocess
import sys
import urllib.request

import psutil
import pytest
from click import ClickException
from click.testing import CliRunner

from plansolve.cli.web import command
from plansolve.errors import PlansolveError

pytest.importorskip("uvicorn", reason="the extra plansolve[web] is not installed")

RUN = "from plansolve.cli.main import main; main()"
SECONDS = 60.0
# The 24-puzzle no. 5 of Korf (1996).
HARD = "17 1 20 9 16\n2 22 19 14 5\n15 21 0 3 24\n23 18 13 12 7\n10 8 6 4 11"


def start(*arguments):
    return subprocess.Popen(
        [sys.executable, "-c", RUN, "web", "--no-browser", "--port", "0", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def refused(*arguments):
    with pytest.raises((PlansolveError, ClickException)) as caught:
        command.main(["--no-browser", *arguments], standalone_mode=False)
    return getattr(caught.value, "message", str(caught.value))


def begin_search(address):
    """Has the hard board solved; the stream of its events, open."""
    form = json.dumps({"board": HARD, "goal": "blank-first"}).encode()
    headers = {"Content-Type": "application/json", "Origin": address.rstrip("/")}
    asked = urllib.request.Request(f"{address}api/solve", form, headers)
    with urllib.request.urlopen(asked, timeout=SECONDS) as answer:
        key = json.load(answer)["solve"]
    return urllib.request.urlopen(f"{address}api/solve/{key}/events", timeout=SECONDS)


@pytest.mark.parametrize(
    "number",
    [
        signal.SIGINT,
        signal.SIGKILL,
        pytest.param(signal.SIGTERM, marks=pytest.mark.slow),
        pytest.param(signal.SIGHUP, marks=pytest.mark.slow),
    ],
)
def test_whatever_ends_the_server_ends_the_search(number):
    server = start()
    try:
        address = server.stdout.readline().strip()
        assert address.startswith("http://127.0.0.1:")
        with begin_search(address) as events:
            children = []
            while len(children) < 2:
                assert events.readline(), "the search has ended"
                children = psutil.Process(server.pid).children(recursive=True)
            server.send_signal(number)
            _, said = server.communicate(timeout=SECONDS)
        assert psutil.wait_procs(children, SECONDS)[1] == []
    finally:
        server.kill()
        server.communicate()
    assert server.returncode == (-number if number == signal.SIGKILL else 0)
    assert "Traceback" not in said, said


def test_an_address_that_cannot_be_used_is_one_error(monkeypatch):
    monkeypatch.setattr("plansolve.apps.web.app.Server.run", lambda *_, **__: pytest.fail("serves"))
    for host in ("0.0.0.0", "::"):
        assert "--allow-network" in refused("--host", host)
    assert "cannot listen on 192.0.2.1" in refused("--host", "192.0.2.1", "--allow-network")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert f"127.0.0.1, port {port}: " in refused("--port", str(port))
    assert "cannot listen on no such" in refused("--host", "no such", "--allow-network")


def test_an_open_server_warns(monkeypatch):
    def serve(host, port, limits, ready):
        assert (host, port, limits.solve, limits.solves) == ("0.0.0.0", 80, 90.0, 3)
        ready("http://localhost/")

    monkeypatch.setattr("plansolve.apps.web.app.serve", serve)
    options = ["--host", "0.0.0.0", "--port", "80", "--time-limit", "90s", "--solves", "3"]
    done = CliRunner().invoke(command, [*options, "--allow-network", "--no-browser"])
    assert (done.exit_code, done.stdout) == (0, "http://localhost/\n")
    assert done.stderr.startswith("warning: anyone who can reach this address")
