"""KSolve and twsearch definitions (`.tws`) of permutation puzzles, with the start in the same file.

    Name Swap
    Set TILE 3 1
    Solved / TILE / 1 2 3 / End
    Move A / TILE / 2 1 3 / End
    Scramble start / TILE / 2 3 1 / End           (each / stands for a line break)

Positions and moves are read as twsearch reads them (github.com/cubing/twsearch,
docs/architecture.md): in a position, number v at place i says that piece v is there; in a move, it
says that the piece at place v goes to place i. The orientations of a `Move` are those of the pieces
by the places that they leave, as in KSolve; those of a `MoveTransformation` by the places that they
reach. `Solved`, `Move` and `Scramble` count from 1, `StartState`, `MoveTransformation` and
`ScrambleState` from 0. `ScrambleAlg` gives the start as moves made from the solved position. A move
X brings its inverse X', unless the file defines it; multiples such as X2 are not moves here. There
may be several sets, pieces that are alike, and orientations (see `tws_sets`); a block leaves out
the sets that it does not change. Rotations of the whole puzzle (x, y, z, Uv, ...) and illegal
positions are not read. A definition without a start is enough to generate boards.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from plansolve.errors import BoardError
from plansolve.formats.document import BoardDocument, BoardFormat
from plansolve.formats.grid import Line, board_lines, content_lines, square_side
from plansolve.formats.tws_sets import ANY_TWIST, Configuration, PieceSet, Sets
from plansolve.model.problem import Problem
from plansolve.model.puzzle import Operator, Puzzle, State, describe_mismatch
from plansolve.puzzles.family import LARGEST_SIDE
from plansolve.puzzles.rules import check_name, check_puzzle_name
from plansolve.text import counted, quote

_MOST_CELLS = LARGEST_SIDE * LARGEST_SIDE
_MOST_TWISTS = 24
_ANY = frozenset("?")
"""How an orientation is written that may be any."""
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
_NOT_READ = {
    "Illegal": "moves that some positions forbid are not supported",
    "MoveSequence": "sequences of moves that count as one are not supported",
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
    """What has been read so far."""

    name: str = "Unnamed"
    sets: Sets = field(default_factory=Sets)
    solved: Configuration | None = None
    moves: dict[str, Configuration] = field(default_factory=dict)
    start: Configuration | None = None
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
        missing = ["Solved"] * (definition.solved is None) + ["Move"] * (not definition.moves)
        raise BoardError(
            f"line {last}: the definition ends too soon, without {' and '.join(missing)}; it needs "
            "Set, Solved, Move, and a start as Scramble, ScrambleState or ScrambleAlg"
        )
    assert definition.solved is not None
    rules = _puzzle(definition, definition.solved)
    if not definition.start_line:
        some = " ".join([*definition.moves][:2])
        return BoardDocument(
            rules.rows,
            rules.columns,
            rules.goal,
            rules=rules,
            no_start=f"line {last}: the definition has no start: add one, such as the three lines "
            f"ScrambleAlg start, {some}, End, or --scramble '{some}'",
        )
    if definition.start is None:
        cells = _after(definition, rules)
    else:
        cells = definition.sets.board(definition.start, definition.solved)
    return BoardDocument(
        rules.rows, rules.columns, cells, (definition.start_line,) * len(cells), rules=rules
    )


def _command(line: Line, lines: Iterator[Line], definition: _Definition) -> None:
    head, *rest = line.tokens
    if head == "Name" and len(rest) == 1:
        definition.name = check_puzzle_name(rest[0], f"line {line.number}")
    elif head == "Set" and len(rest) == 3:
        _set(line, definition)
    elif head in ("Solved", "StartState") and not rest:
        if definition.solved:
            raise BoardError(
                f"line {line.number}: a second solved position (StartState is one); a start is "
                "given as ScrambleState NAME"
            )
        definition.solved = _position(line, lines, definition, definition.solved)
    elif head in ("Move", "MoveTransformation") and len(rest) == 1:
        name = check_name(rest[0], f"line {line.number}")
        if _ROTATION.fullmatch(name):
            raise BoardError(
                f"line {line.number}: {name} is the name of a rotation of the whole puzzle, "
                "which is no move; rename it if it is one"
            )
        if name in definition.moves:
            raise BoardError(f"line {line.number}: move {name} is defined twice")
        move = _position(line, lines, definition, None)
        definition.moves[name] = move.by_new_places() if head == "Move" else move
    elif head in ("Scramble", "ScrambleState", "StartState", "ScrambleAlg") and len(rest) == 1:
        if definition.start_line:
            raise BoardError(f"line {line.number}: a second start position: give one")
        definition.start_line = line.number
        if head == "ScrambleAlg":
            definition.algorithm = [
                (token, step.number) for step in _body(line, lines) for token in step.tokens
            ]
        else:
            definition.start = _position(line, lines, definition, definition.solved)
    elif head in _NOT_READ:
        raise BoardError(f"line {line.number}: {head}: {_NOT_READ[head]}")
    elif head in _OPENINGS:
        raise BoardError(f"line {line.number}: {head} is written so: {_OPENINGS[head]}")
    else:
        raise BoardError(
            f"line {line.number}: {quote(' '.join(line.tokens[:8]))} is not understood; expected "
            "are Name, Set, Solved, Move, Scramble, ScrambleState and ScrambleAlg"
        )


def _set(line: Line, definition: _Definition) -> None:
    _, name, *numbers = line.tokens
    size, twists = (_number(token, line.number) for token in numbers)
    if definition.solved is not None or definition.moves:
        raise BoardError(f"line {line.number}: all sets come before positions and moves")
    if any(own.name == name for own in definition.sets.sets):
        raise BoardError(f"line {line.number}: a second set of the name {quote(name)}")
    if not size:
        raise BoardError(f"line {line.number}: a set has one piece or more")
    if not 1 <= twists <= _MOST_TWISTS:
        raise BoardError(f"line {line.number}: pieces have 1 to {_MOST_TWISTS} orientations")
    definition.sets.sets.append(PieceSet(check_name(name, f"line {line.number}"), size, twists))
    if definition.sets.cells > _MOST_CELLS:
        raise BoardError(
            f"line {line.number}: the sets have {definition.sets.cells} stickers or more: "
            f"{_MOST_CELLS} are the most"
        )


def _position(
    line: Line, lines: Iterator[Line], definition: _Definition, solved: Configuration | None
) -> Configuration:
    """Return the numbers and orientations of a block, which holds its sets one after the other.

    `Solved` may repeat a number, and an orientation "?" there stands for any; a start holds the
    pieces of the `solved` position, and a move is a permutation.
    """
    if not definition.sets.sets:
        raise BoardError(f"line {line.number}: {line.tokens[0]} comes before Set")
    named = {own.name: own for own in definition.sets.sets}
    pieces, twists = dict[str, State](), dict[str, State]()
    body = _body(line, lines)
    while body:
        head = body.pop(0)
        own = named.get(head.tokens[0]) if len(head.tokens) == 1 else None
        if own is None:
            known = " or ".join(map(quote, [*named][:4]))
            raise BoardError(
                f"line {head.number}: {quote(' '.join(head.tokens[:8]))} is not the name of a "
                f"set: {known}"
            )
        if own.name in pieces:
            raise BoardError(f"line {head.number}: {own.name} stands here twice")
        if not body:
            raise BoardError(
                f"line {head.number}: the set's name stands before {counted(own.size, 'number')}"
            )
        pieces[own.name] = _pieces(line, body.pop(0), own, solved)
        if body and body[0].tokens[0] not in named:
            twists[own.name] = _twists(line, body.pop(0), own)
    return Configuration(pieces, twists)


def _pieces(opening: Line, line: Line, own: PieceSet, solved: Configuration | None) -> State:
    head, (number, tokens) = opening.tokens[0], line
    first = _COUNTS_FROM[head]
    if len(tokens) != own.size:
        raise BoardError(f"line {number}: {counted(len(tokens), 'number')}, the set has {own.size}")
    values = [_number(token, number) for token in tokens]
    is_solved = opening.tokens in (["Solved"], ["StartState"])
    wanted: Sequence[int] = range(own.size) if solved is None else solved.of(own)[0]
    if is_solved:
        # Pieces may be alike; their numbers are those of no others.
        wanted = [value - first for value in values if 0 <= value - first < own.size]
    if mismatch := describe_mismatch(values, [value + first for value in wanted]):
        raise BoardError(f"line {number}: {mismatch}; {head} counts from {first}")
    return tuple(value - first for value in values)


def _twists(opening: Line, line: Line, own: PieceSet) -> State:
    number, tokens = line
    if len(tokens) != own.size:
        raise BoardError(f"line {number}: {len(tokens)} orientations, the set has {own.size}")
    may_be_any = opening.tokens in (["Solved"], ["StartState"])
    twists = [
        ANY_TWIST if may_be_any and token in _ANY else _number(token, number) for token in tokens
    ]
    if max(twists) >= own.twists:
        raise BoardError(
            f"line {number}: orientation {max(twists)}: {own.name} has those from 0 to "
            f"{own.twists - 1}"
        )
    return tuple(twists)


def _body(opening: Line, lines: Iterator[Line]) -> list[Line]:
    body: list[Line] = []
    for line in lines:
        if line.tokens == ["End"]:
            return body
        body.append(line)
    raise BoardError(f"line {opening.number}: {opening.tokens[0]} has no End")


def _number(token: str, line: int) -> int:
    if not (token.isascii() and token.isdigit() and len(token) <= 4):
        raise BoardError(f"line {line}: {quote(token)} is not a number of at most four digits")
    return int(token)


def _puzzle(definition: _Definition, solved: Configuration) -> Puzzle:
    sets = definition.sets
    if sets.cells < 2:
        raise BoardError("the sets have one sticker: two are the least")
    defined = {name: sets.sources(move) for name, move in definition.moves.items()}
    operators = []
    for name, sources in defined.items():
        operators.append(_operator(name, sources))
        inverse = tuple(sorted(range(len(sources)), key=sources.__getitem__))
        if inverse not in defined.values():
            operators.append(_operator(f"{name}'", inverse))
    layout = sets.layout()
    side = square_side(sets.cells) if layout is None else None
    return Puzzle(
        name=definition.name,
        rows=side or 1,
        columns=side or sets.cells,
        goal=sets.board(solved, solved),
        operators=tuple(operators),
        labels=sets.labels(solved),
        layout=layout,
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
        raise BoardError(f"{puzzle.short_name} has a blank: the tws format is for puzzles without")

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
    _read,
    _write,
    has_shape=False,
)
