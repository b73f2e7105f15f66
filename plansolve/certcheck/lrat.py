"""Read a formula and an LRAT proof from text, and check that the proof refutes the formula.

Both formats are lists of numbers that end in 0, separated by white space; lines between clauses
that begin with `c` are comments. A DIMACS CNF begins with `p cnf VARIABLES CLAUSES`. In LRAT each
clause has a line, with its number before it and its hints after it: the numbers of the clauses from
which it follows. A line with a number and a `d` deletes clauses by their numbers. Memory grows with
the text that was read, never with what a header promises: at most nine bytes for two of text, in
most proofs less than one for one.

Hints are checked without search, in one pass that takes time linear in their literals and memory
for the clauses that have not been deleted (Cruz-Filipe, Heule, Hunt, Kaufmann and Schneider-Kamp
2017). Steps that need more than unit propagation (RAT) are not accepted.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from io import BytesIO
from typing import Protocol

import numpy as np

from plansolve.certcheck import lrat_kernel as kernel
from plansolve.certcheck.clauses import MOST_VARIABLES, Array, Clauses, HintedProof
from plansolve.certcheck.threads import Unwanted, never, require_wanted, while_wanted
from plansolve.errors import ProofError
from plansolve.storage.jit import interruptible

_SHOWN_LITERALS = 12
_CHUNK = 1 << 20
_LARGEST = (1 << 31) - 1
_MOST_BEFORE_CLAUSES = 1 << 16
_LONGEST_STEP = 1 << 26
_MOST_DELETIONS = 100_000
"""Lines that delete clauses: each is slow, and the prover writes one for many steps."""
_DELETION = re.compile(rb"[0-9]{1,18} d((?: [0-9]{1,18})*) 0\r?")
_HEADER = re.compile(rb"p[ \t]+cnf[ \t]+([0-9]{1,10})[ \t]+([0-9]{1,10})[ \t\r]*")


class Readable(Protocol):
    """A stream of bytes, such as a file or a compressed one."""

    def read(self, size: int, /) -> bytes:
        """Return at most `size` bytes; none at the end."""


def read_cnf(stream: Readable, most_bytes: int) -> Clauses:
    """Return the formula in a DIMACS text, with its clauses as written and in their order.

    Raise `ProofError` naming the wrong line, and for more than `most_bytes` bytes.
    """
    text = _read(stream, min(_MOST_BEFORE_CLAUSES, most_bytes))
    variables, count, lines, begin = _header(text)
    reader = _Reader(stream, variables, most_bytes)
    reader.skip(len(text), lines)
    reader.read(text[begin:])
    if len(reader.ends) != count:
        raise ProofError(f"clauses: {len(reader.ends)}, but the header says {count}")
    return Clauses(variables, reader.literals, reader.ends)


def read_lrat(stream: Readable, formula: Clauses, most_bytes: int) -> Iterator[HintedProof]:
    """Yield the steps of an LRAT proof for a formula, in parts.

    A step is a line: its number, its literals and a 0, its hints and a 0. Numbers continue those of
    the formula's clauses. A line with a `d` after the number deletes clauses, and ends a part.
    Raise `ProofError` for anything else, such as RAT steps.
    """
    first, line = len(formula) + 1, 1
    for steps, deletion in _pieces(stream, most_bytes):
        part = _hinted(steps, line, first, formula.variables)
        line += steps.count(b"\n")
        deleted = np.zeros(0, np.int64)
        if deletion:
            match = _DELETION.fullmatch(deletion)
            if match is None:
                raise ProofError(f"line {line}: a deletion is a number, d, numbers and a 0")
            deleted = np.array(match[1].split(), np.int64)
            line += 1
        first += len(part.steps)
        yield replace(part, deleted=deleted)


def _pieces(stream: Readable, most_bytes: int) -> Iterator[tuple[bytes, bytes]]:
    """Yield whole lines of steps, and the line that deletes clauses after them if there is one."""
    left, text, is_over = most_bytes, b"", False
    deletions = 0
    while not is_over:
        piece = _read(stream, min(_CHUNK, left + 1))
        if len(piece) > left:
            raise ProofError(f"the text is too long: more than {most_bytes} bytes")
        left -= len(piece)
        is_over = not piece
        # The last line may have no newline.
        text += piece or b"\n" * bool(text)
        at = 0
        while (place := text.find(b" d ", at)) >= 0 and (end := text.find(b"\n", place)) >= 0:
            deletions += 1
            if deletions > _MOST_DELETIONS:
                raise ProofError(f"more than {_MOST_DELETIONS} lines delete clauses")
            begin = text.rfind(b"\n", at, place) + 1 or at
            yield text[at:begin], text[begin:end]
            at = end + 1
        # A line that is not whole yet may be a deletion.
        if end := text.rfind(b"\n", at) + 1:
            yield text[at:end], b""
            at = end
        text = text[at:]
        if len(text) > _LONGEST_STEP:
            raise ProofError(f"a line is longer than {_LONGEST_STEP} bytes")


def _hinted(text: bytes, line: int, first: int, variables: int) -> HintedProof:
    """Return the steps in some whole lines of a proof, the first of which is number `line`."""
    reader = _Reader(BytesIO(text), _LARGEST, len(text))
    reader.skip(0, line - 1)
    reader.read(b"")
    numbers, ends = reader.literals, reader.ends
    if len(ends) % 2:
        raise ProofError("the last step has no hints")
    sizes = np.diff(ends, prepend=0)
    # Rows alternate: a number with its literals, and its hints.
    steps, named = len(ends) // 2, (ends - sizes)[::2]
    if not sizes[::2].all():
        raise ProofError("a step has no number")
    wrong = numbers[named] != np.arange(steps) + first
    if wrong.any():
        step = int(wrong.argmax())
        raise ProofError(f"{numbers[named[step]]} where step {first + step} is expected")
    row = np.repeat(np.arange(len(ends)), sizes)
    is_literal = row % 2 == 0
    is_literal[named] = False
    wrong = is_literal & (abs(numbers) > variables)
    if wrong.any():
        place = int(wrong.argmax())
        step = first + int(row[place]) // 2
        raise ProofError(f"step {step}: {numbers[place]} is not a literal of the formula")
    clauses = Clauses(variables, numbers[is_literal], np.cumsum(sizes[::2] - 1))
    return HintedProof(first, clauses, numbers[row % 2 == 1], np.cumsum(sizes[1::2]))


def _read(stream: Readable, size: int) -> bytes:
    """Return `size` bytes, fewer only at the end; a stream may return them piece by piece."""
    pieces: list[bytes] = []
    while size > 0 and (piece := stream.read(size)):
        pieces.append(piece)
        size -= len(piece)
    return b"".join(pieces)


def _header(text: bytes) -> tuple[int, int, int, int]:
    """Return the number of variables, of clauses and of lines up to the header, and its end."""
    begin = number = 0
    while begin < len(text):
        number += 1
        end = text.find(b"\n", begin)
        end = len(text) if end < 0 else end
        line = text[begin:end]
        begin = end + 1
        if line.startswith(b"c") or not line.strip():
            continue
        match = _HEADER.fullmatch(line)
        if match is None:
            raise ProofError(f"line {number}: `p cnf VARIABLES CLAUSES` is expected first")
        variables, count = int(match[1]), int(match[2])
        if variables > MOST_VARIABLES:
            raise ProofError(
                f"line {number}: {variables} variables; at most {MOST_VARIABLES} can be handled"
            )
        return variables, count, number, begin
    raise ProofError(f"line {number + 1}: the header `p cnf VARIABLES CLAUSES` is missing")


class _Reader:
    """Reads clauses in chunks into growing arrays."""

    def __init__(self, stream: Readable, variables: int, most_bytes: int) -> None:
        self._stream, self._variables = stream, variables
        self._most, self._total = most_bytes, 0
        self._state = np.zeros(kernel.NUMBERS, np.int64)
        self._state[kernel.LINE] = 1
        self.literals = np.empty(1 << 10, np.int32)
        self.ends = np.empty(1 << 8, np.int64)

    def skip(self, size: int, lines: int) -> None:
        """Count bytes and lines that were read before."""
        self._total += size
        self._state[kernel.LINE] += lines

    def read(self, text: bytes) -> None:
        """Read `text` and then the stream to its end."""
        self._parse(text)
        # Reading one byte more than allowed shows whether the text is too long.
        while piece := self._stream.read(min(_CHUNK, self._most + 1 - self._total)):
            self._total += len(piece)
            if self._total > self._most:
                raise ProofError(f"the text is too long: more than {self._most} bytes")
            self._parse(piece)
        self._parse(b"\n")
        state = self._state
        if state[kernel.PLACE] not in (kernel.BETWEEN, kernel.COMMENT):
            state[kernel.LINE] = state[kernel.BEGAN]
            raise self._error("the 0 that ends this clause is missing")
        # In place: a copy would need the memory twice.
        self.literals.resize(int(state[kernel.LITERALS]), refcheck=False)
        self.ends.resize(int(state[kernel.CLAUSES]), refcheck=False)

    def _parse(self, text: bytes) -> None:
        """Parse one piece of the text, of at most `_CHUNK` bytes."""
        state = self._state
        self.literals = _with_room(self.literals, int(state[kernel.LITERALS]) + len(text) // 2 + 1)
        self.ends = _with_room(self.ends, int(state[kernel.CLAUSES]) + len(text) // 2 + 1)
        # A copy, since the kernel is compiled for writable arrays only.
        with interruptible():
            outcome = kernel.parse(
                np.frombuffer(text, np.uint8).copy(),
                self._variables,
                state,
                self.literals,
                self.ends,
            )
        if outcome == kernel.FINE:
            return
        at = int(state[kernel.AT])
        character = ascii(chr(text[at]))
        if outcome == kernel.TOO_LARGE:
            raise self._error(f"a literal outside the formula's {self._variables} variables")
        if outcome == kernel.BAD_NUMBER:
            raise self._error("a minus sign may stand only before a number that is not 0")
        raise self._error(f"{character} where a number is expected")

    def _error(self, message: str) -> ProofError:
        return ProofError(f"line {int(self._state[kernel.LINE])}: {message}")


def _with_room(array: Array, size: int) -> Array:
    """Return the array, made half as long again or more if it is shorter than `size`."""
    if len(array) < size:
        array.resize(max(size, len(array) * 3 // 2), refcheck=False)
    return array


def check_hints(
    formula: Clauses,
    proof: Iterable[HintedProof],
    progress: Callable[[int, int], None] | None = None,
    is_unwanted: Unwanted = never,
) -> str | None:
    """Return None if the proof shows that the formula has no model, otherwise the error.

    The parts of the proof are read one after the other, and only clauses that are not deleted are
    kept. `progress` is called now and then with the number of steps done, and 0 for their unknown
    total. Raise `TimeoutError` once the work is unwanted, and `ProofError` for a proof of another
    formula.
    """
    known = _Known(formula)
    for part in while_wanted(proof, is_unwanted):
        status, done = known.follow(part, is_unwanted, progress or (lambda done, total: None))
        if status == kernel.REFUTED:
            return None
        if status != kernel.ENDED:
            return _told(part, done, status)
        known.forget(part.deleted)
    return "the proof ends before the empty clause"


class _Known:
    """The clauses that steps may still name, by their ascending numbers."""

    def __init__(self, formula: Clauses) -> None:
        self._formula, self._next = len(formula), len(formula) + 1
        self._numbers = np.arange(1, len(formula) + 1)
        self._literals, self._ends = formula.literals, formula.ends
        self._values = np.zeros(2 * formula.variables + 2, np.int8)
        self._trail = np.zeros(formula.variables + 1, np.int64)

    def follow(
        self, part: HintedProof, is_unwanted: Unwanted, progress: Callable[[int, int], None]
    ) -> tuple[int, int]:
        """Check steps and add them; return how the kernel ended, and at which step."""
        steps, before = part.steps, len(self._numbers)
        if part.first != self._next or 2 * steps.variables + 2 > len(self._values):
            raise ProofError(f"the first step is {part.first}, but {self._next} is the next number")
        self._numbers = np.concatenate((self._numbers, np.arange(len(steps)) + part.first))
        self._ends = np.concatenate((self._ends, steps.ends + len(self._literals)))
        self._literals = np.concatenate((self._literals, steps.literals))
        state = kernel.Followed(
            literals=self._literals,
            ends=self._ends,
            hints=self._places(part),
            hint_ends=np.require(part.hint_ends, np.int64, ["C", "W"]),
            values=self._values,
            trail=self._trail,
            at=np.array([0, -1, 0], np.int64),
        )
        status = kernel.RUNNING
        while status == kernel.RUNNING:
            require_wanted(is_unwanted)
            with interruptible():
                status = kernel.follow(before, state)
            done = int(state.at[0])
            progress(part.first - self._formula - 1 + done, 0)
        self._next += len(steps)
        return status, done

    def forget(self, deleted: Array) -> None:
        """Delete clauses by their numbers; unknown numbers are ignored."""
        if not len(deleted):
            return
        is_kept = ~np.isin(self._numbers, deleted)
        sizes = np.diff(self._ends, prepend=0)
        self._literals = self._literals[np.repeat(is_kept, sizes)]
        self._ends = np.cumsum(sizes[is_kept])
        self._numbers = self._numbers[is_kept]

    def _places(self, part: HintedProof) -> Array:
        """Return the hints as places among the remaining clauses, counted from 1."""
        places = np.searchsorted(self._numbers, part.hints)
        is_gone = self._numbers[places] != part.hints
        if is_gone.any():
            where = int(is_gone.argmax())
            step = int(np.searchsorted(part.hint_ends, where, side="right")) + part.first
            raise ProofError(f"step {step}: the clause {part.hints[where]} was deleted")
        return (places + 1).astype(np.int32)


def _told(part: HintedProof, done: int, status: int) -> str:
    """Return the message about a wrong step."""
    steps = part.steps
    begin, end = int(steps.ends[done - 1]) if done else 0, int(steps.ends[done])
    shown = " ".join(map(str, steps.literals[begin : min(end, begin + _SHOWN_LITERALS)]))
    what = f"the clause {shown or 'without literals'}"
    if end - begin > _SHOWN_LITERALS:
        what += " ..."
    why = "a hint is neither unit nor false" if status == kernel.NO_UNIT else "no hint is false"
    return f"step {part.first + done}: {what} does not follow from its hints: {why}"
