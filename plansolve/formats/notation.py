"""The names of a puzzle's moves, and styles of plans: letters, words, counts, lists and tiles.

Inside the program a plan always holds the names of the operators, which describe the motion of the
tile. Under the `blank` convention the same moves are named after the motion of the blank.
"""

import json
import re
from collections import ChainMap, Counter
from collections.abc import Iterable, Iterator
from itertools import groupby
from reprlib import repr as brief

from plansolve.errors import OptionError, PlanError, WrongTypeError
from plansolve.formats.pieces import pieces_text
from plansolve.model.problem import Problem, operators_of
from plansolve.model.puzzle import BLANK, Operator, Puzzle, State
from plansolve.puzzles.registry import FAMILIES
from plansolve.text import quote

CONVENTIONS = ("tile", "blank")
STYLES = ("letters", "words", "list", "counted", "tiles", "pieces")

MAX_PLAN = 4 * 1024 * 1024
"""The most characters of a plan that are read, and the most moves."""

_WORDS = ChainMap(
    {"u": "up", "d": "down", "l": "left", "r": "right"},
    *(dict(family.words) for family in FAMILIES.values()),
)
_LETTER = re.compile(r"[^\W\d_]\d*'?|.", re.DOTALL)
_COUNT_BEFORE = re.compile(r"(\d{1,3})\s*([^\W\d]\w*'?|[^\w\s])")
_SHOWN_NAMES = 30


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
    >>> plansolve.format_plan(("D", "L", "L"), problem, "tiles")
    '4 1 2'

    Styles: `letters` runs the names together if each is one character, or puts spaces between;
    `words` writes up, down, left, right and transport; `list` is a list in Python and JSON;
    `counted` writes DL2 for D L L; `tiles` names the tile of each move, for a legal plan of a
    problem with one blank; `pieces` writes the letter and the path of a piece, AR2, if pieces have
    several cells. Raise `PlanError` for a move that the puzzle does not have or that the style
    cannot name, `OptionError` for an unknown style or convention.
    """
    if style not in STYLES:
        raise OptionError(f"unknown style {quote(style)}: choose from {', '.join(STYLES)}")
    vocabulary = Vocabulary(rules_of(puzzle), convention)
    if style == "pieces":
        if not isinstance(puzzle, Problem):
            raise OptionError("style 'pieces' needs a problem, not only a puzzle")
        return pieces_text(tuple(plan), puzzle)
    if style == "tiles":
        return _tiles_text(tuple(plan), puzzle, vocabulary)
    names = []
    for step, move in enumerate(plan, start=1):
        if move not in vocabulary.names:
            raise vocabulary.error(step, quote(move))
        names.append(vocabulary.names[move])
    if style == "list":
        return json.dumps(names, ensure_ascii=False)
    if style == "words":
        return " ".join(vocabulary.words.get(name, name) for name in names)
    if style == "counted":
        texts = [vocabulary.counted(name, len([*run])) for name, run in groupby(names)]
        return ("" if vocabulary.are_letters else " ").join(texts)
    return ("" if vocabulary.run_together else " ").join(names)


def rules_of(puzzle: object) -> Puzzle:
    """Return a puzzle, or that of a problem; raise `WrongTypeError` for anything else."""
    rules = puzzle.puzzle if isinstance(puzzle, Problem) else puzzle
    if not isinstance(rules, Puzzle):
        raise WrongTypeError(f"a puzzle or a problem is expected, not {brief(puzzle)}")
    return rules


class Vocabulary:
    """The names of a puzzle's moves under one convention.

    `names` maps each operator name to the name in use, `words` a name in use to its word.
    `run_together` is True if every name is one character. `are_letters` is True if every name is a
    letter, perhaps with digits and an apostrophe after it, so that names without spaces between
    them can be separated in only one way. `has_counts` is False if a number could be a name.
    """

    def __init__(self, puzzle: Puzzle, convention: str) -> None:
        self._puzzle = puzzle
        self.names = names_in(puzzle, convention)
        self.run_together = all(len(name) == 1 for name in self.names.values())
        self.are_letters = all(map(_LETTER.fullmatch, self.names.values()))
        self.has_counts = not any(name[:1].isdigit() for name in self.names.values())
        self._moves = {name: move for move, name in self.names.items()}
        forms = Counter(name.lower() for name in self._moves)
        self._folded = {
            name.lower(): move for name, move in self._moves.items() if forms[name.lower()] == 1
        }
        self.words = {
            name: word
            for name in self._moves
            if (word := _WORDS.get(name.lower())) and forms[name.lower()] == 1
            # Names come before words, also without spaces between them.
            if word not in forms and not (self.run_together and forms.keys() >= set(word))
        }
        self._folded |= {word: self._moves[name] for name, word in self.words.items()}

    def move(self, name: str) -> str | None:
        """Return the operator with this name or word; None if there is none."""
        return self._moves.get(name) or self._folded.get(name.lower())

    def counted(self, name: str, times: int) -> str:
        """Return a repeated name with its count, or repeated if the count could be misread."""
        base, prime = (name[:-1], "'") if name.endswith("'") else (name, "")
        text = f"{base}{times}{prime}"
        if times > 1 and self.has_counts and not base[-1:].isdigit() and not self.move(text):
            return text
        return ("" if self.are_letters else " ").join([name] * times)

    def with_counts_after(self, text: str) -> str:
        """Return "U, L2" for "U, 2 left"; other texts, also with a number at each move, as is."""
        parts = [*filter(None, map(str.strip, re.split(r"[,;\n]", text)))]
        if len(parts) == 1:
            parts = text.split()
        counts = [_COUNT_BEFORE.fullmatch(part) for part in parts]
        if not self.has_counts or all(counts) or not any(counts):
            return text
        told = [
            (found[2], found[1]) if found else (part, "")
            for part, found in zip(parts, counts, strict=True)
        ]
        if not all(self.move(word) and not word[-1].isdigit() for word, _ in told):
            return text
        return " ".join(word + count for word, count in told)

    def error(self, step: int, shown: str) -> PlanError:
        """Return the error for a step that is not a move."""
        known = " ".join(self._moves if len(self._moves) <= _SHOWN_NAMES else [*self._moves][:3])
        more = " ..." if len(self._moves) > _SHOWN_NAMES else ""
        return PlanError(
            f"step {step}: {shown} is not a move of {self._puzzle.short_name}; its moves: "
            f"{known}{more}"
        )


def names_in(puzzle: Puzzle, convention: str) -> dict[str, str]:
    """Return the name of each operator under a convention.

    Raise `OptionError` for one that the puzzle does not have.
    """
    if convention not in CONVENTIONS:
        raise OptionError(
            f"unknown convention {quote(convention)}: choose from {', '.join(CONVENTIONS)}"
        )
    if convention == "tile":
        return {name: name for name in puzzle.move_names}
    if not puzzle.blank_names:
        why = "does not name the motion of the blank" if puzzle.has_blank else "has no blank"
        raise OptionError(f"{puzzle.short_name} {why}: use the tile convention")
    return {name: puzzle.blank_names[name] for name in puzzle.move_names}


def moves_of_tile(puzzle: Puzzle, board: State, tile: int, base: str | None = "") -> list[Operator]:
    """Return the operators that move the blank to a cell of `tile`, one for each cell.

    Of operators with the same effect, take the one of least penalty. `base` is the name that they
    must have, without the number of tiles that move along.
    """
    found: dict[tuple[int | None, int], Operator] = {}
    if puzzle.needs_kinds:
        return []
    for operator in sorted(puzzle.applicable(board).values(), key=lambda one: one.penalty):
        cell = next((c for c, source in operator.moves if source == operator.blank), None)
        if cell is None or board[cell] != tile:
            continue
        if not base or base in (operator.name, operator.name.rstrip("0123456789")):
            found.setdefault((operator.blank, cell), operator)
    return [*found.values()]


def _tiles_text(plan: tuple[str, ...], problem: Puzzle | Problem, vocabulary: Vocabulary) -> str:
    if not isinstance(problem, Problem) or not problem.puzzle.has_blank:
        raise OptionError("style 'tiles' needs a problem whose board has a gap")
    labels = [*_tile_labels(plan, problem)]
    # The reader must not take tiles called U, D, L and R for directions.
    is_like_moves = all(map(vocabulary.move, labels)) or set("NSEW").issuperset(labels)
    is_letters = all(len(label) == 1 and label.isalpha() for label in labels)
    return "tiles " * (is_like_moves and labels != []) + ("" if is_letters else " ").join(labels)


def _tile_labels(plan: tuple[str, ...], problem: Problem) -> Iterator[str]:
    puzzle, board = problem.puzzle, problem.start
    for step, operator in enumerate(operators_of(problem, plan), start=1):
        after = operator.apply(board)
        tile = next((board[cell] for cell, _ in operator.moves if after[cell] == BLANK), BLANK)
        if [one.name for one in moves_of_tile(puzzle, board, tile)] != [operator.name]:
            raise PlanError(
                f"step {step}: the tile {puzzle.label(tile)} cannot stand for the move "
                f"{operator.name}: choose another style"
            )
        yield puzzle.label(tile)
        board = after
