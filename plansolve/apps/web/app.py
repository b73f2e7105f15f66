"""The web application: the page, the requests that it makes, and its server."""

import contextlib
import json
import re
import signal
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from string import Template
from types import MappingProxyType
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import Send

from plansolve.apps.web.guard import Guard, Hosts
from plansolve.apps.web.requests import (
    FieldError,
    Refusal,
    read_goal_board,
    read_posed,
    requested_object,
    written,
)
from plansolve.apps.web.solves import ServerLimits, Solve, Solves, TooMany
from plansolve.errors import OptionError, PlansolveError
from plansolve.formats import FORMATS
from plansolve.puzzles.registry import FAMILIES, goal_names, goal_text
from plansolve.replay.page import html_page, page_data, sized_name
from plansolve.replay.svg import board_svg

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; "
    "frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
# The page in the frame has its own policy, which allows its script and style by hash.
_FRAME_POLICY = "connect-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
_LINE = re.compile(r"\bline (\d{1,5})\b")

_TYPES = MappingProxyType(
    {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".html": "text/html"}
)
# Colours, buttons and the board, which is moved by hand, are those of the replay page.
_SHARED_STYLES = ("page.css", "board.css", "controls.css")
_SHARED_SCRIPTS = MappingProxyType(
    {
        "rules.js": "makeRules",
        "board.js": "makeBoard",
        "game.js": "makeGame",
        "arrows.js": "makeArrows",
        "hand.js": "makeHand",
    }
)

_ANY = ("0.0.0.0", "::")  # noqa: S104 - to be told apart, not to be listened on
_MOST_CONNECTIONS = 100
_FAREWELL_SECONDS = 5

Endpoint = Callable[[Request], Awaitable[Response]]


def make_app(hosts: Hosts, limits: ServerLimits, solves: Solves) -> Starlette:
    """Return the application that answers requests to `hosts`; it stops `solves` when it ends."""
    pages = _Pages(solves, limits)

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield
        await solves.close()

    return Starlette(
        routes=[
            Route("/", pages.page),
            Route("/assets/{name}", pages.asset),
            Route("/api/board", _told(pages.board), methods=["POST"]),
            Route("/api/scramble", _told(pages.scramble), methods=["POST"]),
            Route("/api/solve", _told(pages.solve), methods=["POST"]),
            Route("/api/solve/{key}/events", _told(pages.events)),
            Route("/api/solve/{key}/stop", _told(pages.stop), methods=["POST"]),
            Route("/api/solve/{key}/plan", _told(pages.plan)),
        ],
        middleware=[Middleware(Guard, hosts=hosts)],
        lifespan=lifespan,
    )


class _Pages:
    def __init__(self, solves: Solves, limits: ServerLimits) -> None:
        self._solves, self._limits = solves, limits

    async def page(self, request: Request) -> Response:
        return HTMLResponse(
            _index(round(self._limits.solve)), headers={"Content-Security-Policy": _POLICY}
        )

    async def asset(self, request: Request) -> Response:
        found = _assets().get(request.path_params["name"])
        if found is None:
            return JSONResponse({"message": "there is no such page"}, 404)
        kind, content = found
        return Response(content, media_type=kind)

    async def board(self, request: Request) -> Response:
        """Return a picture of the board in the form, or its text after moves by hand."""
        form = await requested_object(request)
        problem, _ = await run_in_threadpool(read_posed, form)
        puzzle = problem.puzzle
        solved = ", already solved" if problem.is_solved else ""
        answer: dict[str, Any] = {
            "what": f"{sized_name(puzzle)}, to {goal_text(puzzle)}{solved}",
            "goal": goal_text(puzzle),
            "rows": puzzle.rows,
            "columns": puzzle.columns,
        }
        if form.get("moves"):
            answer["board"] = await run_in_threadpool(written, form, problem)
        else:
            answer["picture"] = board_svg(puzzle, problem.start)
            answer["data"] = page_data(problem, None, optimum=None, names={})
        return JSONResponse(answer)

    async def scramble(self, request: Request) -> Response:
        """Return a new board, as text for the form."""
        form = await requested_object(request)
        goal, moves = await run_in_threadpool(read_goal_board, form)
        try:
            return JSONResponse({"board": await self._solves.scramble(goal, moves)})
        except PlansolveError as error:
            raise FieldError("size", str(error).strip().splitlines()[-1]) from None

    async def solve(self, request: Request) -> Response:
        form = await requested_object(request)
        problem, aim = await run_in_threadpool(read_posed, form)
        return JSONResponse({"solve": self._solves.start(problem, aim).key}, 202)

    async def stop(self, request: Request) -> Response:
        await requested_object(request)
        self._find(request).stop()
        return JSONResponse({"stopping": True}, 202)

    async def events(self, request: Request) -> Response:
        """Return the events of a search, all or from the first one that the browser has missed."""
        last = request.headers.get("last-event-id", "")
        first = int(last) + 1 if last.isdecimal() and len(last) < 9 else 0
        return _EventStream(self._find(request), first, self._limits.idle)

    async def plan(self, request: Request) -> Response:
        """Return the plan that was found, as the page to watch and play."""
        solve = self._find(request)
        if solve.plan is None:
            raise Refusal(404, "that search has found no plan")
        text = await run_in_threadpool(
            html_page,
            solve.problem,
            solve.plan,
            title="The plan",
            optimal_length=len(solve.plan) if solve.is_optimal else None,
            lower_bound=solve.lower_bound,
        )
        return HTMLResponse(text, headers={"Content-Security-Policy": _FRAME_POLICY})

    def _find(self, request: Request) -> Solve:
        solve = self._solves.find(request.path_params["key"])
        if solve is None:
            raise Refusal(404, "the server no longer has that search: solve the board again")
        return solve


class _EventStream(StreamingResponse):
    """Server-sent events of a search, which counts as watched as long as they can be sent."""

    def __init__(self, solve: Solve, first: int, idle: float) -> None:
        super().__init__(self._texts(solve, first), media_type="text/event-stream")
        self._solve, self._idle = solve, idle

    async def stream_response(self, send: Send) -> None:
        """Do the same as Starlette, but end quietly when the browser has gone."""
        with self._solve.watched(self._idle):
            await super().stream_response(send)

    @staticmethod
    async def _texts(solve: Solve, first: int) -> AsyncIterator[str]:
        async for number, event in solve.told(first):
            data = {key: value for key, value in event.items() if key != "event"}
            yield f"id: {number}\nevent: {event['event']}\ndata: {json.dumps(data)}\n\n"


def _told(endpoint: Endpoint) -> Endpoint:
    """Return the endpoint with its errors as JSON.

    The user's errors name the field and the line; requests that our page never sends get an HTTP
    error.
    """

    async def run(request: Request) -> Response:
        try:
            return await endpoint(request)
        except FieldError as error:
            line = _LINE.search(str(error))
            place = int(line[1]) if line else None
            wrong = {"message": str(error), "field": error.field, "line": place}
            return JSONResponse({"error": wrong})
        except Refusal as refusal:
            return JSONResponse({"message": refusal.reason}, refusal.status)
        except TooMany as error:
            return JSONResponse({"message": str(error)}, 429, headers={"Retry-After": "5"})

    return run


@cache
def _assets() -> Mapping[str, tuple[str, str]]:
    """Return the type and the text of each asset; requests can name only these."""
    own = files("plansolve.apps.web").joinpath("static")
    shared = files("plansolve.replay").joinpath("static")
    found = {
        entry.name: (_TYPES[entry.name[entry.name.rindex(".") :]], entry.read_text("utf-8"))
        for entry in own.iterdir()
        if entry.is_file()
    }
    for name in _SHARED_STYLES:
        found[name] = ("text/css", shared.joinpath(name).read_text("utf-8"))
    scripts = [shared.joinpath(name).read_text("utf-8") for name in _SHARED_SCRIPTS]
    exported = f"export {{ {', '.join(_SHARED_SCRIPTS.values())} }};\n"
    found["replay.js"] = ("text/javascript", "".join([*scripts, exported]))
    return found


def _index(seconds: int) -> str:
    """Return the page, with the puzzles, goals and formats to choose from."""
    choices: dict[str, Any] = {
        "puzzles": _options(FAMILIES),
        "goals": _options(goal_names()),
        "presets": "\n".join(_presets()),
        "formats": _options(FORMATS),
    }
    return Template(_assets()["index.html"][1]).substitute(choices, seconds=seconds)


def _presets() -> Iterator[str]:
    """Yield a button for each board size with a well-known name."""
    for family in FAMILIES.values():
        for preset in family.presets:
            moves = "" if preset.moves is None else f' data-moves="{preset.moves}"'
            rules = f' data-rules="{family.name}:{preset.parameters}"' if preset.parameters else ""
            yield (
                f'<button type="button" data-puzzle="{family.name}" data-rows="{preset.rows}" '
                f'data-columns="{preset.columns}"{moves}{rules}>{preset.title}</button>'
            )


def _options(names: Iterable[str]) -> str:
    return "".join(f'<option value="{name}">{name}</option>' for name in names)


def serve(host: str, port: int, limits: ServerLimits, ready: Callable[[str], None]) -> None:
    """Serve the page on `host` and `port` (0: any free one) until a signal ends the process.

    `ready` gets the page's address as soon as it can be opened. Raise `OptionError` if the address
    cannot be used.
    """
    with contextlib.closing(listen(host, port)) as listening:
        port = listening.getsockname()[1]
        name = "localhost" if host in _ANY else f"[{host}]" if ":" in host else host
        server = Server(Hosts.of(host, port), limits, lambda: ready(f"http://{name}:{port}/"))
        # Uvicorn handles two signals; a terminal that closes sends a third one.
        before = signal.signal(signal.SIGHUP, server.handle_exit)
        try:
            server.run(sockets=[listening])
        except KeyboardInterrupt:
            # Uvicorn raises again the signal that ended it, although the user wanted the end.
            return
        finally:
            signal.signal(signal.SIGHUP, before)


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens there; raise `OptionError` if that is impossible."""
    kind = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(kind, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen()
    except OSError as error:
        listening.close()
        why = error.strerror or str(error)
        raise OptionError(f"cannot listen on {host}, port {port}: {why}") from None
    return listening


class Server(uvicorn.Server):
    """Uvicorn with the application; it ends the searches before it waits for connections."""

    def __init__(self, hosts: Hosts, limits: ServerLimits, ready: Callable[[], None]) -> None:
        self.solves = Solves(limits)
        self._ready = ready
        super().__init__(
            uvicorn.Config(
                make_app(hosts, limits, self.solves),
                log_level="warning",
                access_log=False,
                server_header=False,
                ws="none",
                proxy_headers=False,
                limit_concurrency=_MOST_CONNECTIONS,
                timeout_graceful_shutdown=_FAREWELL_SECONDS,
            )
        )

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Do the same as uvicorn, then call `ready`."""
        await super().startup(sockets)
        self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop the searches, then do the same as uvicorn."""
        await self.solves.close()
        await super().shutdown(sockets)
