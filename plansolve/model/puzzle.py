"""A puzzle as data: cells, a goal, and ground operators that permute the contents of cells."""

import pickle
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from operator import index
from reprlib import repr as brief
from typing import Any, TypeAlias, TypeVar

from plansolve.errors import BoardError, InternalError, WrongTypeError
from plansolve.model.layout import CellLayout
from plansolve.model.names import check_labels, check_moves, check_puzzle_name, describe_mismatch

T = TypeVar("T")

State: TypeAlias = tuple[int, ...]
"""The kind of the piece in each cell, row by row; 0 is the blank, or one of several gaps. A tile is
a piece that is the only one of its kind.
"""

Plan: TypeAlias = tuple[str, ...]
"""The names of the operators to apply, first to last."""

BLANK = 0

OPEN, OPEN_SIGN = -1, "*"
"""The content of an open goal cell, in which any piece may be, and the sign for it."""

FEW_CELLS = 9
"""All boards of at most so many cells can be listed: 181,440 of the 8-puzzle have a plan."""

WORD_CELLS = 64
"""A set of at most so many cells fits into a machine word."""

LARGEST_PENALTY = 1_000_000

MOST_CELLS = 900

_MOST_LABELS = 901
"""One for each piece of the largest board, and one for the blank."""

_MOST_IN_LINE = 100
"""Cells."""

_MOST_IN_NAME = 60
"""Characters."""


@dataclass(frozen=True, slots=True, init=False)
class Operator:
    """One ground move.

    >>> import plansolve
    >>> turn = plansolve.Operator("T", moves=((0, 2), (1, 0), (2, 1)))
    >>> turn.apply((1, 2, 3))
    (3, 1, 2)

    `moves` holds a pair (cell, source) for each cell whose content changes: the cell gets the
    content of `source`. Each of these cells is a source once, so an operator permutes them. The
    operator applies only if for each pair (cell, kind) of `needs` a piece of that kind is in the
    cell. Most moves need at most a gap; `blank` is its cell. Among shortest plans, those with the
    smallest sum of `penalty` are preferred.
    """

    name: str
    moves: tuple[tuple[int, int], ...]
    needs: tuple[tuple[int, int], ...]
    penalty: int
    needs_kinds: bool = field(init=False, compare=False, repr=False)
    """True if the move needs more than a gap in one cell."""

    def __init__(
        self,
        name: str,
        moves: Iterable[tuple[int, int]],
        blank: int | None = None,
        penalty: int = 0,
        needs: Iterable[tuple[int, int]] = (),
    ) -> None:
        gap = () if blank is None else ((index(blank), BLANK),)
        needed = sorted((*gap, *((index(cell), index(kind)) for cell, kind in needs)))
        pairs = tuple((index(cell), index(source)) for cell, source in moves)
        needs_kinds = len(needed) > 1 or any(kind != BLANK for _, kind in needed)
        values = (name, pairs, tuple(needed), penalty, needs_kinds)
        for slot, value in zip(self.__slots__, values, strict=True):
            object.__setattr__(self, slot, value)

    @property
    def blank(self) -> int | None:
        """The cell that must hold a gap; None if the move needs nothing.

        Raise `InternalError` if it needs more; check `Puzzle.needs_kinds` first.
        """
        if self.needs_kinds:
            raise InternalError(f"the move {self.name} needs more than a gap")
        return self.needs[0][0] if self.needs else None

    @property
    def tile_moves(self) -> list[tuple[int, int]]:
        """The pairs (cell, source) whose source holds a piece, not the gap."""
        gaps = [cell for cell, kind in self.needs if kind == BLANK]
        return [(cell, source) for cell, source in self.moves if source not in (cell, *gaps)]

    def applies_to(self, state: Sequence[int]) -> bool:
        """Return True if all that the move needs is in place in `state`."""
        # `all` of a generator takes three times as long.
        for cell, kind in self.needs:  # noqa: SIM110
            if state[cell] != kind:
                return False
        return True

    def destinations(self, cells: int) -> tuple[int, ...]:
        """Return, for each cell of the board, the cell to which the move takes its content."""
        images = list(range(cells))
        for cell, source in self.moves:
            images[source] = cell
        return tuple(images)

    def apply(self, state: State) -> State:
        """Return the state after the move; the caller checks that the move applies."""
        after = list(state)
        self.apply_to(after)
        return tuple(after)

    def apply_to(self, board: list[int]) -> None:
        """Make the move in place on `board`; the caller checks that the move applies."""
        contents = [board[source] for _, source in self.moves]
        for (cell, _), content in zip(self.moves, contents, strict=True):
            board[cell] = content


@dataclass(frozen=True, repr=False)
class Puzzle:
    """The rules of one puzzle and its goal.

    >>> import plansolve
    >>> turn = plansolve.Operator("T", moves=((0, 2), (1, 0), (2, 1)))
    >>> swap = plansolve.Operator("S", moves=((0, 1), (1, 0)))
    >>> labels = (".", "a", "b", "c")
    >>> rules = plansolve.Puzzle("wheel", 1, 3, (1, 2, 3), (turn, swap), labels)
    >>> print(plansolve.solve(plansolve.Problem(rules, (2, 3, 1))))
    1 move, proved shortest: T

    `rows` and `columns` are for people; engines use cells and operators alone. `labels[k]` is the
    text of tile k. `blank_names` maps a move's name for the motion of the tile to its name for
    the motion of the blank; it is empty if there is no such convention. `layout` places the
    cells in pictures; None is the grid. Puzzles that differ only in it are equal.

    Pieces of one kind are alike. A goal may leave cells `OPEN`, and then `pieces` are those of
    every board, sorted; otherwise they are the goal's. `is_distinct` is True if there is one goal
    board and no two pieces are alike. Several gaps are alike too. Operators may share a name if no
    two of them apply to one board: they need different pieces in one cell, or the only piece of a
    kind, such as the blank, in different cells. A pair (cell, kind) of `fixed` says that every
    board has its only piece of that kind in that cell, which no move changes. Raises `BoardError`
    if the data contradict themselves.
    """

    name: str
    rows: int
    columns: int
    goal: State
    operators: tuple[Operator, ...] = field(hash=False)  # there are thousands
    labels: tuple[str, ...]
    blank_names: Mapping[str, str] = field(default_factory=dict, hash=False)
    layout: CellLayout | None = field(default=None, compare=False)
    pieces: State = ()
    fixed: tuple[tuple[int, int], ...] = ()

    def __post_init__(self) -> None:
        cells = self.rows * self.columns
        if min(self.rows, self.columns) < 1 or cells > MOST_CELLS:
            size = f"{brief(self.rows)}x{brief(self.columns)}"
            raise BoardError(f"rows and columns: {size}, but a board has 1 to {MOST_CELLS} cells")
        check_puzzle_name(self.name, "name")
        check_labels(self.labels)
        check_moves({operator.name for operator in self.operators}, self.blank_names)
        object.__setattr__(self, "goal", as_cells(self.goal))
        object.__setattr__(self, "pieces", as_cells(self.pieces or sorted(self.goal)))
        if len(self.goal) != cells:
            raise BoardError(
                f"a board of {self.rows}x{self.columns} has {cells} cells, but the goal has "
                f"{len(self.goal)}"
            )
        self._check_pieces(cells)
        _check_operators(self.operators, Counter(self.pieces), cells)
        self._check_fixed()
        if self.layout is not None:
            self.layout.check(cells)

    def _check_pieces(self, cells: int) -> None:
        if OPEN in self.pieces:
            raise BoardError("the goal leaves cells open: the pieces of the boards are missing")
        if len(self.pieces) != cells or tuple(sorted(self.pieces)) != self.pieces:
            raise BoardError(f"the pieces are not {cells} numbers in ascending order")
        tiles = range(cells) if self.has_blank else range(1, cells + 1)
        mismatch = describe_mismatch(self.pieces, tiles, self.labels)
        if mismatch and len(set(self.pieces)) == cells:
            raise BoardError(f"the goal board is not a permutation of the tiles: {mismatch}")
        if self.pieces[0] < 0 or self.pieces[-1] >= len(self.labels):
            raise BoardError(f"the pieces are not kinds from 0 to {len(self.labels) - 1}")
        most = cells + 1 if len(set(self.pieces)) == cells else _MOST_LABELS
        if len(self.labels) > most:
            raise BoardError(f"labels: {len(self.labels)} are too many: at most {most}")
        left = Counter(self.pieces)
        left.subtract(kind for kind in self.goal if kind != OPEN)
        if too_many := [kind for kind, count in left.items() if count < 0]:
            kind = too_many[0]
            if not 0 <= kind < len(self.labels):
                raise BoardError(f"the goal has the unknown piece {kind}")
            raise BoardError(f"the goal has piece {self.labels[kind]} more often than the boards")

    def _check_fixed(self) -> None:
        moved = {cell for o in self.operators for cell, _ in o.moves} if self.fixed else set()
        for cell, kind in self.fixed:
            if not 0 <= cell < self.cells or cell in moved:
                raise BoardError(f"fixed: cell {cell} does not exist, or moves change it")
            if self.pieces.count(kind) != 1:
                label = self.labels[kind] if 0 <= kind < len(self.labels) else brief(kind)
                raise BoardError(f"fixed: every board must have just one piece {label}")
        self.check_board(self.goal, "goal")

    def check_board(self, board: State, what: str = "board") -> None:
        """Raise `BoardError` if a fixed cell is not open and does not hold its piece."""
        for cell, kind in self.fixed:
            if board[cell] not in (kind, OPEN):
                found, own = self.labels[board[cell]], self.labels[kind]
                where = f"{self.cell_name(cell)}, where all boards have {own}"
                raise BoardError(f"the {what} has {found} in {where}")

    def __repr__(self) -> str:
        count = len(self.operators)
        return f"<Puzzle {self.title}: {count} operator{'s' * (count != 1)}>"

    def __reduce__(self) -> tuple[type["Puzzle"], tuple[object, ...]]:
        # The derived facts are larger than the rules, and can be derived again.
        return Puzzle, tuple(getattr(self, rule.name) for rule in fields(self))

    @property
    def title(self) -> str:
        """The name and the size, such as "sliding 4x4"."""
        return f"{self.name} {self.rows}x{self.columns}"

    @property
    def short_name(self) -> str:
        """The name for messages, cut off if it is long."""
        return self.name if len(self.name) <= _MOST_IN_NAME else f"{self.name[:_MOST_IN_NAME]}..."

    @property
    def cells(self) -> int:
        """The number of cells."""
        return len(self.goal)

    @property
    def has_blank(self) -> bool:
        """True if at least one cell is empty."""
        return self.pieces[0] == BLANK

    @cached_property
    def gaps(self) -> int:
        """The number of empty cells."""
        return self.pieces.count(BLANK)

    @property
    def has_one_blank(self) -> bool:
        """True if exactly one cell is empty."""
        return self.gaps == 1

    @cached_property
    def needs_kinds(self) -> bool:
        """True if a move needs more than a gap in one cell, as those of large pieces do."""
        return any(operator.needs_kinds for operator in self.operators)

    @cached_property
    def is_distinct(self) -> bool:
        """True if all pieces can be told apart, and the goal is one board."""
        return OPEN not in self.goal and len(set(self.pieces)) == self.cells

    @property
    def tiles(self) -> range:
        """The tiles, without the blank, for puzzles whose pieces are all distinct."""
        self._assert_distinct()
        return range(1, self.cells if self.has_blank else self.cells + 1)

    @cached_property
    def kinds(self) -> tuple[int, ...]:
        """The different kinds of pieces, the blank among them, in ascending order."""
        return tuple(sorted(set(self.pieces)))

    def is_goal(self, state: State) -> bool:
        """Return True if a board is the goal, or one of those that an open goal allows."""
        return all(wanted in (kind, OPEN) for kind, wanted in zip(state, self.goal, strict=True))

    @cached_property
    def goal_board(self) -> State:
        """The goal, or the first of the boards that an open goal allows."""
        return next(self.goal_boards())

    @property
    def goal_tiles(self) -> int:
        """The number of tiles that the goal places."""
        return sum(kind not in (BLANK, OPEN) for kind in self.goal)

    def goal_boards(self) -> Iterator[State]:
        """Yield the goal, or each board that an open goal allows."""
        left = Counter(self.pieces)
        left.subtract(kind for kind in self.goal if kind != OPEN)
        board, free = list(self.goal), [c for c, kind in enumerate(self.goal) if kind == OPEN]
        if not free:
            yield self.goal
            return
        # A stack, with the kinds that are still to be tried in each open cell.
        todo = [sorted(+left)]
        while todo:
            depth = len(todo) - 1
            if (used := board[free[depth]]) != OPEN:
                left[used] += 1
                board[free[depth]] = OPEN
            if not todo[-1]:
                todo.pop()
                continue
            kind = todo[-1].pop(0)
            board[free[depth]] = kind
            left[kind] -= 1
            if len(todo) == len(free):
                yield tuple(board)
            else:
                todo.append(sorted(+left))

    def _assert_distinct(self) -> None:
        if not self.is_distinct:
            raise InternalError(f"the pieces of {self.name} have no places of their own")

    @cached_property
    def derived(self) -> dict[str, Any]:
        """Facts derived from the rules, kept as long as the rules; see `Problem.structure`."""
        return {}

    @cached_property
    def pickled(self) -> bytes:
        """The pickled rules, as processes send them to each other."""
        return pickle.dumps(self)

    @cached_property
    def home(self) -> dict[int, int]:
        """The goal cell of each tile and the blank, for puzzles whose pieces are all distinct."""
        self._assert_distinct()
        return {content: cell for cell, content in enumerate(self.goal)}

    def arrangement(self, state: State) -> State:
        """Return the goal cell of the content of each cell; the goal gives 0, 1, 2 ..."""
        return tuple(map(self.home.__getitem__, state))

    @cached_property
    def _by_blank(self) -> dict[int | None, dict[str, Operator]]:
        table: dict[int | None, dict[str, Operator]] = {}
        for operator in self.operators:
            table.setdefault(operator.blank, {})[operator.name] = operator
        return table

    @cached_property
    def _by_name(self) -> dict[str, list[Operator]]:
        table: dict[str, list[Operator]] = {}
        for operator in self.operators:
            table.setdefault(operator.name, []).append(operator)
        return table

    @cached_property
    def move_names(self) -> tuple[str, ...]:
        """The distinct names of the operators, in the order of their first appearance."""
        return tuple(dict.fromkeys(operator.name for operator in self.operators))

    def applicable(self, state: State) -> dict[str, Operator]:
        """Return the operators that may be applied in `state`, by name."""
        if self.needs_kinds:
            return {op.name: op for op in self.operators if op.applies_to(state)}
        free = self._by_blank.get(None, {})
        if not self.has_blank:
            return free
        if self.has_one_blank:
            return free | self._by_blank.get(state.index(BLANK), {})
        found = dict(free)
        for cell, kind in enumerate(state):
            if kind == BLANK:
                found |= self._by_blank.get(cell, {})
        return found

    def operator(self, name: str, blank: int | None, state: Sequence[int]) -> Operator | None:
        """Return the operator of that name for a board with a blank in cell `blank`, or None.

        With several gaps, or if moves need other pieces, the caller checks that it applies.
        """
        if self.gaps > 1 or self.needs_kinds:
            named = self._by_name.get(name, [None])
            return next((op for op in named if op and op.applies_to(state)), named[0])
        free = self._by_blank.get(None, {})
        return free.get(name) or self._by_blank.get(blank, {}).get(name)

    def with_goal(self, goal: Iterable[int]) -> "Puzzle":
        """Return the same rules and pieces with another goal."""
        wanted = tuple(goal)
        return self if wanted == self.goal else replace(self, goal=wanted)

    def in_rows(self, cells: tuple[T, ...]) -> list[tuple[T, ...]]:
        """Split values, one for each cell, into rows."""
        return [cells[i : i + self.columns] for i in range(0, len(cells), self.columns)]

    def cell_name(self, cell: int) -> str:
        """Return the name of a cell, counted from 1: "row 2 column 3"."""
        row, column = divmod(cell, self.columns)
        return f"row {row + 1} column {column + 1}"

    def place_of_blank(self, state: Sequence[int]) -> str:
        """Return the place of the blank, or of the gaps, in words."""
        *others, last = (self.cell_name(cell) for cell, kind in enumerate(state) if kind == BLANK)
        if not others:
            return f"the blank is in {last}"
        return f"the gaps are in {', '.join(others)} and {last}"

    def label(self, kind: int) -> str:
        """Return the text of a piece, or of an open cell of a goal."""
        return OPEN_SIGN if kind == OPEN else self.labels[kind]

    def board_text(self, state: State) -> str:
        """Return the board as people read it: one row per line, columns aligned."""
        width = max(len(label) for label in self.labels)
        rows = self.in_rows(tuple(self.label(tile).rjust(width) for tile in state))
        return "\n".join(map(" ".join, rows))

    def line_text(self, state: State) -> str:
        """Return the board on one line, with slashes between rows; a large board is cut off."""
        rows = self.in_rows(tuple(map(self.label, state[:_MOST_IN_LINE])))
        text = " / ".join(map(" ".join, rows))
        return text if len(state) <= _MOST_IN_LINE else f"{text} ... ({self.cells} cells)"


def as_cells(board: Iterable[int]) -> State:
    """Return a board as Python integers; raise `WrongTypeError` for anything else."""
    try:
        return tuple(map(index, board))
    except TypeError:
        raise WrongTypeError(f"a board: whole numbers are expected, not {brief(board)}") from None


def _check_operators(operators: tuple[Operator, ...], copies: Counter[int], cells: int) -> None:
    named: dict[str, list[Operator]] = {}
    for operator in operators:
        where = f"operator {operator.name!r}"
        targets = {cell for cell, _ in operator.moves}
        sources = {source for _, source in operator.moves}
        if len(targets) != len(operator.moves) or targets != sources:
            raise BoardError(f"{where} does not permute the cells it changes")
        if targets and not (min(targets) >= 0 and max(targets) < cells):
            raise BoardError(f"{where} names a cell outside 0..{cells - 1}")
        if not 0 <= operator.penalty <= LARGEST_PENALTY:
            raise BoardError(f"{where} has a penalty that is not one of 0..{LARGEST_PENALTY}")
        _check_needs(operator, where, copies, cells)
        named.setdefault(operator.name, []).append(operator)
    for name, own in named.items():
        if len(own) > 1 and not _are_apart([dict(one.needs) for one in own], copies):
            where = f"operator {name!r}"
            if copies[BLANK] > 1 and len({one.needs for one in own} - {()}) == len(own):
                raise BoardError(
                    f"{where} stands for two moves, which the {copies[BLANK]} gaps may allow at "
                    "once: each move needs a name of its own"
                )
            raise BoardError(f"{where} stands for two different moves in one position")


def _check_needs(operator: Operator, where: str, copies: Counter[int], cells: int) -> None:
    for cell, kind in operator.needs:
        if not (0 <= cell < cells and copies[kind]):
            what = "the blank" if kind == BLANK else f"the kind {brief(kind)}"
            raise BoardError(f"{where} needs {what} in cell {brief(cell)}, which is impossible")
    if len(dict(operator.needs)) < len(operator.needs):
        raise BoardError(f"{where} needs two pieces in one cell")


def _are_apart(needs: list[dict[int, int]], copies: Counter[int]) -> bool:
    """Return True if this shows that no two of these needs hold at once.

    They do not if all need different kinds in one cell, or the only piece of one kind in different
    cells.
    """
    cells = set(needs[0]).intersection(*needs[1:])
    if any(len({own[cell] for own in needs}) == len(needs) for cell in cells):
        return True
    places = [{kind: cell for cell, kind in own.items() if copies[kind] == 1} for own in needs]
    kinds = set(places[0]).intersection(*places[1:])
    return any(len({own[kind] for own in places}) == len(needs) for kind in kinds)
