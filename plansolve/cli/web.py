"""plansolve web: a page to type boards in, solve them and watch."""

import os
import sys
import threading
import webbrowser

import click

from plansolve.cli import options
from plansolve.cli.progress import tell
from plansolve.errors import OptionError
from plansolve.extras import require

_PORT = 8023


@click.command("web")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=_PORT,
    show_default=True,
    metavar="N",
    help="The port; 0 for any free one.",
)
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    metavar="ADDRESS",
    help="The address to listen on.",
)
@click.option(
    "--allow-network",
    is_flag=True,
    help="Allow a --host that other machines can reach. There is no password.",
)
@click.option("--no-browser", is_flag=True, help="Do not open the page in a browser.")
@options.time_limit("The limit for each search.", "60s")
@click.option(
    "--solves",
    type=click.IntRange(1, 64),
    default=2,
    show_default=True,
    metavar="N",
    help="How many searches may run at a time.",
)
def command(
    port: int, host: str, allow_network: bool, no_browser: bool, time_limit: float, solves: int
) -> None:
    """Serve a web page to enter boards, solve them and watch the plans.

    The page's address goes to standard output. Ctrl-C ends the server and every search.
    """
    require("web", "the page", "starlette", "uvicorn")
    from plansolve.apps.web.app import serve
    from plansolve.apps.web.guard import is_loopback
    from plansolve.apps.web.solves import ServerLimits

    is_open = not is_loopback(host)
    if is_open and not allow_network:
        raise OptionError(
            f"other machines could reach {host}, and there is no password: "
            "add --allow-network to allow that, or leave --host out"
        )

    def ready(address: str) -> None:
        if is_open:
            tell("warning: anyone who can reach this address can use this machine to solve boards")
        click.echo(address)
        sys.stdout.flush()
        tell("Ctrl-C ends the server and every search.")
        if not no_browser and _has_window():
            # Opening a slow browser must not block the server.
            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()

    serve(host, port, ServerLimits(solve=time_limit, solves=solves), ready)


def _has_window() -> bool:
    """Return True if a browser would open in a window, and not in this terminal."""
    if sys.platform in ("darwin", "win32"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
