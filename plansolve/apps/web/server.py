"""Runs the application until Ctrl-C or SIGTERM, and leaves no search behind."""

import signal
import socket
from collections.abc import Callable
from contextlib import closing

import uvicorn

from plansolve.apps.web.app import make_app
from plansolve.apps.web.guard import Hosts
from plansolve.apps.web.solves import ServerLimits, Solves
from plansolve.errors import OptionError

__all__ = ["Server", "listen", "serve"]

_ANY = ("0.0.0.0", "::")  # noqa: S104 - to be told apart, not to be listened on
_MOST_CONNECTIONS = 100
_FAREWELL_SECONDS = 5


def serve(host: str, port: int, limits: ServerLimits, ready: Callable[[str], None]) -> None:
    """Serve the page on `host` and `port` (0: any that is free) until the process is told to end.

    `ready` is called with the page's address once it can be opened. Raise `OptionError` where
    the address cannot be used.
    """
    with closing(listen(host, port)) as listening:
        port = listening.getsockname()[1]
        name = "localhost" if host in _ANY else f"[{host}]" if ":" in host else host
        server = Server(Hosts.of(host, port), limits, lambda: ready(f"http://{name}:{port}/"))
        # Uvicorn ends on two signals; a terminal that closes sends a third one.
        before = signal.signal(signal.SIGHUP, server.handle_exit)
        try:
            server.run(sockets=[listening])
        except KeyboardInterrupt:
            # Uvicorn raises the signal again that ended it, although the end was asked for.
            return
        finally:
            signal.signal(signal.SIGHUP, before)


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens there; raise `OptionError` where that cannot be."""
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
    """Uvicorn with the application, which ends the searches before it waits for connections:
    those wait for the searches.

    `ready` is called when it answers; `solves` are its searches.
    """

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
        """As uvicorn does; then says that it is ready."""
        await super().startup(sockets)
        self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """As uvicorn does, after the searches."""
        await self.solves.close()
        await super().shutdown(sockets)
