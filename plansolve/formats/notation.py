"""Plans as people write them: letters run together, words, or a list; named after tile or blank.

Inside the program a plan always holds the names of the operators, which tell the motion of the
tile. Under the `blank` convention the same moves are named after the motion of the blank.
"""

import json
import re
from collections import ChainMap, Counter
from collections.abc import Iterable, Iterator
from reprlib import repr as brief

from plansolve.errors import OptionError, PlanError, WrongTypeError
from plansolve.model.problem import Problem
from plansolve.model.puzzle import Plan, Puzzle
from plansolve.puzzles.registry import FAMILIES
from plansolve.text import quote

CONVENTIONS = ("tile", "blank")
STYLES = ("letters", "words", "list")

MAX_PLAN = 4 * 1024 * 1024
"""The most characters of a plan that are read."""

_WORDS = ChainMap(
    {"u": "up", "d": "down", "l": "left", "r": "right"},
    *(dict(family.words) for family in FAMILIES.values()),
)
_SEPARATORS = re.compile(r"(?:[\s,→]|->)+")
_BETWEEN = re.compile("[,→]|->")
_BRACKETS = {"[": "]", "(": ")"}
_POWER = re.compile("(.+)([2-9])('?)", re.DOTALL)
_SHOWN_NAMES = 30


def as_plan(plan: str | Iterable[str], puzzle: Puzzle, convention: str = "tile") -> Plan:
    """Return the operator names of a plan: read from a text, or given one by one.

    Raise what `read_plan` raises, and `WrongTypeError` for what is neither.
    """
    if isinstance(plan, str):
        return read_plan(plan, puzzle, convention)
    names = tuple(plan) if isinstance(plan, Iterable) else ()
    if not isinstance(plan, Iterable) or not all(isinstance(name, str) for name in names):
        raise WrongTypeError(
            f"a plan: a text or the names of moves are expected, not {brief(plan)}"
        )
    return names


def read_plan(
    text: str, puzzle: Puzzle | Problem, convention: str = "tile", *, powers: bool = False
) -> Plan:
    """Return the operator names of a plan, for a puzzle or one of its problems.

    >>> import plansolve
    >>> problem = plansolve.read_problem([[4, 1, 2], [0, 5, 3], [7, 8, 6]])
    >>> plansolve.read_plan("down, left, left", problem)
    ('D', 'L', 'L')
    >>> plansolve.read_plan("U R R", problem, "blank")
    ('D', 'L', 'L')

    Moves are names or words (up, down, left, right, transport) with white space, commas or
    arrows between them, as a Python or JSON list, or, where every name is one character, run
    together. Case matters only where two names differ in nothing else. With `powers`, R2 stands for
    R R and R2' for R' R' where they are no names themselves. Raise `PlanError` naming the step that
    cannot be read, `OptionError` for a convention that the puzzle does not have, and
    `WrongTypeError` for what is no text.
    """
    if not isinstance(text, str):
        raise WrongTypeError(f"a plan's text is expected, not {brief(text)}")
    if len(text) > MAX_PLAN:
        raise PlanError(f"the plan is longer than {MAX_PLAN} characters: is it the right file?")
    vocabulary = _Vocabulary(_rules(puzzle), convention)
    plan: list[str] = []
    for token in _tokens(text):
        move = vocabulary.move(token)
        if move is not None:
            plan.append(move)
            continue
        if powers and (power := _POWER.fullmatch(token)):
            base, times, prime = power.groups()
            if (move := vocabulary.move(base + prime)) is not None:
                plan += [move] * int(times)
                continue
        for name in token if vocabulary.runs_together else (token,):
            move = vocabulary.move(name)
            if move is None:
                within = f" (in {quote(token)})" if name != token else ""
                raise vocabulary.error(len(plan) + 1, f"{quote(name)}{within}")
            plan.append(move)
    if not plan and _BETWEEN.search(text):
        raise PlanError("there are no moves: commas and arrows stand between moves")
    return tuple(plan)


def format_plan(
    plan: Iterable[str], puzzle: Puzzle | Problem, style: str = "letters", convention: str = "tile"
) -> str:
    """Return the plan as text that `read_plan` reads with the same convention.

    >>> import plansolve
    >>> problem = plansolve.read_problem([[4, 1, 2], [0, 5, 3], [7, 8, 6]])
    >>> plansolve.format_plan(("D", "L", "L"), problem)
    'DLL'
    >>> plansolve.format_plan(("D", "L", "L"), problem, "words", "blank")
    'up right right'

    Styles: `letters` runs the names together where each is one character and puts spaces between
    them otherwise; `words` says up, down, left, right and transport, and leaves other names as
    they are; `list` is a list in Python and JSON. Raise `PlanError` for a move that the puzzle
    does not have, `OptionError` for an unknown style or convention.
    """
    if style not in STYLES:
        raise OptionError(f"unknown style {quote(style)}: choose from {', '.join(STYLES)}")
    vocabulary = _Vocabulary(_rules(puzzle), convention)
    names = []
    for step, move in enumerate(plan, start=1):
        if move not in vocabulary.names:
            raise vocabulary.error(step, quote(move))
        names.append(vocabulary.names[move])
    if style == "list":
        return json.dumps(names, ensure_ascii=False)
    if style == "words":
        return " ".join(vocabulary.words.get(name, name) for name in names)
    return ("" if vocabulary.runs_together else " ").join(names)


def _rules(puzzle: object) -> Puzzle:
    rules = puzzle.puzzle if isinstance(puzzle, Problem) else puzzle
    if not isinstance(rules, Puzzle):
        raise WrongTypeError(f"a puzzle or a problem is expected, not {brief(puzzle)}")
    return rules


class _Vocabulary:
    """How the moves of a puzzle are called under one convention.

    `names` maps each operator name to the name in use, `words` a name in use to its word, and
    `runs_together` tells whether every name is one character.
    """

    def __init__(self, puzzle: Puzzle, convention: str) -> None:
        self._puzzle = puzzle
        self.names = _names(puzzle, convention)
        self.runs_together = all(len(name) == 1 for name in self.names.values())
        self._moves = {name: move for move, name in self.names.items()}
        forms = Counter(name.lower() for name in self._moves)
        self._folded = {
            name.lower(): move for name, move in self._moves.items() if forms[name.lower()] == 1
        }
        self.words = {
            name: word
            for name in self._moves
            if (word := _WORDS.get(name.lower())) and forms[name.lower()] == 1
            # What already reads as a name, or as names run together, stays that.
            if word not in forms and not (self.runs_together and forms.keys() >= set(word))
        }
        self._folded |= {word: self._moves[name] for name, word in self.words.items()}

    def move(self, name: str) -> str | None:
        """Return the operator that a name or word calls; None where there is none."""
        return self._moves.get(name) or self._folded.get(name.lower())

    def error(self, step: int, shown: str) -> PlanError:
        """Return what to raise for something that is no move."""
        known = " ".join(self._moves if len(self._moves) <= _SHOWN_NAMES else [*self._moves][:3])
        more = " ..." if len(self._moves) > _SHOWN_NAMES else ""
        return PlanError(
            f"step {step}: {shown} is not a move of {self._puzzle.short_name}; its moves: "
            f"{known}{more}"
        )


def _names(puzzle: Puzzle, convention: str) -> dict[str, str]:
    """Return the name of each operator under a convention."""
    if convention not in CONVENTIONS:
        raise OptionError(
            f"unknown convention {quote(convention)}: choose from {', '.join(CONVENTIONS)}"
        )
    if convention == "tile":
        return {name: name for name in puzzle.move_names}
    if not puzzle.blank_names:
        why = "gives its moves no second name" if puzzle.has_blank else "has no blank"
        raise OptionError(f"{puzzle.short_name} {why}: use the tile convention")
    return {name: puzzle.blank_names[name] for name in puzzle.move_names}


def _tokens(text: str) -> Iterator[str]:
    """Yield the tokens of a plan, without the list around them and the quotation marks."""
    body = text.strip()
    if body[:1] in _BRACKETS:
        closing = _BRACKETS[body[0]]
        if len(body) < 2 or body[-1] != closing:
            raise PlanError(f"the list of moves is not closed: {closing} is expected at its end")
        body = body[1:-1]
    for token in filter(None, _SEPARATORS.split(body)):
        quoted = len(token) > 2 and token[0] == token[-1] and token[0] in "'\""
        yield token[1:-1] if quoted else token
