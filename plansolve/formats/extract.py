"""Find a plan in a program's output, among labels, boards, times and colours.

A line holds moves if all of it reads as moves, or all that follows a label ("Solution: LLLU (4)",
"Path = UDLR", "Step 3: up"), or a list in brackets. Lines that belong together make one candidate:
single moves on successive lines with at most boards between them, numbered steps, and a long plan
that was wrapped. A sequence of boards is a candidate, too. Labelled candidates come before others,
and longer ones before shorter ones.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Any

from plansolve.errors import PlanError, WrongTypeError
from plansolve.formats.board_lists import boards_in, moves_between
from plansolve.formats.notation import CONVENTIONS, format_plan, rules_of
from plansolve.formats.pddl import read_pddl_plan
from plansolve.formats.plans import (
    NUMBERING,
    OF_THE_BLANK,
    PlanReader,
    Readings,
    listed,
    read_plan,
    without_count,
)
from plansolve.json_text import JsonError, json_object
from plansolve.model.problem import MoveNames, Problem
from plansolve.model.puzzle import Puzzle
from plansolve.text import counted

_MOST_LINES = 200_000
_LONGEST_LABEL = 200
_MOST_SPLITS = 8
_LONG_LINE = 100_000
"""Characters: a longer line is read whole and after two labels only, since each reading is a
pass.
"""
_WRAPPED_WIDTH = 60

_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
_STEP_WORDS = r"moves?|steps?|actions?"
_PLAN_WORDS = rf"solutions?|plans?|paths?|answers?|routes?|sequences?|tiles|{_STEP_WORDS}|\\boxed"
_IS_LABEL = re.compile(
    rf"(?<!\w)(?:{_PLAN_WORDS})(?![^\W_])|(?:_|\b)(?:solution|path)_", re.IGNORECASE
)
_IS_STEP_LABEL = re.compile(rf"\b(?:{_STEP_WORDS})\b", re.IGNORECASE)
# A list of possible moves is not a plan.
_IS_CHOICE = re.compile(r"\b(?:possible|legal|illegal|valid|invalid|available|allowed|usage)\b")
_LABEL_END = re.compile(r"[:=]")
_SPOKEN_LABEL = re.compile(rf"\b(?:{_PLAN_WORDS})(?:\s+(?:is|are|was|found))*\s+", re.IGNORECASE)
_BOXED = re.compile(r"(\\boxed)\{((?:[^{}]|\{[^{}]*\})*)\}")
_LIST = re.compile(r"\[[^\[\]]*\]|\([^()]*\)")
_STEP_ROW = re.compile(r"^[ \t|]*(\d{1,6}) *[,|\t](?=[^\n]*[^\W\d_])", re.MULTILINE)
_COUNT = re.compile(r"\b(\d{1,8})[ -](?:moves?|steps?)\b|\blength (\d{1,8})\b", re.IGNORECASE)
_PLAN_KEYS = ("plan", "solution", "moves", "path", "actions", "steps", "answer", "path_to_goal")
_NO_PLAN = "the JSON document must hold one plan: a list of moves under 'plan'"


@dataclass(frozen=True)
class FoundPlan:
    """A plan as operator names, and where it was found.

    `convention` is that of the document if it names one, otherwise the assumed one. `lines` are the
    first and the last line, from 1. `stated` is the number of moves that the text itself gives, or
    None. `others` describes moves on other lines that were not taken.
    """

    plan: MoveNames
    convention: str
    lines: tuple[int, int]
    stated: int | None = None
    others: tuple[str, ...] = ()


def read_plan_file(text: str, puzzle: Puzzle | Problem, convention: str = "tile") -> FoundPlan:
    """Return the plan of a text that holds nothing else, or of a JSON document such as a result.

    The text may also be the output of a planner, see `pddl`.

    A document has the plan, as a list or a text, under "plan", "solution", "moves", "path" or
    "actions"; if "moves" is the name of a convention, the plan is read in it. Raise `PlanError` for
    anything else, naming the step that is not a move.
    """
    rules, lines = rules_of(puzzle), _all_lines(text)
    if text.lstrip()[:1] == "{":
        return FoundPlan(*_in_document(_document(text), puzzle, convention), lines)
    by_planner = read_pddl_plan(text, rules)
    if by_planner is not None:
        return FoundPlan(MoveNames.of(by_planner, rules), "tile", lines)
    if text.lstrip()[:1] == "[":
        # A list of lists or objects, written as JSON over several lines.
        with suppress(ValueError, RecursionError, TypeError):
            text = listed(json.loads(text))
    return FoundPlan(read_plan(text, puzzle, convention), convention, lines)


def _document(text: str) -> Mapping[str, Any]:
    """Return a document with a plan, or the only one in it; raise `PlanError` if there is none."""
    try:
        document = json_object(text, example='{"plan": [...]}')
    except JsonError as error:
        raise PlanError(str(error)) from None
    found = [
        one
        for one in (document, *document.values())
        if isinstance(one, dict) and any(key in one for key in _PLAN_KEYS)
    ]
    if not found or (found[0] is not document and len(found) > 1):
        raise PlanError(_NO_PLAN)
    return found[0]


def _in_document(
    document: Mapping[str, Any], puzzle: Puzzle | Problem, convention: str
) -> tuple[MoveNames, str]:
    """Return the plan of a document, and its convention."""
    if (stated := document.get("moves")) in CONVENTIONS:
        convention = str(stated)
    held = {key: plan for key in _PLAN_KEYS if isinstance(plan := document.get(key), str | list)}
    try:
        texts = {key: listed(plan) for key, plan in held.items() if plan not in CONVENTIONS}
    except WrongTypeError as error:
        raise PlanError(str(error)) from None
    plans = {key: read_plan(text, puzzle, convention) for key, text in texts.items()}
    if not plans:
        raise PlanError(_NO_PLAN)
    if len({*plans.values()}) > 1:
        raise PlanError(f"the JSON document holds different plans under {', '.join(plans)}")
    return next(iter(plans.values())), convention


def extract_plan(text: str, puzzle: Puzzle | Problem, convention: str = "tile") -> FoundPlan:
    """Return the plan in a program's output.

    Raise `PlanError` if there is none, or if two different plans are equally likely, naming the
    lines of both.
    """
    text = _ANSI.sub("", text)
    rows = [*map(int, _STEP_ROW.findall(text))]
    if len(rows) > 1 and rows == [*range(1, len(rows) + 1)]:
        text = _STEP_ROW.sub(r"\1. ", text)
    if text.lstrip()[:1] == "{":
        # Other texts are read line by line: each may be a document, or a dictionary of Python.
        document = None
        with suppress(PlanError):
            document = _document(text)
        if document:
            return FoundPlan(*_in_document(document, puzzle, convention), _all_lines(text))
    lines = text.split("\n")
    if len(lines) > _MOST_LINES:
        raise PlanError(f"the output has more than {_MOST_LINES} lines: give only the plan")
    found = list(_OutputReader(puzzle, convention).candidates(lines))
    if not found:
        rules = rules_of(puzzle)
        with suppress(PlanError):
            # Tiles alone, such as 5 8, may be other numbers unless the whole text is a plan.
            plan = read_plan(text, puzzle, convention)
            if plan and {*plan} <= {*rules.move_names}:
                return FoundPlan(plan, convention, _all_lines(text))
        names = format_plan(rules.move_names[:30], rules, "list", convention)
        raise PlanError(
            f"no plan was found: nothing in the text reads as moves of {rules.short_name} "
            f"({', '.join(json.loads(names))})"
        )
    best = max(found, key=_Candidate.merit)
    for other in found:
        if other.lines == best.lines:
            continue
        if best.block is not None and other.block == best.block:
            raise PlanError(
                f"{line_range(best.lines)} and {line_range(other.lines)} hold moves: one plan on "
                "several lines, or several plans? Give only the plan"
            )
        if other.merit() == best.merit() and other.plan != best.plan:
            raise PlanError(
                f"two plans are equally good, {line_range(best.lines)} and "
                f"{line_range(other.lines)}: give only the one that you mean"
            )
    if best.doubt:
        raise best.doubt
    others = tuple(
        f"{line_range(c.lines)} ({counted(len(c.plan), 'move')})"
        for c in found
        if c.plan != best.plan
    )
    return FoundPlan(best.plan, convention, best.lines, best.stated, others)


def _all_lines(text: str) -> tuple[int, int]:
    return 1, text.rstrip().count("\n") + 1


def line_range(lines: tuple[int, int]) -> str:
    """Return "line 3" or "lines 3 to 5"."""
    first, last = lines
    return f"line {first}" if first == last else f"lines {first} to {last}"


@dataclass(frozen=True)
class _Piece:
    """The moves of one line; no readings for a line that only announces them.

    `texts` counts the lines before it that hold other text than moves, boards and numbers. `label`
    is the text before the moves, with # for numbers; `number` is the first number in it.
    `ends_open` is True if the line seems to go on in the next one. It `is_weak` if the line holds
    nothing but numbers, which may be tiles.
    """

    line: int
    texts: int
    readings: Readings | None = None
    label: str = ""
    number: int | None = None
    stated: int | None = None
    is_labelled: bool = True
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

    `doubt` is the error to raise if these are the best candidate.
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
    def __init__(self, puzzle: Puzzle | Problem, convention: str) -> None:
        self._puzzle, self._reader = puzzle, PlanReader(puzzle, convention)
        self._names = {*rules_of(puzzle).move_names}
        self._read: dict[str, Readings] = {}

    def candidates(self, lines: Sequence[str]) -> Iterator[_Candidate]:
        """Yield all candidates in an output."""
        boards = boards_in(lines, rules_of(self._puzzle))
        on_boards, pieces, texts = set(boards.lines), list[_Piece](), 0
        for number, line in enumerate(lines):
            sign = line.strip() if len(boards.boards) > 1 else ""
            if number in on_boards or (len(sign) == 1 and not sign.isalnum()):
                # An arrow between boards is not a move.
                continue
            if piece := self._piece(number + 1, line.strip(), texts):
                pieces.append(piece)
                texts += piece.readings is None
            else:
                texts += any(word.isalpha() and len(word) > 1 for word in line.split())
        is_alone = True
        for is_weak in False, True:
            of_kind = [p for p in pieces if p.readings is None or p.is_weak == is_weak]
            for heading, group in _groups(of_kind):
                for candidate in self._of_group(heading, group):
                    is_alone = False
                    yield candidate
        if isinstance(self._puzzle, Problem) and len(boards.boards) > 1:
            moves = moves_between(self._puzzle, boards.boards)
            if moves and (is_alone or self._names.issuperset(moves)):
                plan = MoveNames.of(moves, self._puzzle.puzzle)
                yield _Candidate(plan, (boards.lines[0] + 1, boards.lines[-1] + 1), 1)

    def _piece(self, number: int, line: str, texts: int) -> _Piece | None:
        """Return the moves or label on a line; None for other text."""
        start = line[:_LONGEST_LABEL]
        if not line or _IS_CHOICE.search(start.lower()):
            return None
        for label, rest in self._splits(line):
            body, stated = without_count(rest)
            of_blank = OF_THE_BLANK.search(label)
            readings = self._readings(f"{of_blank[0]} {body}" if of_blank else body)
            stated = _count(_COUNT.search(label)) if stated is None else stated
            is_empty = label and not body.strip("[]()") and (body in ("[]", "()") or stated == 0)
            if not (readings or is_empty):
                continue
            numbers = NUMBERING.match(body) or re.search(r"(\d{1,8})", label)
            return _Piece(
                number,
                texts,
                readings or {"moves": []},
                re.sub(r"\d+", "#", label.lower()) or "#" * bool(numbers),
                int(numbers[1]) if numbers else None,
                stated,
                is_labelled=bool(_IS_LABEL.search(label)),
                is_weak=readings.keys() == {"tiles"} and any(map(str.isdigit, body)),
                in_list=body[:1] in ("[", "("),
                ends_open=line.endswith((",", "->", "→")),
                width=len(line),
            )
        is_label = _IS_LABEL.search(start)
        return _Piece(number, texts, stated=_count(_COUNT.search(start))) if is_label else None

    def _splits(self, line: str) -> Iterator[tuple[str, str]]:
        """Yield the ways to split a line into a label and its moves; first the whole line."""
        yield "", line
        start = line[:_LONGEST_LABEL]
        most = _MOST_SPLITS if len(line) < _LONG_LINE else 2
        for boxed in islice(_BOXED.finditer(line), 1):
            yield boxed[1], boxed[2]
        for end in islice(_LABEL_END.finditer(start), most):
            yield line[: end.start()].strip(" \t\"'{"), line[end.end() :].strip()
        if spoken := _SPOKEN_LABEL.search(start):
            yield line[: spoken.end()].strip(), line[spoken.end() :]
        lists = [f for f in islice(_LIST.finditer(line), most) if self._readings(f[0])]
        words = [f for f in lists if any(map(str.isalpha, f[0]))]
        for found in words if len(words) == 1 else lists if len(lists) == 1 else ():
            yield line[: found.start()].strip()[-_LONGEST_LABEL:], found[0]

    def _readings(self, body: str) -> Readings:
        """Return the readings of a text that holds nothing but moves; none for other texts."""
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

    def _of_group(self, heading: _Piece | None, group: list[_Piece]) -> Iterator[_Candidate]:
        """Yield the plan that lines make together, or one plan per line if that is unclear."""
        first, count = group[0], sum(piece.length for piece in group)
        is_labelled = first.is_labelled or heading is not None
        is_listed = first.in_list and count > 1
        if first.is_weak and not is_listed and not (is_labelled and count > 1):
            return
        rank = 2 if is_labelled else 1 if first.label in ("", "#") else 0
        told = [piece.stated for piece in (heading, *group) if piece and piece.stated is not None]
        stated = told[0] if told else None
        if count == stated or _is_one_plan(group):
            found = self._candidate(group, rank, stated)
            if not first.is_weak or is_listed or self._names.issuperset(found.plan):
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


def _groups(pieces: Iterable[_Piece]) -> Iterator[tuple[_Piece | None, list[_Piece]]]:
    """Yield groups of lines whose moves follow each other, with the line that announces them."""
    heading: _Piece | None = None
    latest: _Piece | None = None
    group, is_one_a_line = list[_Piece](), True
    for piece in pieces:
        if piece.readings is None:
            latest = piece
            continue
        if not (group and _goes_on(group[-1], piece, is_one_a_line=is_one_a_line)):
            if group:
                yield heading, group
            heading = latest if latest and latest.texts + 1 == piece.texts else None
            group, is_one_a_line = [], True
        latest = None
        group.append(piece)
        is_one_a_line = is_one_a_line and piece.length == 1
    if group:
        yield heading, group


def _goes_on(last: _Piece, piece: _Piece, *, is_one_a_line: bool) -> bool:
    """Return True if the moves of a line continue those of the line before."""
    is_next_line = piece.line == last.line + 1
    if piece.label != last.label:
        # A plan begins beside its label and continues below.
        return is_next_line and not piece.label
    parts = (last.readings or (), piece.readings or ())
    if is_next_line and all("tiles with directions" in readings for readings in parts):
        return True
    if piece.number is not None and last.number is not None:
        in_turn = piece.number == last.number + last.length
        return in_turn and bool(piece.label == "#" or _IS_STEP_LABEL.search(piece.label))
    if not piece.label and is_next_line:
        return True
    return is_one_a_line and piece.length == 1 and piece.texts == last.texts


def _count(found: re.Match[str] | None) -> int | None:
    return int(found[1] or found[2]) if found else None


def _is_one_plan(group: list[_Piece]) -> bool:
    if len(group) == 1 or all(piece.length == 1 for piece in group):
        return True
    if group[0].number is not None or all(piece.ends_open for piece in group[:-1]):
        return True
    # Wrapped at some width: all lines but the last have about the same length.
    widths = [piece.width for piece in group]
    full = min(widths[:-1])
    return full >= _WRAPPED_WIDTH and max(widths) - full < 10 and widths[-1] < full
