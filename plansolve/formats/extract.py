"""Finds a plan in what a program has printed: with labels, boards, times and colours around it.

A line holds moves where all of it reads as moves, or all that follows a label ("Solution: LLLU
(4)", "Path = UDLR", "Step 3: up"), or a list in brackets. Lines that belong together make one
candidate: single moves under each other with nothing but boards between them, steps that are
numbered on, and long plans that were wrapped. Of several candidates the labelled ones count
before the others, and the longest before the shorter.
"""

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, islice

from plansolve.errors import PlanError
from plansolve.formats.grid import GAPS
from plansolve.formats.notation import CONVENTIONS, MAX_PLAN, format_plan, read_plan
from plansolve.formats.pddl import read_pddl_plan
from plansolve.json_text import JsonError, json_object
from plansolve.model.puzzle import Plan, Puzzle
from plansolve.text import counted, quote

_MOST_LINES = 200_000
_LONGEST_LABEL = 200
_MOST_SPLITS = 8
_WRAPPED_WIDTH = 60

_CONTROL = re.compile(r"[\x00-\x06\x0e-\x1a\x1c-\x1f\x7f]")
_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
_STEP_WORDS = r"moves?|steps?|actions?"
_PLAN_WORDS = rf"solutions?|plans?|paths?|answers?|routes?|sequences?|{_STEP_WORDS}"
_IS_LABEL = re.compile(rf"\b(?:{_PLAN_WORDS})\b", re.IGNORECASE)
_IS_STEP_LABEL = re.compile(rf"\b(?:{_STEP_WORDS})\b", re.IGNORECASE)
# What may be done is no plan.
_IS_CHOICE = re.compile(r"\b(?:possible|legal|illegal|valid|invalid|available|allowed|usage)\b")
_LABEL_END = re.compile(r"[:=]")
_SPOKEN_LABEL = re.compile(rf"\b(?:{_PLAN_WORDS})(?:\s+(?:is|are|was|found))*\s+", re.IGNORECASE)
_LIST = re.compile(r"\[[^\[\]]*\]|\([^()]*\)")
_COUNT = re.compile(r"\b(\d{1,8})[ -](?:moves?|steps?)\b|\blength (\d{1,8})\b", re.IGNORECASE)
_COUNT_AT_END = re.compile(
    r"(?:\(\s*(\d{1,8})(?:\s+(?:moves?|steps?))?\s*\)|[\s,;](\d{1,8})\s+(?:moves?|steps?))[.!]?$",
    re.IGNORECASE,
)
_NUMBERING = re.compile(r"(?<!\S)#?(\d{1,8})\s*[.):]\s*")
_OTHER_SEPARATORS = re.compile(r"[-=]?>|[;|]")
_PLAN_KEYS = ("plan", "solution", "moves", "path")


@dataclass(frozen=True)
class FoundPlan:
    """A plan as operator names, and where it was found.

    `convention` is how its moves were named: as assumed, unless the document says it. `lines` are
    the first and the last line, from 1. `stated` is the number of moves that the text itself
    gives, None where it gives none. `others` tells of moves on other lines that were not taken.
    """

    plan: Plan
    convention: str
    lines: tuple[int, int]
    stated: int | None = None
    others: tuple[str, ...] = ()


def decode_plan(data: bytes) -> str:
    """Return the text of a plan file or of a program's output, with newlines at the line ends.

    Raise `PlanError` for more than `MAX_PLAN` bytes and for what is not UTF-8 text.
    """
    if len(data) > MAX_PLAN:
        raise PlanError(f"the plan is longer than {MAX_PLAN} characters: is it the right file?")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise PlanError(
            f"not a text file: byte 0x{data[error.start]:02x} at offset {error.start}"
        ) from None
    if control := _CONTROL.search(text):
        raise PlanError(
            f"not a text file: character {ord(control[0]):#04x} at offset {control.start()}"
        )
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_plan_file(text: str, puzzle: Puzzle, convention: str = "tile") -> FoundPlan:
    """Return the plan of a text that holds nothing else, or of a JSON document such as our own.

    The text may be one that a planner has written, see `pddl`.

    A document has the plan, a list or a text, under "plan", "solution", "moves" or "path"; where
    "moves" is the name of a convention, the plan is read in it. Raise `PlanError` for anything
    else, naming the step that is no move.
    """
    if text.lstrip()[:1] != "{":
        lines = (1, max(1, text.rstrip().count("\n") + 1))
        by_planner = read_pddl_plan(text, puzzle)
        if by_planner is not None:
            return FoundPlan(by_planner, "tile", lines)
        return FoundPlan(read_plan(text, puzzle, convention), convention, lines)
    document = _document(text)
    stated = document.get("moves")
    if isinstance(stated, str) and stated in CONVENTIONS:
        convention = stated
    plans = {key: _listed(document[key]) for key in _PLAN_KEYS if key in document}
    given = {key: read_plan(plan, puzzle, convention) for key, plan in plans.items() if plan}
    if not given:
        raise PlanError("the JSON document holds no plan: a list of moves is expected under 'plan'")
    if len(set(given.values())) > 1:
        raise PlanError(f"the JSON document holds different plans: {', '.join(given)}")
    plan = next(iter(given.values()))
    return FoundPlan(plan, convention, (1, text.rstrip().count("\n") + 1))


def _holds_plan(text: str) -> bool:
    """Return True if the text is one JSON document with a plan.

    Others are read line by line: one document a line, or Python's dictionary.
    """
    if text.lstrip()[:1] != "{":
        return False
    try:
        document = _document(text)
    except PlanError:
        return False
    return any(key in document for key in _PLAN_KEYS)


def extract_plan(text: str, puzzle: Puzzle, convention: str = "tile") -> FoundPlan:
    """Return the plan in a program's output.

    Raise `PlanError` where there is none, and where two different ones are equally good, naming
    the lines of both.
    """
    text = _ANSI.sub("", text)
    if _holds_plan(text):
        return read_plan_file(text, puzzle, convention)
    lines = text.split("\n")
    if len(lines) > _MOST_LINES:
        raise PlanError(f"the output has more than {_MOST_LINES} lines: give the plan alone")
    found = list(_OutputReader(lines, puzzle, convention).candidates())
    if not found:
        names = format_plan(puzzle.move_names[:30], puzzle, "list", convention)
        raise PlanError(
            f"no plan was found: nothing in the text reads as moves of {puzzle.short_name}, "
            f"{', '.join(json.loads(names))}"
        )
    best = max(found, key=_Candidate.merit)
    for other in found:
        if other.lines == best.lines:
            continue
        if best.block is not None and other.block == best.block:
            raise PlanError(
                f"{_told(best.lines)} and {_told(other.lines)} hold moves: one plan on several "
                "lines, or several plans? Give the plan alone"
            )
        if other.merit() == best.merit() and other.plan != best.plan:
            raise PlanError(
                f"two plans are equally good, {_told(best.lines)} and {_told(other.lines)}: "
                "give the one that is meant alone"
            )
    others = tuple(
        f"{_told(c.lines)} ({counted(len(c.plan), 'move')})" for c in found if c.plan != best.plan
    )
    return FoundPlan(best.plan, convention, best.lines, best.stated, others)


@dataclass(frozen=True)
class _Piece:
    """The moves of one line; None for a line that only announces them.

    `label` is what stands before them, numbers as #; `number` the first number in it. `ends_open`
    tells that the line ends as one that goes on in the next.
    """

    line: int
    plan: Plan | None
    label: str = ""
    number: int | None = None
    stated: int | None = None
    is_labelled: bool = False
    ends_open: bool = False
    width: int = 0


@dataclass(frozen=True)
class _Candidate:
    """Moves that could be the plan; those that share a `block` may be parts of one plan."""

    plan: Plan
    lines: tuple[int, int]
    rank: int
    stated: int | None
    block: int | None = None

    def merit(self) -> tuple[int, int]:
        return self.rank, len(self.plan)


class _OutputReader:
    """Reads the lines of one output."""

    def __init__(self, lines: list[str], puzzle: Puzzle, convention: str) -> None:
        self._lines, self._puzzle, self._convention = lines, puzzle, convention
        styles = (
            format_plan(puzzle.move_names, puzzle, style, convention)
            for style in ("letters", "words")
        )
        self._alphabet = set("".join(styles).lower()) | set(" \t,→->'\"[](){};.|=")
        self._read: dict[str, Plan | None] = {}
        boards = self._board_lines()
        # How many of the lines before each hold other text than moves, boards and numbers.
        self._text_before = [0]
        self._pieces: list[_Piece] = []
        for index, line in enumerate(lines):
            piece = None if index in boards else self._piece(index + 1, line.strip())
            if piece:
                self._pieces.append(piece)
            is_text = index not in boards and (
                piece.plan is None
                if piece
                else any(t not in GAPS and any(map(str.isalpha, t)) for t in line.split())
            )
            self._text_before.append(self._text_before[-1] + is_text)

    def candidates(self) -> Iterator[_Candidate]:
        """Yield all runs of moves in the text."""
        heading: _Piece | None = None
        latest: _Piece | None = None
        group: list[_Piece] = []
        is_one_a_line = True
        for piece in self._pieces:
            if piece.plan is None:
                latest = piece
                continue
            if not self._goes_on(group, piece, is_one_a_line):
                yield from _candidates(group, heading)
                heading = latest
                if heading and not self._is_clear(heading.line, piece.line):
                    heading = None
                group, is_one_a_line = [], True
            latest = None
            group.append(piece)
            is_one_a_line = is_one_a_line and len(piece.plan) == 1
        yield from _candidates(group, heading)

    def _board_lines(self) -> set[int]:
        """Return the indices of lines that print boards whose tiles are letters, as moves are."""
        puzzle, found = self._puzzle, set[int]()
        if not any(map(str.isalpha, "".join(puzzle.labels))):
            return found
        tiles = sorted(puzzle.labels[tile] for tile in puzzle.goal)
        rows = [line.split() for line in self._lines]
        for first in range(len(rows) - puzzle.rows + 1):
            block = rows[first : first + puzzle.rows]
            if all(len(row) == puzzle.columns for row in block) and sorted(chain(*block)) == tiles:
                found |= set(range(first, first + puzzle.rows))
        return found

    def _is_clear(self, first: int, last: int) -> bool:
        """Return True if nothing but moves, boards and numbers stands between two lines."""
        return self._text_before[last - 1] == self._text_before[first]

    def _goes_on(self, group: list[_Piece], piece: _Piece, is_one_a_line: bool) -> bool:
        """Return True if the line's moves go on those of the group, perhaps one move a line."""
        if not group or piece.plan is None:
            return False
        last = group[-1]
        is_next_line = piece.line == last.line + 1
        if piece.label != last.label:
            # A plan that begins beside its label and goes on below.
            return is_next_line and not piece.label
        if piece.number is not None and last.number is not None:
            in_turn = piece.number == last.number + len(last.plan or ())
            return in_turn and bool(piece.label == "#" or _IS_STEP_LABEL.search(piece.label))
        if not piece.label and is_next_line:
            return True
        return is_one_a_line and len(piece.plan) == 1 and self._is_clear(last.line, piece.line)

    def _piece(self, number: int, line: str) -> _Piece | None:
        """Return what a line holds; None for other text."""
        if not line or _IS_CHOICE.search(line[:_LONGEST_LABEL].lower()):
            return None
        ends_open = line.endswith((",", "->", "→"))
        for label, rest in self._splits(line):
            body, stated = _without_count(rest)
            plan, step = self._numbered_plan(body)
            counted = _COUNT.search(label)
            if stated is None and counted:
                stated = int(counted[1] or counted[2])
            is_empty = plan == () and bool(label) and (stated == 0 or body in ("[]", "()"))
            if not plan and not is_empty:
                continue
            if step is None and (numbers := re.search(r"\d{1,8}", label)):
                step = int(numbers[0])
            name = re.sub(r"\d+", "#", label.lower()) or ("" if step is None else "#")
            is_labelled = bool(_IS_LABEL.search(label))
            return _Piece(number, plan, name, step, stated, is_labelled, ends_open, len(line))
        if not _IS_LABEL.search(line[:_LONGEST_LABEL]):
            return None
        count = _COUNT.search(line[:_LONGEST_LABEL])
        stated = int(count[1] or count[2]) if count else None
        return _Piece(number, None, stated=stated, is_labelled=True)

    def _splits(self, line: str) -> Iterator[tuple[str, str]]:
        """Yield the ways to take a line for a label and what it labels, the whole line first."""
        yield "", line
        start = line[:_LONGEST_LABEL]
        for end in islice(_LABEL_END.finditer(start), _MOST_SPLITS):
            yield line[: end.start()].strip(" \t\"'{"), line[end.end() :].strip()
        if spoken := _SPOKEN_LABEL.search(start):
            yield line[: spoken.end()].strip(), line[spoken.end() :]
        lists = [f for f in islice(_LIST.finditer(line), _MOST_SPLITS) if self._plan(f[0])]
        if len(lists) == 1:
            yield line[: lists[0].start()].strip()[-_LONGEST_LABEL:], lists[0][0]

    def _numbered_plan(self, body: str) -> tuple[Plan | None, int | None]:
        """Return the moves of a text, and the number of the first where they are numbered."""
        plan = self._plan(body)
        if plan is None:
            body = _OTHER_SEPARATORS.sub(" ", body)
            plan = self._plan(body)
        numbers = _NUMBERING.match(body)
        if plan is None and numbers:
            return self._plan(_NUMBERING.sub(" ", body)), int(numbers[1])
        return plan, None

    def _plan(self, body: str) -> Plan | None:
        """Return the moves of a text that holds nothing else; None for other texts."""
        bare = body.strip(" \t,;.[](){}")
        if bare in self._read:
            return self._read[bare]
        plan = None
        if self._alphabet.issuperset(bare.lower()):
            # Most lines of an output are no moves.
            with suppress(PlanError):
                plan = read_plan(bare, self._puzzle, self._convention)
        if len(bare) <= _LONGEST_LABEL:
            self._read[bare] = plan
        return plan


def _without_count(body: str) -> tuple[str, int | None]:
    """Return a text without the number of moves at its end, and that number."""
    count = _COUNT_AT_END.search(body[-_LONGEST_LABEL:])
    if not count:
        return body, None
    return body[: len(body) - len(count[0])].rstrip(), int(count[1] or count[2])


def _candidates(group: list[_Piece], heading: _Piece | None) -> Iterator[_Candidate]:
    """Yield the plans that a group of lines holds: one, or one a line where that cannot be told."""
    if not group:
        return
    first = group[0]
    is_labelled = first.is_labelled or heading is not None
    rank = 2 if is_labelled else 1 if first.label in ("", "#") else 0
    told = [piece.stated for piece in (heading, *group) if piece and piece.stated is not None]
    stated = told[0] if told else None
    plan = tuple(move for piece in group for move in piece.plan or ())
    if len(plan) == stated or _is_one_plan(group):
        yield _Candidate(plan, (first.line, group[-1].line), rank, stated)
        return
    for piece in group:
        lines = (piece.line, piece.line)
        yield _Candidate(piece.plan or (), lines, rank, stated, block=first.line)


def _is_one_plan(group: list[_Piece]) -> bool:
    if len(group) == 1 or all(len(piece.plan or ()) == 1 for piece in group):
        return True
    if group[0].number is not None or all(piece.ends_open for piece in group[:-1]):
        return True
    # Wrapped at some width: all lines but the last are about as long as each other.
    widths = [piece.width for piece in group]
    full = min(widths[:-1])
    return full >= _WRAPPED_WIDTH and max(widths) - full < 10 and widths[-1] < full


def _document(text: str) -> dict[str, object]:
    try:
        return json_object(text, example='{"plan": [...]}')
    except JsonError as error:
        raise PlanError(str(error)) from None


def _listed(value: object) -> str | None:
    """Return a plan in a document as a text to read; None for what is no plan."""
    if isinstance(value, str):
        return None if value in CONVENTIONS else value
    if not isinstance(value, list):
        return None
    for step, move in enumerate(value, start=1):
        if not isinstance(move, str):
            raise PlanError(f"step {step}: {quote(str(move))} is not the name of a move")
    return json.dumps(value, ensure_ascii=False)


def _told(lines: Iterable[int]) -> str:
    first, last = lines
    return f"line {first}" if first == last else f"lines {first} to {last}"
