"""Finds a plan in what a program has printed: with labels, boards, times and colours around it.

A line holds moves where all of it reads as moves, or all that follows a label ("Solution: LLLU
(4)", "Path = UDLR", "Step 3: up"), or a list in brackets. Lines that belong together make one
candidate: single moves under each other with nothing but boards between them, steps that are
numbered on, and long plans that were wrapped. So do boards that follow from each other. Of several
candidates the labelled ones count before the others, and the longest before the shorter.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Any

from plansolve.errors import PlanError, WrongTypeError
from plansolve.formats.board_lists import FoundBoards, boards_in, moves_between
from plansolve.formats.notation import CONVENTIONS, MAX_PLAN, format_plan, rules_of
from plansolve.formats.pddl import read_pddl_plan
from plansolve.formats.plans import PlanReader, Readings, listed, read_plan
from plansolve.json_text import JsonError, json_object
from plansolve.model.problem import MoveNames, Problem
from plansolve.model.puzzle import Puzzle
from plansolve.text import counted

_MOST_LINES = 200_000
_LONGEST_LABEL = 200
_MOST_SPLITS = 8
_WRAPPED_WIDTH = 60

_CONTROL = re.compile(r"[\x00-\x06\x0e-\x1a\x1c-\x1f\x7f]")
_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
_STEP_WORDS = r"moves?|steps?|actions?"
_PLAN_WORDS = rf"solutions?|plans?|paths?|answers?|routes?|sequences?|{_STEP_WORDS}|\\boxed"
_IS_LABEL = re.compile(
    rf"(?<!\w)(?:{_PLAN_WORDS})(?![^\W_])|(?:_|\b)(?:solution|path)_", re.IGNORECASE
)
_IS_STEP_LABEL = re.compile(rf"\b(?:{_STEP_WORDS})\b", re.IGNORECASE)
# A list of possible moves is no plan.
_IS_CHOICE = re.compile(r"\b(?:possible|legal|illegal|valid|invalid|available|allowed|usage)\b")
_LABEL_END = re.compile(r"[:=]")
_SPOKEN_LABEL = re.compile(rf"\b(?:{_PLAN_WORDS})(?:\s+(?:is|are|was|found))*\s+", re.IGNORECASE)
_BOXED = re.compile(r"(\\boxed)\{((?:[^{}]|\{[^{}]*\})*)\}")
_LIST = re.compile(r"\[[^\[\]]*\]|\([^()]*\)")
_COUNT = re.compile(r"\b(\d{1,8})[ -](?:moves?|steps?)\b|\blength (\d{1,8})\b", re.IGNORECASE)
_COUNT_AT_END = re.compile(
    r"(?:\(\s*(\d{1,8})(?:\s+(?:moves?|steps?))?\s*\)|[\s,;](\d{1,8})\s+(?:moves?|steps?))[.!]?$",
    re.IGNORECASE,
)
_NUMBERING = re.compile(r"(?:(?:step|move)\s*)?#?(\d{1,8})\s*[.):]\s", re.IGNORECASE)
_PLAN_KEYS = ("plan", "solution", "moves", "path", "actions", "steps", "answer", "path_to_goal")


@dataclass(frozen=True)
class FoundPlan:
    """A plan as operator names, and where it was found.

    `convention` is how its moves were named: as assumed, unless the document says it. `lines` are
    the first and the last line, from 1. `stated` is the number of moves that the text itself
    gives, None where it gives none. `others` tells of moves on other lines that were not taken.
    """

    plan: MoveNames
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


def read_plan_file(text: str, puzzle: Puzzle | Problem, convention: str = "tile") -> FoundPlan:
    """Return the plan of a text that holds nothing else, or of a JSON document such as our own.

    The text may be one that a planner has written, see `pddl`.

    A document has the plan, a list or a text, under "plan", "solution", "moves", "path" or
    "actions"; where "moves" is the name of a convention, the plan is read in it. Raise `PlanError`
    for anything else, naming the step that is no move.
    """
    lines = (1, max(1, text.rstrip().count("\n") + 1))
    if text.lstrip()[:1] == "{":
        return FoundPlan(*_in_document(_document(text), puzzle, convention), lines)
    by_planner = read_pddl_plan(text, rules_of(puzzle))
    if by_planner is not None:
        return FoundPlan(MoveNames.of(by_planner, rules_of(puzzle)), "tile", lines)
    if text.lstrip()[:1] == "[":
        # A list of lists or objects, written as JSON over several lines.
        with suppress(ValueError, RecursionError, TypeError):
            text = listed(json.loads(text))
    return FoundPlan(read_plan(text, puzzle, convention), convention, lines)


def _in_document(
    document: Mapping[str, Any], puzzle: Puzzle | Problem, convention: str
) -> tuple[MoveNames, str]:
    """Return the plan of a document, and its convention."""
    stated = document.get("moves")
    if isinstance(stated, str) and stated in CONVENTIONS:
        convention = stated
    elif not any(key in document for key in _PLAN_KEYS):
        inner = [value for value in document.values() if _holds_plan(value)]
        if len(inner) == 1:
            return _in_document(inner[0], puzzle, convention)
    try:
        plans = {
            key: listed(plan)
            for key in _PLAN_KEYS
            if isinstance(plan := document.get(key), str | list) and plan not in CONVENTIONS
        }
    except WrongTypeError as error:
        raise PlanError(str(error)) from None
    given = {key: read_plan(plan, puzzle, convention) for key, plan in plans.items() if plan}
    if not given:
        raise PlanError("the JSON document holds no plan: a list of moves is expected under 'plan'")
    if len(set(given.values())) > 1:
        raise PlanError(f"the JSON document holds different plans: {', '.join(given)}")
    return next(iter(given.values())), convention


def _is_document_with_plan(text: str) -> bool:
    """Return True if the text is one JSON document with a plan.

    Others are read line by line: one document a line, or Python's dictionary.
    """
    try:
        document = _document(text)
    except PlanError:
        return False
    return _holds_plan(document) or any(map(_holds_plan, document.values()))


def _holds_plan(value: object) -> bool:
    return isinstance(value, dict) and any(key in value for key in _PLAN_KEYS)


def extract_plan(text: str, puzzle: Puzzle | Problem, convention: str = "tile") -> FoundPlan:
    """Return the plan in a program's output.

    Raise `PlanError` where there is none, and where two different ones are equally good, naming
    the lines of both.
    """
    text = _ANSI.sub("", text)
    if text.lstrip()[:1] == "{" and _is_document_with_plan(text):
        return read_plan_file(text, puzzle, convention)
    lines = text.split("\n")
    if len(lines) > _MOST_LINES:
        raise PlanError(f"the output has more than {_MOST_LINES} lines: give only the plan")
    found = list(_OutputReader(lines, puzzle, convention).candidates())
    if not found:
        rules = rules_of(puzzle)
        names = format_plan(rules.move_names[:30], rules, "list", convention)
        raise PlanError(
            f"no plan was found: nothing in the text reads as moves of {rules.short_name}, "
            f"{', '.join(json.loads(names))}"
        )
    best = max(found, key=_Candidate.merit)
    for other in found:
        if other.lines == best.lines:
            continue
        if best.block is not None and other.block == best.block:
            raise PlanError(
                f"{_told(best.lines)} and {_told(other.lines)} hold moves: one plan on several "
                "lines, or several plans? Give only the plan"
            )
        if other.merit() == best.merit() and other.plan != best.plan:
            raise PlanError(
                f"two plans are equally good, {_told(best.lines)} and {_told(other.lines)}: "
                "give only the one that you mean"
            )
    if best.doubt:
        raise best.doubt
    others = tuple(
        f"{_told(c.lines)} ({counted(len(c.plan), 'move')})" for c in found if c.plan != best.plan
    )
    return FoundPlan(best.plan, convention, best.lines, best.stated, others)


@dataclass(frozen=True)
class _Piece:
    """The moves of one line; None for a line that only announces them.

    `label` is what stands before them, numbers as #; `number` the first number in it. `ends_open`
    tells that the line ends as one that goes on in the next. Where it `is_weak` the line holds
    nothing but numbers, which may be tiles.
    """

    line: int
    readings: Readings | None
    label: str = ""
    number: int | None = None
    stated: int | None = None
    is_labelled: bool = False
    is_weak: bool = False
    in_list: bool = False
    ends_open: bool = False
    width: int = 0

    @property
    def length(self) -> int:
        """The number of moves."""
        return max(map(len, (self.readings or {}).values()), default=0)


@dataclass(frozen=True)
class _Candidate:
    """Moves that could be the plan; those that share a `block` may be parts of one plan.

    `doubt` is what to raise if these are the best.
    """

    plan: MoveNames
    lines: tuple[int, int]
    rank: int
    stated: int | None = None
    block: int | None = None
    doubt: PlanError | None = None

    def merit(self) -> tuple[int, int]:
        return self.rank, len(self.plan)


class _OutputReader:
    """Reads the lines of one output."""

    def __init__(self, lines: list[str], puzzle: Puzzle | Problem, convention: str) -> None:
        self._puzzle, self._reader = puzzle, PlanReader(puzzle, convention)
        self._read: dict[str, Readings] = {}
        self._boards = boards_in(lines, rules_of(puzzle))
        # The number of earlier lines with other text than moves, boards and numbers.
        self._text_before = [0]
        self._pieces: list[_Piece] = []
        on_boards = set(self._boards.lines)
        for index, line in enumerate(lines):
            piece = None if index in on_boards else self._piece(index + 1, line.strip())
            if piece:
                self._pieces.append(piece)
            is_text = index not in on_boards and (
                piece.readings is None
                if piece
                else any(t.isalpha() and len(t) > 1 for t in line.split())
            )
            self._text_before.append(self._text_before[-1] + is_text)

    def candidates(self) -> Iterator[_Candidate]:
        """Yield all runs of moves in the text."""
        found = [*self._in_lines(is_weak=False), *self._in_lines(is_weak=True)]
        yield from found
        yield from self._of_boards(self._boards, is_alone=not found)

    def _of_boards(self, found: FoundBoards, *, is_alone: bool) -> Iterator[_Candidate]:
        if not isinstance(self._puzzle, Problem) or len(found.boards) < 2:
            return
        moves = moves_between(self._puzzle, found.boards)
        is_whole = all(move in self._puzzle.puzzle.move_names for move in moves)
        if moves and (is_whole or is_alone):
            lines = (found.lines[0] + 1, found.lines[-1] + 1)
            yield _Candidate(MoveNames.of(moves, self._puzzle.puzzle), lines, 1)

    def _in_lines(self, *, is_weak: bool) -> Iterator[_Candidate]:
        heading: _Piece | None = None
        latest: _Piece | None = None
        group: list[_Piece] = []
        is_one_a_line = True
        for piece in self._pieces:
            if piece.readings is None:
                latest = piece
                continue
            if piece.is_weak != is_weak:
                continue
            if not self._goes_on(group, piece, is_one_a_line):
                yield from self._candidates(group, heading)
                heading = latest
                if heading and not self._is_clear(heading.line, piece.line):
                    heading = None
                group, is_one_a_line = [], True
            latest = None
            group.append(piece)
            is_one_a_line = is_one_a_line and piece.length == 1
        yield from self._candidates(group, heading)

    def _is_clear(self, first: int, last: int) -> bool:
        """Return True if nothing but moves, boards and numbers stands between two lines."""
        return self._text_before[last - 1] == self._text_before[first]

    def _goes_on(self, group: list[_Piece], piece: _Piece, is_one_a_line: bool) -> bool:
        """Return True if the line's moves go on those of the group, perhaps one move a line."""
        if not group:
            return False
        last = group[-1]
        is_next_line = piece.line == last.line + 1
        if piece.label != last.label:
            # A plan that begins beside its label and goes on below.
            return is_next_line and not piece.label
        of_tiles = "tiles with directions"
        if (
            is_next_line
            and of_tiles in (last.readings or ())
            and of_tiles in (piece.readings or ())
        ):
            return True
        if piece.number is not None and last.number is not None:
            in_turn = piece.number == last.number + last.length
            return in_turn and bool(piece.label == "#" or _IS_STEP_LABEL.search(piece.label))
        if not piece.label and is_next_line:
            return True
        return is_one_a_line and piece.length == 1 and self._is_clear(last.line, piece.line)

    def _piece(self, number: int, line: str) -> _Piece | None:
        """Return what a line holds; None for other text."""
        if not line or _IS_CHOICE.search(line[:_LONGEST_LABEL].lower()):
            return None
        ends_open = line.endswith((",", "->", "→"))
        for label, rest in self._splits(line):
            body, stated = _without_count(rest)
            readings = self._readings(body)
            counted = _COUNT.search(label)
            if stated is None and counted:
                stated = int(counted[1] or counted[2])
            is_empty = not readings and bool(label) and (stated == 0 or body in ("[]", "()"))
            if not readings and not (is_empty and not body.strip("[]()")):
                continue
            numbers = _NUMBERING.match(body) or re.search(r"(\d{1,8})", label)
            step = int(numbers[1]) if numbers else None
            name = re.sub(r"\d+", "#", label.lower()) or ("" if step is None else "#")
            return _Piece(
                number,
                readings or {"moves": []},
                name,
                step,
                stated,
                is_labelled=bool(_IS_LABEL.search(label)),
                is_weak=readings.keys() == {"tiles"} and any(map(str.isdigit, body)),
                in_list=body[:1] in ("[", "("),
                ends_open=ends_open,
                width=len(line),
            )
        if not _IS_LABEL.search(line[:_LONGEST_LABEL]):
            return None
        count = _COUNT.search(line[:_LONGEST_LABEL])
        stated = int(count[1] or count[2]) if count else None
        return _Piece(number, None, stated=stated, is_labelled=True)

    def _splits(self, line: str) -> Iterator[tuple[str, str]]:
        """Yield the ways to take a line for a label and what it labels, the whole line first."""
        yield "", line
        start = line[:_LONGEST_LABEL]
        for boxed in islice(_BOXED.finditer(line), 1):
            yield boxed[1], boxed[2]
        for end in islice(_LABEL_END.finditer(start), _MOST_SPLITS):
            yield line[: end.start()].strip(" \t\"'{"), line[end.end() :].strip()
        if spoken := _SPOKEN_LABEL.search(start):
            yield line[: spoken.end()].strip(), line[spoken.end() :]
        lists = [f for f in islice(_LIST.finditer(line), _MOST_SPLITS) if self._readings(f[0])]
        words = [f for f in lists if any(map(str.isalpha, f[0]))]
        for found in words if len(words) == 1 else lists if len(lists) == 1 else ():
            yield line[: found.start()].strip()[-_LONGEST_LABEL:], found[0]

    def _readings(self, body: str) -> Readings:
        """Return the moves of a text that holds nothing else; nothing for other texts."""
        bare = body.strip(" \t,;.[](){}")
        if bare in self._read:
            return self._read[bare]
        found: Readings = {}
        if len(bare) > 1 or bare not in "<>^v":
            with suppress(PlanError):
                found = {way: steps for way, steps in self._reader.readings(bare).items() if steps}
        if len(bare) <= _LONGEST_LABEL:
            self._read[bare] = found
        return found

    def _candidates(self, group: list[_Piece], heading: _Piece | None) -> Iterator[_Candidate]:
        """Yield the plans that lines hold: one, or one a line where that cannot be told."""
        if not group:
            return
        first = group[0]
        is_labelled = first.is_labelled or heading is not None
        is_listed = first.in_list and sum(piece.length for piece in group) > 1
        if (
            first.is_weak
            and not is_listed
            and (not is_labelled or sum(p.length for p in group) < 2)
        ):
            return
        rank = 2 if is_labelled else 1 if first.label in ("", "#") else 0
        told = [piece.stated for piece in (heading, *group) if piece and piece.stated is not None]
        stated = told[0] if told else None
        if sum(piece.length for piece in group) == stated or _is_one_plan(group):
            found = self._candidate(group, rank, stated)
            names = rules_of(self._puzzle).move_names
            if not first.is_weak or is_listed or set(found.plan) <= {*names}:
                yield found
            return
        for piece in group:
            yield self._candidate([piece], rank, stated, first.line)

    def _candidate(
        self, group: list[_Piece], rank: int, stated: int | None, block: int | None = None
    ) -> _Candidate:
        parts = [piece.readings or {} for piece in group]
        ways = [way for way in parts[0] if all(way in part for part in parts)]
        readings = {way: [step for part in parts for step in part[way]] for way in ways}
        lines = (group[0].line, group[-1].line)
        try:
            plan, doubt = self._reader.plan(readings), None
        except PlanError as error:
            plan, doubt = MoveNames(["?"] * max(map(len, readings.values()))), error
        return _Candidate(plan, lines, rank, stated, block, doubt)


def _without_count(body: str) -> tuple[str, int | None]:
    """Return a text without the number of moves at its end, and that number."""
    count = _COUNT_AT_END.search(body[-_LONGEST_LABEL:])
    if not count:
        return body, None
    return body[: len(body) - len(count[0])].rstrip(), int(count[1] or count[2])


def _is_one_plan(group: list[_Piece]) -> bool:
    if len(group) == 1 or all(piece.length == 1 for piece in group):
        return True
    if group[0].number is not None or all(piece.ends_open for piece in group[:-1]):
        return True
    # Wrapped at some width: all lines but the last are about as long as each other.
    widths = [piece.width for piece in group]
    full = min(widths[:-1])
    return full >= _WRAPPED_WIDTH and max(widths) - full < 10 and widths[-1] < full


def _document(text: str) -> dict[str, Any]:
    try:
        return json_object(text, example='{"plan": [...]}')
    except JsonError as error:
        raise PlanError(str(error)) from None


def _told(lines: Iterable[int]) -> str:
    first, last = lines
    return f"line {first}" if first == last else f"lines {first} to {last}"
