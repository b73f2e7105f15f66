"""KSolve and twsearch definitions (`.tws`) of permutation puzzles, with the start in the same file.

    Name Swap
    Set TILE 3 1
    Solved / TILE / 1 2 3 / End
    Move A / TILE / 2 1 3 / End
    Scramble start / TILE / 2 3 1 / End           (each / stands for a line break)

Positions and moves are read as twsearch reads them (github.com/cubing/twsearch,
docs/architecture.md); `docs/reference/formats.md`, "tws definitions", gives the rules.

A piece with k orientations has k stickers, and its place has a cell for each. In orientation v the
piece shows its sticker s in the cell s + v (modulo k) of its place, and a move that brings it from
one place to another and twists it by t takes what is in the cell j there to the cell j + t here. So
boards and permutations of stickers are equivalent to pieces and orientations. Pieces with the same
number are alike; if an orientation of the solved position is "?", so are the stickers of its piece.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from string import ascii_lowercase
from typing import TypeAlias

from plansolve.errors import BoardError
from plansolve.formats.document import BoardDocument, BoardFormat
from plansolve.formats.grid import Line, board_lines, content_lines, square_side
from plansolve.model.layout import CellLayout
from plansolve.model.names import check_name, check_puzzle_name, describe_mismatch
from plansolve.model.problem import Problem
from plansolve.model.puzzle import Operator, Puzzle, State
from plansolve.puzzles.family import LARGEST_SIDE
from plansolve.text import counted, quote

_MOST_CELLS = LARGEST_SIDE * LARGEST_SIDE
_MOST_TWISTS = 24
_WIDEST = 30
_ANY, _ANY_TWIST = "?", -1
"""The text and the number of an orientation that does not matter."""
_ROTATION = re.compile(r"[xyz][2']?|[A-Z_]+v")
_NOT_IN_NAMES = re.compile(r"[\s\[\]()\"→]+|,(?![\w.+*])|->")
_LONGEST_NAME = 60
_NAMED = ("Name", "Move", "MoveTransformation", "Scramble", "ScrambleState", "ScrambleAlg")
_OPENINGS = {head: f"{head} NAME" for head in _NAMED} | {
    "Set": "Set NAME PIECES 1",
    "Solved": "Solved, alone on its line",
}
_NOT_READ = {
    "Illegal": "moves that some positions forbid are not supported",
    "MoveSequence": "sequences of moves that count as one are not supported",
}
_COUNT_FROM_0 = ("StartState", "MoveTransformation", "ScrambleState")


@dataclass(frozen=True)
class _PieceSet:
    """A set of `size` places, whose pieces have `twists` orientations."""

    name: str
    size: int
    twists: int


_Configuration: TypeAlias = Mapping[str, tuple[State, State]]
"""A position or a move: for the name of each set, the numbers, from 0, and twists of its places."""

_Sticker: TypeAlias = tuple[int, int, int]
"""The numbers of its set, of its piece, and of the sticker."""


def _of(configuration: _Configuration, own: _PieceSet) -> tuple[State, State]:
    """Return the numbers and twists of a set; the identity for a set that is left out."""
    return configuration.get(own.name) or (tuple(range(own.size)), (0,) * own.size)


def _wrong(line: int, what: str) -> BoardError:
    return BoardError(f"line {line}: {what}")


class _Definition:
    """The content of a definition; raise `BoardError` if a line makes no sense."""

    def __init__(self, lines: Sequence[Line]) -> None:
        self._lines = iter(lines)
        self._last = self._start_line = 0
        self._name, self._sets = "Unnamed", list[_PieceSet]()
        self._solved: _Configuration = {}
        self._has_solved = False
        self._moves: dict[str, _Configuration] = {}
        self._start: _Configuration | None = None
        self._algorithm: list[tuple[str, int]] = []
        for line in self._lines:
            self._command(line)
            self._last = line.number
        if not (self._has_solved and self._moves):
            missing = ["Solved"] * (not self._has_solved) + ["Move"] * (not self._moves)
            raise _wrong(
                self._last,
                f"the definition ends too soon, without {' and '.join(missing)}; it needs Set, "
                "Solved, Move, and a start as Scramble, ScrambleState or ScrambleAlg",
            )

    def document(self) -> BoardDocument:
        """Return the rules and the start."""
        rules, line = self._puzzle(), self._start_line
        if line:
            cells = self._after(rules) if self._start is None else self._board(self._start)
            lines = (line,) * len(cells)
            return BoardDocument(rules.rows, rules.columns, cells, lines, rules=rules)
        some = " ".join([*self._moves][:2])
        missing = (
            f"line {self._last}: the definition has no start: add one, such as the three lines "
            f"ScrambleAlg start, {some}, End, or --scramble '{some}'"
        )
        cells = rules.goal
        return BoardDocument(rules.rows, rules.columns, cells, rules=rules, no_start=missing)

    def _command(self, line: Line) -> None:
        number, (head, *rest), _ = line
        if head == "Name" and rest:
            # Titles of several words are usual, but names have no spaces or brackets.
            title = _NOT_IN_NAMES.sub("-", " ".join(rest)).strip("-,")[:_LONGEST_NAME]
            name = title if len(rest) > 1 else rest[0]
            self._name = check_puzzle_name(name, f"line {number}")
        elif head == "Set" and len(rest) == 3:
            self._set(line)
        elif head in ("Solved", "StartState") and not rest:
            if self._has_solved:
                raise _wrong(
                    number,
                    "a second solved position (StartState is one); a start is given as "
                    "ScrambleState NAME",
                )
            self._solved, self._has_solved = self._position(line), True
        elif head in ("Move", "MoveTransformation") and len(rest) == 1:
            name = check_name(rest[0], f"line {number}")
            if _ROTATION.fullmatch(name):
                raise _wrong(
                    number,
                    f"{name} names a rotation of the whole puzzle, which is not a move; if it is "
                    "another move, rename it",
                )
            if name in self._moves:
                raise _wrong(number, f"move {name} is defined twice")
            move = self._position(line)
            if head == "Move":
                # A `Move` lists its twists by the places that pieces leave.
                move = {own: (p, tuple(t[i] for i in p)) for own, (p, t) in move.items()}
            self._moves[name] = move
        elif head in ("Scramble", "ScrambleState", "StartState", "ScrambleAlg") and len(rest) == 1:
            if self._start_line:
                raise _wrong(number, "a second start position: give only one")
            self._start_line = number
            if head == "ScrambleAlg":
                self._algorithm = [
                    (t, step.number) for step in self._body(line) for t in step.tokens
                ]
            else:
                self._start = self._position(line)
        elif head in _NOT_READ:
            raise _wrong(number, f"{head}: {_NOT_READ[head]}")
        elif head in _OPENINGS:
            raise _wrong(number, f"{head}: expected {_OPENINGS[head]}")
        else:
            raise _wrong(
                number,
                f"{quote(' '.join(line.tokens[:8]))} is not understood: expected Name, Set, "
                "Solved, Move, Scramble, ScrambleState or ScrambleAlg",
            )

    def _set(self, line: Line) -> None:
        number, (_, name, *numbers), _ = line
        size, twists = (_number(token, number) for token in numbers)
        if self._has_solved or self._moves:
            raise _wrong(number, "all sets must come before positions and moves")
        if any(own.name == name for own in self._sets):
            raise _wrong(number, f"a second set named {quote(name)}")
        if not size:
            raise _wrong(number, "a set must have one piece or more")
        if not 1 <= twists <= _MOST_TWISTS:
            raise _wrong(number, f"pieces must have 1 to {_MOST_TWISTS} orientations")
        self._sets.append(_PieceSet(check_name(name, f"line {number}"), size, twists))
        if self._cells > _MOST_CELLS:
            raise _wrong(
                number,
                f"the sets have {self._cells} stickers or more: at most {_MOST_CELLS} are "
                f"supported",
            )

    def _position(self, opening: Line) -> _Configuration:
        """Return the configuration that a block states, one set after the other.

        `Solved` may repeat a number, and an orientation "?" there stands for any; a start holds the
        pieces of the solved position, and a move is a permutation.
        """
        if not self._sets:
            raise _wrong(opening.number, f"{opening.tokens[0]} comes before Set")
        named = {own.name: own for own in self._sets}
        found: dict[str, tuple[State, State]] = {}
        body = self._body(opening)
        while body:
            number, tokens, _ = body.pop(0)
            own = named.get(tokens[0]) if len(tokens) == 1 else None
            if own is None:
                known = " or ".join(map(quote, [*named][:4]))
                some = quote(" ".join(tokens[:8]))
                raise _wrong(number, f"{some} is not the name of a set: {known}")
            if own.name in found:
                raise _wrong(number, f"{own.name} appears twice")
            if not body:
                raise _wrong(
                    number, f"after the set's name {counted(own.size, 'number')} must follow"
                )
            pieces, twists = self._pieces(opening.tokens, body.pop(0), own), (0,) * own.size
            if body and body[0].tokens[0] not in named:
                twists = _twists(opening.tokens, body.pop(0), own)
            found[own.name] = pieces, twists
        return found

    def _pieces(self, opening: list[str], line: Line, own: _PieceSet) -> State:
        number, tokens, _ = line
        if len(tokens) != own.size:
            raise _wrong(number, f"{counted(len(tokens), 'number')}, the set has {own.size}")
        first = int(opening[0] not in _COUNT_FROM_0)
        values = [_number(token, number) - first for token in tokens]
        wanted: Sequence[int] = range(own.size)
        if len(opening) == 1:
            # Pieces may be alike, so all numbers of the set are allowed, any number of times.
            wanted = [value for value in values if 0 <= value < own.size]
        elif not opening[0].startswith("Move"):
            wanted = _of(self._solved, own)[0]
        written, wanted = ([value + first for value in cells] for cells in (values, wanted))
        if mismatch := describe_mismatch(written, wanted):
            raise _wrong(number, f"{mismatch}; {opening[0]} counts from {first}")
        return tuple(values)

    def _body(self, opening: Line) -> list[Line]:
        body: list[Line] = []
        for line in self._lines:
            if line.tokens == ["End"]:
                return body
            body.append(line)
        raise _wrong(opening.number, f"{opening.tokens[0]} has no End")

    @property
    def _cells(self) -> int:
        return sum(own.size * own.twists for own in self._sets)

    def _puzzle(self) -> Puzzle:
        if self._cells < 2:
            raise BoardError("one sticker in all: at least two are needed")
        defined = {name: self._sources(move) for name, move in self._moves.items()}
        operators = []
        for name, sources in defined.items():
            operators.append(_operator(name, sources))
            inverse = tuple(sorted(range(len(sources)), key=sources.__getitem__))
            if inverse not in defined.values():
                operators.append(_operator(f"{name}'", inverse))
        is_plain = len(self._sets) == 1 and self._sets[0].twists == 1
        side = square_side(self._cells) if is_plain else None
        return Puzzle(
            name=self._name,
            rows=side or 1,
            columns=side or self._cells,
            goal=self._board(self._solved),
            operators=tuple(operators),
            labels=self._labels(),
            layout=None if is_plain else self._layout(),
        )

    def _after(self, rules: Puzzle) -> State:
        moves: Mapping[str, Operator] = rules.applicable(rules.goal)
        # X' also names an inverse that has a name of its own, such as a move that undoes itself.
        inverses = {
            f"{name}'": Operator(name, tuple((j, i) for i, j in move.moves))
            for name, move in moves.items()
        }
        moves = inverses | dict(moves)
        state = rules.goal
        for token, line in self._algorithm:
            if token not in moves:
                raise _wrong(
                    line, f"{quote(token)} is not a move: write moves of this file; A' undoes A"
                )
            state = moves[token].apply(state)
        return state

    def _sources(self, move: _Configuration) -> State:
        """Return, for each cell, the cell that a move fills it from."""
        found, begin = list[int](), 0
        for own in self._sets:
            for place, twist in zip(*_of(move, own), strict=True):
                first = begin + place * own.twists
                found += [first + (cell - twist) % own.twists for cell in range(own.twists)]
            begin += own.size * own.twists
        return tuple(found)

    def _board(self, position: _Configuration) -> State:
        """Return the kind of each cell's sticker, from 1; the solved position has those kinds."""
        numbers = {sticker: n for n, sticker in enumerate(self._kinds(), start=1)}
        return tuple(map(numbers.__getitem__, self._stickers(position)))

    def _labels(self) -> tuple[str, ...]:
        """Return the label of each kind; 0 would be a blank.

        The pieces of a single set without orientations are called by their numbers.
        """
        labels = ["0"]
        for number, piece, sticker in self._kinds():
            own = self._sets[number]
            name = own.name if len(self._sets) > 1 else ""
            labels.append(f"{name}{piece + 1}" + ascii_lowercase[sticker] * (own.twists > 1))
        return tuple(labels)

    def _layout(self) -> CellLayout | None:
        """Return the positions of the cells in pictures: each set begins a new, wrapped row."""
        positions, row = list[tuple[float, float]](), 0
        for own in self._sets:
            width = max(1, _WIDEST // own.twists) * own.twists
            count = own.size * own.twists
            positions += [(float(n % width), float(row + n // width)) for n in range(count)]
            row += -(-count // width)
        return CellLayout(tuple(positions)) if row <= _WIDEST * 2 else None

    def _kinds(self) -> list[_Sticker]:
        return sorted(set(self._stickers(self._solved)))

    def _stickers(self, position: _Configuration) -> list[_Sticker]:
        shown = list[_Sticker]()
        for number, own in enumerate(self._sets):
            # The solved position shows which pieces may have any orientation.
            solved = zip(*_of(self._solved, own), strict=True)
            free = {piece for piece, twist in solved if twist == _ANY_TWIST}
            for piece, twist in zip(*_of(position, own), strict=True):
                for cell in range(own.twists):
                    sticker = 0 if piece in free else (cell - twist) % own.twists
                    shown.append((number, piece, sticker))
        return shown


def _twists(opening: list[str], line: Line, own: _PieceSet) -> State:
    number, tokens, _ = line
    if len(tokens) != own.size:
        raise _wrong(number, f"{counted(len(tokens), 'orientation')}, the set has {own.size}")
    is_solved = len(opening) == 1
    twists = [
        _ANY_TWIST if is_solved and token == _ANY else _number(token, number) for token in tokens
    ]
    if max(twists) >= own.twists:
        has = f"{own.name} has orientations 0 to {own.twists - 1}"
        raise _wrong(number, f"orientation {max(twists)}: {has}")
    return tuple(twists)


def _number(token: str, line: int) -> int:
    if not (token.isascii() and token.isdigit() and len(token) <= 4):
        raise _wrong(line, f"{quote(token)} is not a number of at most four digits")
    return int(token)


def _operator(name: str, sources: State) -> Operator:
    return Operator(name, tuple((i, v) for i, v in enumerate(sources) if i != v))


def _recognises(text: str) -> bool:
    lines = content_lines(text)
    return bool(lines) and lines[0].tokens[0] in ("Name", "Set")


def _write(problem: Problem) -> str:
    puzzle = problem.puzzle
    if puzzle.has_blank:
        raise BoardError(
            f"{puzzle.short_name} has a blank: the tws format is for puzzles without one"
        )

    def block(head: str, numbers: State) -> str:
        return f"{head}\nTILE\n{' '.join(map(str, numbers))}\nEnd\n"

    identity = tuple(range(puzzle.cells))
    moves = (
        block(f"Move {operator.name}", tuple(v + 1 for v in operator.apply(identity)))
        for operator in puzzle.operators
    )
    return "\n".join(
        (
            f"Name {puzzle.name}\nSet TILE {puzzle.cells} 1\n",
            block("Solved", puzzle.goal),
            *moves,
            block("Scramble start", problem.start),
        )
    )


TWS = BoardFormat(
    "tws",
    "a definition: Name, Set, Solved, Move ..., Scramble",
    _recognises,
    read=lambda text: _Definition(board_lines(text)).document(),
    write=_write,
    has_shape=False,
)
