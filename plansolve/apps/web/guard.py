"""Access control: Host, Origin and security headers.

A page of another site can send requests to this server from the user's browser. With a host name of
its own that resolves to 127.0.0.1 (DNS rebinding) it could even read the answers, so the Host
header must be one of ours. Actions must come from our page, so their Origin must be that host. No
page can change these two headers.
"""

import socket
from collections.abc import Collection
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_LOCAL = ("127.0.0.1", "localhost", "[::1]")
_HTTP_PORT = 80

_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
    # Answers that are not pages may load nothing; pages have a policy of their own.
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
}


def is_loopback(host: str) -> bool:
    """Return True if only this machine can reach a server there."""
    address = _address(host)
    return host == "localhost" or (address is not None and address.is_loopback)


@dataclass(frozen=True)
class Hosts:
    """The Host headers of a server on `port`: local ones, `names`, and perhaps every IP address.

    `any_address` allows IP addresses, because browsers never send them for another site's page.
    """

    port: int
    names: Collection[str] = ()
    any_address: bool = False

    @classmethod
    def of(cls, host: str, port: int) -> "Hosts":
        """Return the headers of a server that listens on `host`, a loopback address or not."""
        if is_loopback(host):
            return cls(port)
        return cls(port, {host.lower(), socket.gethostname().lower()}, any_address=True)

    def allow(self, header: str) -> bool:
        """Return True if a Host header names this server."""
        host, port = _split(header.lower())
        if port != str(self.port) and not (port == "" and self.port == _HTTP_PORT):
            return False
        if host in _LOCAL or host in self.names:
            return True
        return self.any_address and _address(host) is not None


class Guard:
    """An ASGI application in front of another: refuses strangers, adds headers to all answers."""

    def __init__(self, app: ASGIApp, hosts: Hosts) -> None:
        self._app, self._hosts = app, hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        reason = self._refuses(scope["method"], Headers(scope=scope))
        app = JSONResponse({"message": reason}, 403) if reason else self._app
        await app(scope, receive, _with_headers(send))

    def _refuses(self, method: str, headers: Headers) -> str | None:
        host = headers.getlist("host")
        if len(host) != 1 or not self._hosts.allow(host[0]):
            return f"this server does not answer to that name: open http://localhost:{self._hosts.port}/"
        if method in ("GET", "HEAD"):
            return None
        if headers.getlist("origin") != [f"http://{host[0]}"]:
            return "only this server's own page may send that request"
        return None


def _with_headers(send: Send) -> Send:
    async def run(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return run


def _split(header: str) -> tuple[str, str]:
    """Return the host and the port, which may be missing, of a Host header."""
    end = header.find("]") + 1
    host, _, port = header[end:].partition(":")
    return header[:end] + host, port


def _address(host: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(host.removeprefix("[").removesuffix("]"))
    except ValueError:
        return None
