"""What is typed in a terminal, key by key: arrows at once, all else as lines."""

import os
import select
import termios
import tty
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

__all__ = ["Arrow", "Keyboard"]

_ARROWS = {b"A": "up", b"B": "down", b"C": "right", b"D": "left"}
_ESCAPE_SECONDS = 0.05
_LONGEST_LINE = 10_000


@dataclass(frozen=True)
class Arrow:
    """An arrow key; `direction` is up, down, left or right."""

    direction: str


class Keyboard:
    """Reads a terminal; `echo` writes to it what a line editor would.

    The terminal hands over single keys only while one is waited for, and is as it was at all other
    times, whatever ends the waiting.
    """

    def __init__(self, terminal: int, echo: Callable[[str], None]) -> None:
        self._terminal, self._echo = terminal, echo

    def read(self, prompt: str) -> str | Arrow | None:
        """Return the next line, or an arrow key on an empty line; None at the end of the input."""
        self._echo(prompt)
        line = ""
        with self._single_keys():
            while True:
                key = self._key()
                if key in ("\r", "\n"):
                    self._echo("\n")
                    return line
                if key is None or (key == "\x04" and not line):
                    self._echo("\n")
                    return None
                if isinstance(key, Arrow):
                    if not line:
                        self._echo("\r\x1b[K")
                        return key
                elif key in ("\x7f", "\b"):
                    if line:
                        line = line[:-1]
                        self._echo("\b \b")
                elif key == "\x15":
                    self._echo("\b \b" * len(line))
                    line = ""
                elif key.isprintable() and len(line) < _LONGEST_LINE:
                    line += key
                    self._echo(key)

    @contextmanager
    def _single_keys(self) -> Iterator[None]:
        before = termios.tcgetattr(self._terminal)
        try:
            # Ctrl-C stays a signal.
            tty.setcbreak(self._terminal, termios.TCSADRAIN)
            yield
        finally:
            termios.tcsetattr(self._terminal, termios.TCSADRAIN, before)

    def _key(self) -> str | Arrow | None:
        """Return one key: a character, an arrow, an empty text for other keys, None at the end."""
        first = self._byte()
        if first == b"\x1b":
            return self._escape()
        while first:
            try:
                return first.decode()
            except UnicodeDecodeError as error:
                if error.reason != "unexpected end of data":
                    return ""
                more = self._byte()
                if not more:
                    return None
                first += more
        return None

    def _escape(self) -> Arrow | str | None:
        """Return the key of an escape sequence; the escape key itself sends nothing more."""
        byte = b"\x1b"
        while byte == b"\x1b" and self._has_more():
            byte = self._byte()
        if byte not in (b"[", b"O"):
            return ""
        while self._has_more():
            byte = self._byte()
            if not byte or b"@" <= byte <= b"~":
                direction = _ARROWS.get(byte)
                return Arrow(direction) if direction else ""
        return ""

    def _has_more(self) -> bool:
        return bool(select.select([self._terminal], [], [], _ESCAPE_SECONDS)[0])

    def _byte(self) -> bytes:
        try:
            return os.read(self._terminal, 1)
        except OSError:
            # How Linux tells that the other side of a terminal is gone.
            return b""
