"""The protocols: how a program gets a board, and how its output is read as moves.

A protocol turns a command and a problem into an `Invocation` (what to run, on which files), and
standard output into an `Answer`. The output is untrusted: whatever it is, the answer is a plan, a
claim that there is none, silence, or one printable line that says what is wrong with it.
"""

import json
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from plansolve.apps.judge.sandbox import resolve_command
from plansolve.checker import check_plan
from plansolve.errors import BoardError, InputError, OptionError
from plansolve.formats import FORMATS, common_texts, read_plan, write_problem
from plansolve.formats.extract import extract_plan
from plansolve.formats.letters import LLOYD
from plansolve.formats.notation import CONVENTIONS, names_in
from plansolve.formats.numbers import PUZ, TORUS
from plansolve.json_text import JsonError, json_object
from plansolve.model.problem import Problem
from plansolve.model.puzzle import Plan, Puzzle
from plansolve.text import counted, quote

PYTHON = "python:"
_RUNNER = "plansolve_runner.py"
_BOARD, _BOARD_TEXT = "{board}", "{board_text}"
_PLACEHOLDER = re.compile(r"\{[^{}]{0,40}\}")
AUTO = "auto"
"""The convention of programs that may name the motion of the tile or of the blank."""
_PRINTS_FILE = '"$@" >/dev/null; code=$?; [ -e "$0" ] && cat -- "$0"; exit $code'

# Without backtracking (*+): a megabyte of spaces must not take hours.
_CLAIM = re.compile(r"\s*+(?:unsolvable|impossible|no solution|none)\s*+[.!]?\s*+", re.IGNORECASE)
_SOLUTION_2023 = re.compile(r"^Solution found in[ \t]++(\d{1,9})[ \t]++moves?:", re.MULTILINE)
_SOLUTION_PUZ = re.compile(
    r"^Solution:[ \t]*+(?:(Impossible!?)|([UDLR]*+)[ \t]*+\((\d{1,9})\))[ \t]*+$", re.MULTILINE
)


@dataclass(frozen=True)
class Invocation:
    """One run: the command, the files of its working folder, its input, what it may read."""

    argv: tuple[str, ...]
    files: Mapping[str, bytes] = field(default_factory=dict)
    stdin: bytes = b""
    readable: tuple[Path, ...] = ()


@dataclass(frozen=True)
class Answer:
    """The answer in a program's output.

    `plan` holds operator names. `claims_unsolvable` is True if the program says that there is no
    plan, and `is_silent` if it says nothing. Otherwise `trouble` says what cannot be read. `note`
    is a remark about a readable answer. `convention` is that in which the moves were read.
    """

    plan: Plan | None = None
    claims_unsolvable: bool = False
    is_silent: bool = False
    trouble: str = ""
    note: str = ""
    convention: str = "tile"


@dataclass(frozen=True)
class Protocol:
    """One way to talk to a program.

    `task` makes the run from the words of the command, the problem and the wanted board format; it
    raises `BoardError` for a problem that does not fit the protocol. `read` takes the output, the
    problem and the convention, None for the protocol's own. `is_contest` is True if programs are
    ranked by the contest's rules.
    """

    name: str
    task: Callable[[Sequence[str], Problem, str | None], Invocation]
    read: Callable[[str, Problem, str | None], Answer]
    is_contest: bool = False


@dataclass(frozen=True)
class Program:
    """A program to judge: its name in the report, its command, and how to talk to it."""

    name: str
    command: str
    protocol: Protocol
    words: tuple[str, ...]
    convention: str | None = None
    board_format: str | None = None
    answer_file: str | None = None

    @property
    def reads_standard_input(self) -> bool:
        """Return True if the command names no place for the board but standard input."""
        is_plain = self.protocol.name == "plain"
        return is_plain and not any(_BOARD in w or _BOARD_TEXT in w for w in self.words)

    def task(self, problem: Problem) -> Invocation:
        """Return the run for `problem`; raise `BoardError` if it does not fit the protocol."""
        for convention in filter(None, self._conventions(problem)):
            # Raise the error for a wrong convention before the work, not after it.
            names_in(problem.puzzle, convention)
        task = self.protocol.task(self.words, problem, self.board_format)
        if self.answer_file is None:
            return task
        return replace(task, argv=("/bin/sh", "-c", _PRINTS_FILE, self.answer_file, *task.argv))

    def _conventions(self, problem: Problem) -> tuple[str | None, ...]:
        if self.convention != AUTO:
            return (self.convention,)
        return CONVENTIONS if problem.puzzle.has_blank else (None,)

    def answer(self, output: bytes, problem: Problem) -> Answer:
        """Return the answer in the output of a run.

        With `AUTO` the convention is the first in which the moves solve the board.
        """
        text = output.decode("utf-8", "replace")
        answers = [self.protocol.read(text, problem, one) for one in self._conventions(problem)]
        for answer in answers if len(answers) > 1 else ():
            if answer.plan is not None and check_plan(problem, answer.plan).solves:
                note = f"the letters name the motion of the {answer.convention}"
                return replace(answer, note="; ".join(filter(None, (note, answer.note))))
        return answers[0]


def make_program(
    command: str,
    *,
    name: str,
    protocol: str | None = None,
    convention: str | None = None,
    board_format: str | None = None,
    answer_file: str | None = None,
) -> Program:
    """Return the program that a command stands for.

    `python:FILE:FUNCTION` and `python:MODULE:FUNCTION` have a protocol of their own; otherwise
    the default is `plain`. With the `convention` "auto" moves may name the motion of the tile or of
    the blank. An `answer_file`, in the program's folder, is read instead of its output. Raise
    `OptionError` for an unknown protocol or format, and for a command that cannot be run.
    """
    if board_format is not None and board_format not in FORMATS:
        raise OptionError(f"unknown format {quote(board_format)}: choose from {', '.join(FORMATS)}")
    is_python = command.startswith(PYTHON)
    wanted = protocol or ("python" if is_python else "plain")
    if wanted not in PROTOCOLS:
        raise OptionError(f"unknown protocol {quote(wanted)}: choose from {', '.join(PROTOCOLS)}")
    if is_python != (wanted == "python"):
        raise OptionError(
            f"{quote(command)} does not fit protocol {wanted}: protocol python takes commands "
            "python:FILE:FUNCTION, and no other protocol does"
        )
    words = _python_words(command) if is_python else resolve_command(command)
    for word in () if is_python else words:
        for slip in _PLACEHOLDER.findall(word):
            known = (_BOARD, _BOARD_TEXT)
            if slip not in known and get_close_matches(slip.lower(), known, cutoff=0.8):
                raise OptionError(
                    f"{quote(slip)} in the command is not a placeholder: write {_BOARD} for the "
                    f"board's file, {_BOARD_TEXT} for the board itself"
                )
    way = PROTOCOLS[wanted]
    return Program(name, command, way, tuple(words), convention, board_format, answer_file)


def _plain_task(words: Sequence[str], problem: Problem, board_format: str | None) -> Invocation:
    """Pass the board where the command asks for it, otherwise on standard input."""
    name, text = _written(problem, board_format)
    if any(_BOARD in word or _BOARD_TEXT in word for word in words):
        return _with_board(words, name, text)
    return Invocation(tuple(words), stdin=text.encode(), readable=_folders(words))


def _argument_task(
    format_: str, *more: str
) -> Callable[[Sequence[str], Problem, str | None], Invocation]:
    """Return a maker of tasks for programs whose first argument is a file of one format."""

    def task(words: Sequence[str], problem: Problem, board_format: str | None) -> Invocation:
        if board_format not in (None, format_):
            raise OptionError(f"this protocol passes boards only in the format {format_}")
        try:
            text = write_problem(problem, format_)
        except BoardError as error:
            raise BoardError(f"not a board for this protocol: {error}") from error
        if not any(_BOARD in word for word in words):
            words = (*words, _BOARD, *more)
        return _with_board(words, _file_name(format_), text)

    return task


def _python_task(words: Sequence[str], problem: Problem, board_format: str | None) -> Invocation:
    """Return the run of the runner, with the board as the function's argument."""
    if board_format is not None:
        raise OptionError("protocol python passes a list: leave the board format out")
    module, function = words
    puzzle = problem.puzzle
    is_file = Path(module).is_absolute()
    path, readable = ((), (Path(module).parent,)) if is_file else _places_of(module)
    request = {
        "module": module,
        "function": function,
        # The 2023 skeleton passes a flat tuple, the others a list of rows.
        "board": puzzle.in_rows(problem.start) if puzzle.has_blank else problem.start,
        "is_flat": not puzzle.has_blank,
        "path": [str(folder) for folder in path],
    }
    runner = Path(__file__).with_name("python_function.py").read_bytes()
    return Invocation(
        (sys.executable, "-B", _RUNNER),
        files={_RUNNER: runner, "request.json": json.dumps(request).encode()},
        readable=readable,
    )


def _places_of(module: str) -> tuple[tuple[Path, ...], tuple[Path, ...]]:
    """Return the folders in which a program looks for modules, and those that it may read.

    Programs do not inherit the environment of this process, including PYTHONPATH.
    """
    named = [entry for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if entry]
    spec = _package(module)
    found: list[str] = []
    if spec is not None and spec.submodule_search_locations:
        found = list(spec.submodule_search_locations)
    elif spec is not None and spec.origin and spec.has_location:
        found = [spec.origin]
    path = dict.fromkeys(
        [Path(entry).absolute() for entry in named]
        + [Path(place).absolute().parent for place in found]
    )
    # A link may lead elsewhere.
    real = [Path(place).resolve() for place in found]
    behind = [place if place.is_dir() else place.parent for place in real]
    return tuple(path), tuple(
        folder for folder in dict.fromkeys([*path, *behind]) if folder.is_dir()
    )


def _package(module: str) -> ModuleSpec | None:
    """Find the first part of a module's name; finding the rest would execute it here."""
    return find_spec(module.partition(".")[0])


def _written(problem: Problem, board_format: str | None) -> tuple[str, str]:
    """Return the name of the board's file and its text."""
    if board_format is not None:
        # Not `write_problem`: the program knows its goal, so that the file need not state it.
        return _file_name(board_format), FORMATS[board_format].write(problem)
    format_, text = next(common_texts(problem))
    return _file_name(format_), text


def _file_name(format_: str) -> str:
    return f"board.{FORMATS[format_].suffix}"


def _with_board(words: Sequence[str], name: str, text: str) -> Invocation:
    argv = tuple(word.replace(_BOARD_TEXT, text.strip()).replace(_BOARD, name) for word in words)
    return Invocation(argv, files={name: text.encode()}, readable=_folders(words))


def _folders(words: Sequence[str]) -> tuple[Path, ...]:
    """Return the folders of the files that a command names: programs have modules beside them."""
    files = (Path(word) for word in words if word.startswith("/"))
    return tuple(dict.fromkeys(file.parent for file in files if file.is_file()))


def _python_words(command: str) -> tuple[str, str]:
    """Return the module's name or its file's absolute path, and the function's name."""
    module, _, function = command.removeprefix(PYTHON).rpartition(":")
    if not (module and function.isidentifier()):
        raise OptionError(
            f"{quote(command)} names no function: write python:FILE:FUNCTION, for example "
            "python:solver.py:solve"
        )
    path = Path(module)
    if path.is_file():
        return str(path.resolve()), function
    if not all(part.isidentifier() for part in module.split(".")) or path.suffix == ".py":
        raise OptionError(f"there is no file {quote(module)}, and no module of this name")
    if _package(module) is None:
        raise OptionError(f"there is no module {quote(module)}, and no file of this name")
    return module, function


def _plan_answer(text: str, problem: Problem | Puzzle, convention: str) -> Answer:
    """Return the plan in a text; for a problem, tiles and boards may stand for moves."""
    try:
        plan = read_plan(text, problem, convention)
    except InputError as error:
        return Answer(trouble=str(error), convention=convention)
    return Answer(plan, convention=convention)


def _read_plain(output: str, problem: Problem, convention: str | None) -> Answer:
    if not output.strip():
        # For a solved board, no output is right.
        return Answer(()) if problem.is_solved else Answer(is_silent=True)
    if _CLAIM.fullmatch(output):
        return Answer(claims_unsolvable=True)
    answer = _plan_answer(output, problem, convention or "tile")
    return answer if answer.plan is not None else _extracted(output, problem, answer)


def _extracted(output: str, problem: Problem, bare: Answer) -> Answer:
    """Return the plan among other text; `bare` tells why the output is not just a plan."""
    try:
        found = extract_plan(output, problem, bare.convention)
    except InputError as error:
        # For a single line, naming the step that is not a move says more than "no plan".
        return bare if len(output.split("\n", 2)) < 3 else Answer(trouble=str(error))
    answer = Answer(found.plan, convention=found.convention)
    return answer if found.stated is None else _counted(answer, found.stated)


def _read_potm(output: str, problem: Problem, convention: str | None) -> Answer:
    """Read by the contest's rule, to the letter: one line of d u r l t, and a newline."""
    if not output:
        return Answer(is_silent=True)
    line, newline, rest = output.partition("\n")
    if wrong := re.search("[^durlt]", line):
        place = wrong.start() + 1
        return Answer(trouble=f"character {place} is {quote(wrong[0])}, not one of durlt")
    if not newline:
        return Answer(trouble="the line of moves does not end with a newline")
    if rest:
        return Answer(trouble=f"one line is expected; {quote(rest)} follows it")
    return _plan_answer(line, problem.puzzle, convention or "tile")


def _read_2023(output: str, problem: Problem, convention: str | None) -> Answer:
    found = list(_SOLUTION_2023.finditer(output))
    if not found:
        return _without_header(output, "Solution found in N moves:")
    rest = output[found[-1].end() :].strip()
    line = rest.partition("\n")[0] if int(found[-1][1]) else ""
    return _counted(_plan_answer(line, problem.puzzle, convention or "tile"), int(found[-1][1]))


def _read_puz(output: str, problem: Problem, convention: str | None) -> Answer:
    found = list(_SOLUTION_PUZ.finditer(output.replace("\r\n", "\n")))
    if not found:
        return _without_header(output, "Solution: LLLU (4)")
    if found[-1][1]:
        return Answer(claims_unsolvable=True)
    moves = _plan_answer(found[-1][2], problem.puzzle, convention or "tile")
    return _counted(moves, int(found[-1][3]))


def _without_header(output: str, expected: str) -> Answer:
    if not output.strip():
        return Answer(is_silent=True)
    last = output.strip().splitlines()[-1]
    return Answer(trouble=f"no line like `{expected}`; the last line is {quote(last)}")


def _counted(answer: Answer, said: int) -> Answer:
    """Add a note if the program counts its moves wrongly; only the moves matter."""
    if answer.plan is None or len(answer.plan) == said:
        return answer
    note = f"the program says {counted(said, 'move')}, but prints {len(answer.plan)}"
    return Answer(answer.plan, note=note, convention=answer.convention)


def _read_python(output: str, problem: Problem, convention: str | None) -> Answer:
    """Return the answer in the runner's output, which the function may have forged."""
    if not output.strip():
        return Answer(is_silent=True)
    try:
        document = json_object(output)
    except JsonError:
        return Answer(trouble=f"{quote(output)} is not the runner's output")
    if isinstance(document.get("trouble"), str):
        return Answer(trouble=f"not a list of moves: {quote(document['trouble'])}")
    # A class is a TilePuzzle, whose words name the motion of the blank.
    named_after = convention or ("blank" if document.get("is_class") is True else "tile")
    return _python_moves(document.get("moves"), problem, named_after)


def _python_moves(moves: Any, problem: Problem, convention: str) -> Answer:
    if moves is None:
        return Answer(claims_unsolvable=True)
    if isinstance(moves, str):
        return _plan_answer(moves, problem, convention)
    if not isinstance(moves, list):
        return Answer(trouble=f"{quote(str(moves))} is not a list of moves")
    for step, move in enumerate(moves, start=1):
        is_tile = isinstance(move, int) and not isinstance(move, bool)
        if not is_tile and (not isinstance(move, str) or move.split() != [move]):
            return Answer(trouble=f"item {step} of the list is {quote(str(move))}, not a move")
    return _plan_answer(" ".join(map(str, moves)), problem, convention)


_ALL = (
    Protocol("plain", _plain_task, _read_plain),
    # Lloyd's Dilemma, as AT&T's contest ran it.
    Protocol("potm", _argument_task(LLOYD.name), _read_potm, is_contest=True),
    Protocol("solver2023", _argument_task(TORUS.name), _read_2023),
    Protocol("puz", _argument_task(PUZ.name, "--nographics"), _read_puz),
    Protocol("python", _python_task, _read_python),
)
PROTOCOLS: Mapping[str, Protocol] = {one.name: one for one in _ALL}
"""The protocols by name, the default first."""
