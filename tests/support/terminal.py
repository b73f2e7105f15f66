"""Programs in a terminal of their own, typed at and read."""

import os
import pty
import select
import subprocess

PATIENCE = 60.0


def environment():
    kept = {k: v for k, v in os.environ.items() if not k.startswith("PLANSOLVE_")}
    kept.pop("DISPLAY", None)
    return kept


class Terminal:
    """A program whose three streams are a terminal."""

    def __init__(self, command):
        self._master, slave = pty.openpty()
        self._process = subprocess.Popen(
            command,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env={**environment(), "TERM": "xterm"},
            start_new_session=True,
        )
        os.close(slave)
        self.text = ""

    def _read(self):
        """Takes in what comes next; False at the end."""
        assert select.select([self._master], [], [], PATIENCE)[0], f"silence after {self.text!r}"
        try:
            data = os.read(self._master, 1 << 16)
        except OSError:
            return False  # how Linux says that nobody has the terminal open any more
        self.text += data.decode().replace("\r\n", "\n")
        return bool(data)

    def type(self, line, after):
        """Types a line as soon as `after` is the last thing on the screen."""
        while not self.text.endswith(after):
            assert self._read(), f"it ended after {self.text!r}"
        os.write(self._master, f"{line}\n".encode())
        # The terminal's echo: what comes then answers the line.
        echoed = len(self.text)
        while f"{line}\n" not in self.text[echoed:]:
            assert self._read(), f"it ended after {self.text!r}"

    def end(self):
        """The exit code, when all that was written is in `text`."""
        while self._read():
            pass
        os.close(self._master)
        return self._process.wait(timeout=PATIENCE)
