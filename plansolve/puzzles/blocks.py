"""Pieces of several cells: sliding blocks such as Klotski (Huarong Dao), and Rush Hour.

A board is a grid of letters: the cells of one letter are one piece, `.` or `o` is a gap, `-` or `x`
a wall. Each part of a piece is a kind of its own, and a move carries all parts. Pieces of one shape
are alike, so that they share their kinds, unless the goal names one of them by its letter.

A move is named after the cell of the piece's first part and its path: b3U2 moves the piece whose
first cell, row by row, is in the second column and third row up by two cells. In Rush Hour, where
all pieces are different, it is named after the letter: A+2 moves car A right or down by two cells,
A-2 left or up.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from operator import itemgetter
from string import ascii_letters
from typing import NamedTuple, TypeAlias

from plansolve.errors import BoardError, GoalError
from plansolve.model.names import HOLE_SIGN
from plansolve.model.puzzle import BLANK, MOST_CELLS, OPEN, OPEN_SIGN, Operator, Puzzle, State
from plansolve.puzzles.family import Family, Parameters, Preset, chosen_metric, specified
from plansolve.puzzles.obstacles import Obstacles
from plansolve.puzzles.sliding import square_name
from plansolve.text import quote

Grid: TypeAlias = Sequence[str]
"""The rows of a board of letters."""

GAP = "."
GAPS, WALLS = (GAP, "o"), (HOLE_SIGN, "x")
EXIT = "exit"
"""The name of the goal: the largest piece in the middle of the last rows, or the car at the exit,
the right end of its row."""

_RUSH_HOUR = "rush-hour"
_METRICS = ("step", "slide", "move")
_ALL = "all"
_CARS = "XRA"
"""Letters of the car that must leave, the likeliest first."""

_JAM_SIDE = 6
_EXIT_ROW = 2
"""The row of the exit on the usual board, counted from 0."""

_WAYS = {"U": (-1, 0), "D": (1, 0), "L": (0, -1), "R": (0, 1)}
_PLACE = re.compile(r"\s*([A-Za-z])\s+at\s+row\s+(\d{1,2})\s+column\s+(\d{1,2})\s*")
_PART = re.compile(r"([A-Za-z])(\d*)")
_LETTERS = sorted({*ascii_letters} - {*GAPS, *WALLS})
_MOST_OPERATORS = 20_000

_KLOTSKI = ("ABBC", "ABBC", "DEEF", "DGHF", "I..J")
_JAM = ("BBoKMx", "DDDKMo", "IAALoo", "IoJLEE", "ooJFFN", "oGGoxN")

_Place: TypeAlias = tuple[int, ...]
"""The cells of a piece's parts, row by row."""


class _Class(NamedTuple):
    """Pieces that are alike: their places, and the kind of their first part.

    `ways` are the directions in which they may move.
    """

    letter: str
    places: list[_Place]
    first: int
    ways: str


_Namer: TypeAlias = Callable[[str, _Place, str, int], str]


def is_place(goal: str) -> bool:
    """Return True for a goal in words: "B at row 4 column 2", or several with commas between."""
    return all(map(_PLACE.fullmatch, goal.split(",")))


def pose(
    name: str, grid: Grid, goal: str | Grid | None, parameters: Parameters
) -> tuple[Puzzle, State]:
    """Return the rules that follow from the pieces of a board, with its goal, and the board.

    `goal` is `EXIT`, a place in words, or a grid in which `*` is an open cell. Raise `BoardError`
    for pieces that the rules do not allow, `GoalError` for a goal that does not fit the board, and
    `OptionError` for a wrong parameter.
    """
    is_jam = name == _RUSH_HOUR
    metric = chosen_metric(parameters, ("slide", "step") if is_jam else _METRICS)
    rows, columns = len(grid), len(grid[0])
    letters = "".join(grid)
    if not any(gap in letters for gap in GAPS):
        raise BoardError("the board has no gap (. or o): no piece can move")
    pieces = _pieces(letters, columns)
    if is_jam:
        _check_cars(pieces, columns)
    holes = [cell for cell, letter in enumerate(letters) if letter in WALLS]
    free = {*range(len(letters))} - {*holes}
    ends = _ends(pieces, goal, rows, columns, free, is_jam=is_jam)
    _check_ends(ends, free)
    are_all_apart = is_jam or parameters.get("distinct") == _ALL
    classes = _classes(pieces, {*pieces} if are_all_apart else {*ends}, columns, is_jam=is_jam)
    labels = [GAP]
    start, wanted = [BLANK] * len(letters), [OPEN] * len(letters)
    for own in classes:
        parts = range(len(own.places[0]))
        labels += [f"{own.letter}{part + 1}" if len(parts) > 1 else own.letter for part in parts]
        for place in own.places:
            for part, cell in enumerate(place):
                start[cell] = own.first + part
        for part, cell in enumerate(ends.get(own.letter, ())):
            wanted[cell] = own.first + part
    for cell in ends.get(GAP, ()):
        wanted[cell] = BLANK
    fixed = tuple((cell, len(labels) + i) for i, cell in enumerate(holes))
    for cell, kind in fixed:
        start[cell] = wanted[cell] = kind
    namer = _jam_name if is_jam else _block_name
    moves = _operators(classes, free, columns, start.count(BLANK), metric, namer)
    puzzle = Puzzle(
        name=specified(
            name,
            f"metric={metric}" if metric != ("slide" if is_jam else _METRICS[0]) else "",
            f"distinct={_ALL}" if are_all_apart and not is_jam else "",
        ),
        rows=rows,
        columns=columns,
        goal=tuple(wanted),
        operators=tuple(moves),
        labels=(*labels, *(HOLE_SIGN,) * len(holes)),
        layout=Obstacles(tuple(holes)).layout(rows, columns),
        pieces=tuple(sorted(start)),
        fixed=fixed,
    )
    return puzzle, tuple(start)


def _pieces(letters: str, columns: int) -> dict[str, _Place]:
    """Return the cells of each letter; raise `BoardError` if cells of one do not touch."""
    pieces: dict[str, list[int]] = {}
    for cell, letter in enumerate(letters):
        if letter not in (*GAPS, *WALLS):
            pieces.setdefault(letter, []).append(cell)
    for letter, cells in pieces.items():
        seen, todo = {cells[0]}, [cells[0]]
        while todo:
            cell = todo.pop()
            beside = [cell - columns, cell + columns]
            beside += [cell - 1] * (cell % columns > 0) + [cell + 1] * ((cell + 1) % columns > 0)
            new = {*beside} & {*cells} - seen
            seen |= new
            todo += new
        if len(seen) < len(cells):
            apart = min({*cells} - seen)
            raise BoardError(
                f"row {apart // columns + 1}: {letter} does not touch the other cells of {letter}: "
                "all cells of a letter must be one piece"
            )
    if not pieces:
        raise BoardError("the board has no piece")
    return {letter: tuple(cells) for letter, cells in sorted(pieces.items())}


def _check_cars(pieces: Mapping[str, _Place], columns: int) -> None:
    for letter, place in pieces.items():
        if {b - a for a, b in pairwise(place)} not in ({1}, {columns}):
            raise BoardError(
                f"row {place[0] // columns + 1}: {letter} is not a car: a car is two cells or more "
                "in one line"
            )


def are_cars(grid: Grid) -> bool:
    """Return True for a 6x6 board whose pieces are cars, one of which can leave."""
    if len(grid) != _JAM_SIDE or len(grid[0]) != _JAM_SIDE:
        return False
    try:
        pieces = _pieces("".join(grid), _JAM_SIDE)
        _check_cars(pieces, _JAM_SIDE)
    except BoardError:
        return False
    return _car_of(pieces, _JAM_SIDE) is not None


def _car_of(pieces: Mapping[str, _Place], columns: int) -> str | None:
    """Return the letter of the car that must leave at the right end of its row."""
    across = [c for c in _CARS if c in pieces and len(pieces[c]) > 1 and _is_across(pieces[c])]
    middle = [car for car in across if pieces[car][0] // columns == _EXIT_ROW]
    return next(iter((*middle, *across)), None)


def _is_across(place: _Place) -> bool:
    return place[1] - place[0] == 1


def _ends(
    pieces: Mapping[str, _Place],
    goal: str | Grid | None,
    rows: int,
    columns: int,
    free: set[int],
    *,
    is_jam: bool,
) -> dict[str, _Place]:
    """Return the goal cells of the pieces that the goal names, and of gaps."""
    if isinstance(goal, str) and goal != EXIT:
        return dict(_told(pieces, part, rows, columns) for part in goal.split(","))
    if goal is None or goal == EXIT:
        return _exit(pieces, rows, columns, free, is_jam=is_jam)
    if [len(row) for row in goal] != [columns] * rows:
        raise GoalError(f"the goal is {len(goal)}x{len(goal[0])}, not {rows}x{columns}")
    ends: dict[str, list[int]] = {}
    for cell, letter in enumerate("".join(goal)):
        if letter not in (OPEN_SIGN, *WALLS):
            ends.setdefault(GAP if letter in GAPS else letter, []).append(cell)
    for letter, cells in ends.items():
        if letter == GAP:
            continue
        if letter not in pieces:
            raise GoalError(f"the goal has the piece {quote(letter)}, but the board does not")
        if _shape(cells, columns) != _shape(pieces[letter], columns):
            raise GoalError(f"the piece {letter} has another shape in the goal than on the board")
    return {letter: tuple(cells) for letter, cells in ends.items()}


def _check_ends(ends: Mapping[str, _Place], free: set[int]) -> None:
    cells = [cell for place in ends.values() for cell in place]
    if len({*cells}) < len(cells):
        raise GoalError("the goal has two pieces in one cell")
    if not free.issuperset(cells):
        raise GoalError("the goal has a piece where the board has a wall")


def _told(pieces: Mapping[str, _Place], part: str, rows: int, columns: int) -> tuple[str, _Place]:
    """Return the letter and cells of a piece whose upper left corner has the place in words."""
    match = _PLACE.fullmatch(part)
    letter = match[1] if match else ""
    if match is None or letter not in pieces:
        raise GoalError(
            f"goal: {quote(part)} does not name a piece and its place, as in B at row 4 column 2"
        )
    place = pieces[letter]
    down = int(match[2]) - 1 - min(cell // columns for cell in place)
    right = int(match[3]) - 1 - min(cell % columns for cell in place)
    moved = _moved(place, down, right, rows, columns)
    if moved is None:
        raise GoalError(f"goal: {letter} would leave the board there")
    return letter, moved


def _exit(
    pieces: Mapping[str, _Place], rows: int, columns: int, free: set[int], *, is_jam: bool
) -> dict[str, _Place]:
    """Return the goal cells of the piece that must leave, inside a frame of walls if any."""
    last_row = max(free) // columns
    left, *_, right = sorted(cell % columns for cell in free)
    if is_jam:
        if (car := _car_of(pieces, columns)) is None:
            raise BoardError(
                "no car X, R or A is horizontal: name a car and its goal cell, as in "
                '--goal "B at row 3 column 5"'
            )
        away = right - pieces[car][-1] % columns
        return {car: tuple(cell + away for cell in pieces[car])}
    sizes = Counter(map(len, pieces.values()))
    largest = max(pieces, key=lambda letter: len(pieces[letter]))
    place = pieces[largest]
    room = right + 1 - left - len({cell % columns for cell in place})
    if sizes[len(place)] > 1 or room % 2:
        raise BoardError(
            "a board of blocks needs its goal: write it below a line 'goal:', with * for each cell "
            'that may hold anything, or name the place of a piece, as in --goal "B at row 4 '
            'column 2"'
        )
    top = last_row + 1 - len({cell // columns for cell in place})
    part = f"{largest} at row {top + 1} column {left + room // 2 + 1}"
    return dict([_told(pieces, part, rows, columns)])


def _shape(place: Sequence[int], columns: int) -> tuple[tuple[int, int], ...]:
    """Return the distances of the cells down and right of the first cell."""
    row, column = divmod(place[0], columns)
    return tuple((cell // columns - row, cell % columns - column) for cell in place)


def _moved(place: _Place, down: int, right: int, rows: int, columns: int) -> _Place | None:
    """Return the cells of a piece after a motion; None if it leaves the board."""
    for cell in place:
        row, column = divmod(cell, columns)
        if not (0 <= row + down < rows and 0 <= column + right < columns):
            return None
    return tuple(cell + down * columns + right for cell in place)


def _classes(
    pieces: Mapping[str, _Place], named: set[str], columns: int, *, is_jam: bool
) -> list[_Class]:
    """Return the classes of pieces in the order of their first letters."""
    found: dict[object, _Class] = {}
    first = BLANK + 1
    for letter, place in pieces.items():
        key = letter if letter in named else _shape(place, columns)
        if key in found:
            found[key].places.append(place)
            continue
        ways = "UDLR" if not is_jam else "LR" if _is_across(place) else "UD"
        found[key] = _Class(letter, [place], first, ways)
        first += len(place)
    return [*found.values()]


class _Way(NamedTuple):
    """A path of a piece: its directions, its end, and the gaps that it needs."""

    path: str
    end: _Place
    gaps: frozenset[int]


def _operators(
    classes: Iterable[_Class], free: set[int], columns: int, gaps: int, metric: str, name: _Namer
) -> list[Operator]:
    """Return the moves of all pieces, from each place that a piece of their class can reach."""
    made: list[Operator] = []
    for own in classes:
        places = dict.fromkeys(own.places)
        todo = [*places]
        moves: list[tuple[_Place, Operator]] = []
        for place in todo:
            for way in _ways(place, own.ways, free, columns, gaps, metric):
                if way.end not in places:
                    places[way.end] = None
                    todo.append(way.end)
                called = name(own.letter, place, way.path, columns)
                moves.append((place, _operator(called, own, place, way)))
                if len(made) + len(moves) > _MOST_OPERATORS:
                    raise BoardError(
                        f"the pieces have more than {_MOST_OPERATORS} different moves: use "
                        "fewer gaps or metric=step"
                    )
        # The rules do not depend on where the pieces begin.
        made += [operator for _, operator in sorted(moves, key=itemgetter(0))]
    return made


def _ways(
    place: _Place, ways: str, free: set[int], columns: int, gaps: int, metric: str
) -> Iterator[_Way]:
    """Yield the paths of a piece in one move that need a minimal set of gaps for their end."""
    known = {place: [frozenset[int]()]}
    todo = [_Way("", place, frozenset())]
    for path, here, needed in todo:
        straight = path[:1] if path and metric != "move" else ways
        for way in straight if metric != "step" or not path else "":
            end = _moved(here, *_WAYS[way], MOST_CELLS, columns)
            if end is None or not free.issuperset(end):
                continue
            more = needed | ({*end} - {*place})
            if len(more) > gaps or any(other <= more for other in known.get(end, ())):
                continue
            known.setdefault(end, []).append(more)
            todo.append(_Way(path + way, end, more))
            if len(todo) > _MOST_OPERATORS:
                raise BoardError("a piece has too many paths in one move: choose metric=slide")
            yield todo[-1]


def _operator(name: str, own: _Class, place: _Place, way: _Way) -> Operator:
    """Return the move of a piece: gaps come to the cells that it leaves."""
    left, filled = sorted({*place} - {*way.end}), sorted({*way.end} - {*place})
    return Operator(
        name,
        (*zip(way.end, place, strict=True), *zip(left, filled, strict=True)),
        needs=(
            *((cell, own.first + part) for part, cell in enumerate(place)),
            *((cell, BLANK) for cell in way.gaps),
        ),
    )


def _jam_name(letter: str, place: _Place, path: str, columns: int) -> str:
    return f"{letter}{'+' if path[0] in 'DR' else '-'}{len(path)}"


def _block_name(letter: str, place: _Place, path: str, columns: int) -> str:
    runs = ((way, len([*run])) for way, run in groupby(path))
    way = "".join(f"{way}{count if count > 1 else ''}" for way, count in runs)
    return f"{square_name(place[0], columns)}{way}"


def place_text(puzzle: Puzzle) -> str:
    """Return a goal that places pieces in the words of `is_place`; "" for any other."""
    if not puzzle.needs_kinds:
        return ""
    cells: dict[str, list[int]] = {}
    for cell, kind in enumerate(puzzle.goal):
        if kind != OPEN and (cell, kind) not in puzzle.fixed:
            part = _PART.fullmatch(puzzle.label(kind))
            cells.setdefault(part[1] if part else "", []).append(cell)
    corners = (
        (letter, min(c // puzzle.columns for c in own), min(c % puzzle.columns for c in own))
        for letter, own in cells.items()
    )
    text = ", ".join(f"{letter} at row {r + 1} column {c + 1}" for letter, r, c in corners)
    return text if is_place(text) else ""


def letters_of(puzzle: Puzzle, state: State) -> list[str] | None:
    """Return the rows of a board with a letter for each piece; None for rules without letters.

    One piece of each class has the letter of the class; the others have the next free letters.
    """
    cells: dict[str, list[list[int]]] = {}
    for kind, label in enumerate(puzzle.labels):
        if match := _PART.fullmatch(label):
            own = [cell for cell, there in enumerate(state) if there == kind]
            cells.setdefault(match[1], []).append(own)
    free = [letter for letter in _LETTERS if letter not in cells]
    letters = [GAP if kind == BLANK else HOLE_SIGN for kind in state]
    for letter, parts in cells.items():
        if len({*map(len, parts)}) > 1:
            return None
        # The parts of all pieces of a class have the same offsets, and so the same order.
        for number, place in enumerate(zip(*parts, strict=True)):
            if number:
                # The smallest letter of a class is that of the class.
                free = [other for other in free if other > letter]
                if not free:
                    return None
            name = free.pop(0) if number else letter
            for cell in place:
                letters[cell] = name
    return ["".join(row) for row in puzzle.in_rows(tuple(letters))]


def _family(
    name: str, title: str, summary: str, moves: str, grid: Grid, parameters: Mapping[str, str]
) -> Family:
    def make(rows: int, columns: int, parameters: Parameters) -> Puzzle:
        if (rows, columns) != (len(grid), len(grid[0])):
            raise BoardError(
                f"{name} takes pieces and size from a board: give one, or leave the size out for "
                f"the {len(grid)}x{len(grid[0])} board {'/'.join(grid)}"
            )
        return pose(name, grid, EXIT, parameters)[0]

    return Family(
        name=name,
        summary=summary,
        moves=moves,
        make=make,
        goals={EXIT: lambda rows, columns: make(rows, columns, {}).goal},
        default_size=(len(grid), len(grid[0])),
        parameters=parameters,
        pose=lambda *given: pose(name, *given),
        presets=(Preset(title, len(grid), len(grid[0])),),
    )


BLOCKS = _family(
    "blocks",
    "Klotski",
    "Klotski: blocks of several cells slide; each letter is one block",
    "b3U: the block whose first cell is in column b, row 3, moves up; likewise D L R",
    _KLOTSKI,
    {
        "metric": "step (default): one cell; slide: any distance in one direction; move: any path "
        "of one block",
        "distinct": "all: blocks of one shape are not alike",
    },
)
RUSH_HOUR = _family(
    _RUSH_HOUR,
    "Rush Hour",
    "Rush Hour: cars move lengthwise until X, R or A is at the right end",
    "A+2: car A moves two cells right or down, A-2 left or up",
    _JAM,
    {"metric": "slide (default): any distance; step: one cell"},
)
