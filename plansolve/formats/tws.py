"""KSolve and twsearch definitions (`.tws`) of permutation puzzles, with the start in the same file.

    Name Swap
    Set TILE 3 1
    Solved / TILE / 1 2 3 / End
    Move A / TILE / 2 1 3 / End
    Scramble start / TILE / 2 3 1 / End           (each / stands for a line break)

Positions and moves are read as twsearch reads them (github.com/cubing/twsearch,
docs/architecture.md): in a position, number v at place i says that piece v is there; in a move, it
says that the piece at place v goes to place i. `Solved`, `Move` and `Scramble` count from 1,
`StartState`, `MoveTransformation` and `ScrambleState` from 0. `ScrambleAlg` gives the start as
moves made from the solved position. A move X brings its inverse X', unless the file defines it;
multiples such as X2 are not moves here. One set of distinct pieces without orientation is read,
and no rotations of the whole puzzle (x, y, z, Uv, ...). A definition without a start is enough to
generate boards.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from plansolve.errors import BoardError
from plansolve.formats.document import BoardDocument, BoardFormat
from plansolve.formats.grid import Line, board_lines, content_lines, square_side
from plansolve.formats.rules import check_name
from plansolve.model.problem import Problem
from plansolve.model.puzzle import Operator, Puzzle, State, describe_mismatch
from plansolve.text import quote

__all__ = ["TWS"]

_LARGEST_SET = 255
_ROTATION = re.compile(r"[xyz][2']?|[A-Z_]+v")
_OPENINGS = {
    "Name": "Name NAME",
    "Set": "Set NAME PIECES 1",
    "Solved": "Solved, alone on its line",
    "Move": "Move NAME",
    "MoveTransformation": "MoveTransformation NAME",
    "Scramble": "Scramble NAME",
    "ScrambleState": "ScrambleState NAME",
    "ScrambleAlg": "ScrambleAlg NAME",
}
_COUNTS_FROM = {
    "Solved": 1,
    "StartState": 0,
    "Move": 1,
    "MoveTransformation": 0,
    "Scramble": 1,
    "ScrambleState": 0,
}


@dataclass
class _Definition:
    """What has been read so far; permutations count from 0."""

    name: str = "Unnamed"
    set_name: str = ""
    size: int = 0
    solved: State = ()
    moves: dict[str, State] = field(default_factory=dict)
    start: State = ()
    algorithm: list[tuple[str, int]] = field(default_factory=list)
    start_line: int = 0


def _recognises(text: str) -> bool:
    lines = content_lines(text)
    return bool(lines) and lines[0].tokens[0] in ("Name", "Set")


def _read(text: str) -> BoardDocument:
    definition = _Definition()
    lines = iter(board_lines(text))
    last = 1
    for line in lines:
        _command(line, lines, definition)
        last = line.number
    if not (definition.solved and definition.moves):
        missing = ["Solved"] * (not definition.solved) + ["Move"] * (not definition.moves)
        raise BoardError(
            f"line {last}: the definition ends too soon, without {' and '.join(missing)}; it needs "
            "Set, Solved, Move, and a start as Scramble, ScrambleState or ScrambleAlg"
        )
    rules = _puzzle(definition)
    if not definition.start_line:
        some = " ".join([*definition.moves][:2])
        return BoardDocument(
            rules.rows,
            rules.columns,
            rules.goal,
            rules=rules,
            no_start=f"line {last}: the definition has no start: add one, such as the three lines "
            f"ScrambleAlg start, {some}, End",
        )
    cells = definition.start or _after(definition, rules)
    return BoardDocument(
        rules.rows, rules.columns, cells, (definition.start_line,) * len(cells), rules=rules
    )


def _command(line: Line, lines: Iterator[Line], definition: _Definition) -> None:
    head, *rest = line.tokens
    if head == "Name" and len(rest) == 1:
        definition.name = check_name(rest[0], f"line {line.number}")
    elif head == "Set" and len(rest) == 3:
        _set(line, definition)
    elif head in ("Solved", "StartState") and not rest:
        if definition.solved:
            raise BoardError(
                f"line {line.number}: a second solved position (StartState is one); a start is "
                "given as ScrambleState NAME"
            )
        definition.solved = _numbers(line, lines, definition)
    elif head in ("Move", "MoveTransformation") and len(rest) == 1:
        name = check_name(rest[0], f"line {line.number}")
        if _ROTATION.fullmatch(name):
            raise BoardError(
                f"line {line.number}: {name} is the name of a rotation of the whole puzzle, "
                "which is no move; rename it if it is one"
            )
        if name in definition.moves:
            raise BoardError(f"line {line.number}: move {name} is defined twice")
        definition.moves[name] = _numbers(line, lines, definition)
    elif head in ("Scramble", "ScrambleState", "StartState", "ScrambleAlg") and len(rest) == 1:
        if definition.start_line:
            raise BoardError(f"line {line.number}: a second start position: give one")
        definition.start_line = line.number
        if head == "ScrambleAlg":
            definition.algorithm = [
                (token, step.number) for step in _body(line, lines) for token in step.tokens
            ]
        else:
            definition.start = tuple(v + 1 for v in _numbers(line, lines, definition))
    elif head in _OPENINGS:
        raise BoardError(f"line {line.number}: {head} is written so: {_OPENINGS[head]}")
    else:
        raise BoardError(
            f"line {line.number}: {quote(' '.join(line.tokens[:8]))} is not understood; expected "
            "are Name, Set, Solved, Move, Scramble, ScrambleState and ScrambleAlg"
        )


def _set(line: Line, definition: _Definition) -> None:
    _, name, size, orientations = line.tokens
    if definition.set_name:
        raise BoardError(f"line {line.number}: a second set: puzzles of one set are supported")
    if orientations != "1":
        raise BoardError(
            f"line {line.number}: {quote(orientations)} orientations: only 1 is supported"
        )
    definition.set_name, definition.size = name, _number(size, line.number)
    if not 2 <= definition.size <= _LARGEST_SET:
        raise BoardError(f"line {line.number}: the size of a set is from 2 to {_LARGEST_SET}")


def _numbers(line: Line, lines: Iterator[Line], definition: _Definition) -> State:
    """Return the permutation of a block, counted from 0; a block without one is the identity."""
    if not definition.set_name:
        raise BoardError(f"line {line.number}: {line.tokens[0]} comes before Set")
    body, size, first = _body(line, lines), definition.size, _COUNTS_FROM[line.tokens[0]]
    if not body:
        return tuple(range(size))
    if body[0].tokens != [definition.set_name]:
        raise BoardError(
            f"line {body[0].number}: {quote(' '.join(body[0].tokens[:8]))} is not the name of "
            f"the set, {quote(definition.set_name)}"
        )
    if len(body) < 2:
        raise BoardError(f"line {body[0].number}: {size} numbers are expected after the set's name")
    for orientation in body[2:]:
        if len(body) > 3 or set(orientation.tokens) != {"0"}:
            raise BoardError(f"line {orientation.number}: orientations are not supported")
    number, tokens = body[1]
    if len(tokens) != size:
        raise BoardError(f"line {number}: {len(tokens)} numbers, the set has {size}")
    values = [_number(token, number) for token in tokens]
    if mismatch := describe_mismatch(values, range(first, first + size)):
        raise BoardError(
            f"line {number}: {mismatch}; {line.tokens[0]} counts from {first}, "
            "and the pieces must be distinct"
        )
    return tuple(value - first for value in values)


def _body(opening: Line, lines: Iterator[Line]) -> list[Line]:
    body: list[Line] = []
    for line in lines:
        if line.tokens == ["End"]:
            return body
        body.append(line)
    raise BoardError(f"line {opening.number}: {opening.tokens[0]} has no End")


def _number(token: str, line: int) -> int:
    if not (token.isascii() and token.isdigit() and len(token) <= 3):
        raise BoardError(f"line {line}: {quote(token)} is not a number up to {_LARGEST_SET}")
    return int(token)


def _puzzle(definition: _Definition) -> Puzzle:
    defined = set(definition.moves.values())
    operators = []
    for name, sources in definition.moves.items():
        operators.append(_operator(name, sources))
        inverse = tuple(sorted(range(len(sources)), key=sources.__getitem__))
        if inverse not in defined:
            operators.append(_operator(f"{name}'", inverse))
    side = square_side(definition.size)
    return Puzzle(
        name=definition.name,
        rows=side or 1,
        columns=side or definition.size,
        goal=tuple(piece + 1 for piece in definition.solved),
        operators=tuple(operators),
        labels=tuple(map(str, range(definition.size + 1))),
    )


def _operator(name: str, sources: State) -> Operator:
    return Operator(name, tuple((i, v) for i, v in enumerate(sources) if i != v))


def _after(definition: _Definition, rules: Puzzle) -> State:
    moves: Mapping[str, Operator] = rules.applicable(rules.goal)
    by_effect = {frozenset(move.moves): move for move in moves.values()}
    # An inverse that has another name, as that of a move which undoes itself, is known by X' too.
    inverses = {
        f"{name}'": by_effect[frozenset((j, i) for i, j in move.moves)]
        for name, move in moves.items()
    }
    moves = inverses | dict(moves)
    state = rules.goal
    for token, line in definition.algorithm:
        if token not in moves:
            raise BoardError(
                f"line {line}: {quote(token)} is no move; a move X can be made as X and X'"
            )
        state = moves[token].apply(state)
    return state


def _write(problem: Problem) -> str:
    puzzle = problem.puzzle
    if puzzle.has_blank:
        raise BoardError(f"{puzzle.name} has a blank: the tws format is for puzzles without")

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
    "tws", "a definition: Name, Set, Solved, Move ..., Scramble", _recognises, _read, _write
)
