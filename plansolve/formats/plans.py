"""Read plans as people and programs write them, and choose between possible meanings.

A text is cut into atoms: names and words of moves, numbers, labels of tiles. They are read in every
way that fits all of them: moves with counts (R2 D L3), points of the compass, arrows, tiles (3 1
2), tiles with directions (7L, move 7 left), a sequence of boards. Tiles are followed on the board,
where each must be beside the gap. Of several readings the legal ones count; if they differ, the
plan is an error, and not a guess.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import pairwise
from reprlib import repr as brief
from typing import NamedTuple, TypeAlias
from unicodedata import name as unicode_name

from plansolve.errors import PlanError, WrongTypeError
from plansolve.formats.board_lists import boards_in, moves_between
from plansolve.formats.notation import MAX_PLAN, Vocabulary, moves_of_tile, rules_of
from plansolve.formats.pieces import read_pieces
from plansolve.model.names import HOLE_SIGN
from plansolve.model.problem import MoveNames, Problem, operators_of
from plansolve.model.puzzle import BLANK, Plan, Puzzle
from plansolve.text import counted, quote

_BRACKETS = {"[": "]", "(": ")"}
_LOOSE = ';|/.()[]{}`$"*-'
"""Signs that may stand between moves, unless a move or a tile has such a name."""

_MARKUP = re.compile(
    r"\\(?:boxed|text\w*|math\w*)\b|[\ufe0e\ufe0f]|</?(?:answer|solution|plan|moves|path)>",
    re.IGNORECASE,
)
# As programs print enumerations and functions: <Move.UP: 1>, moveUp().
_CALLED = re.compile(
    r"<?\b(?:direction|dir|action|move|operator)s?(?:[._]([udlr])|[._]?(up|down|left|right))\b"
    r"(?:\(\)|(?:: ?[^<>\n]{1,20})?>)?",
    re.IGNORECASE,
)
NUMBERING = re.compile(r"(?<!\S)(?:(?:step|move)\s*)?#?(\d{1,8})\s*[.):]+\s+(?=\S)", re.IGNORECASE)
OF_THE_BLANK = re.compile(r"\b(?:blank|gap|empty|hole)\b", re.IGNORECASE)
_OF_TILES = re.compile(r"\btiles?\b", re.IGNORECASE)
_COUNT = re.compile(r"(\d{1,3})('?)")
_REMARK = re.compile(r"(?:^|(?<=\s))#(?!\S).*", re.MULTILINE)
_MOVES = r"\s+(?:moves?|steps?)"
_LENGTH = r"(?:total\s+)?(?:length|len|cost|depth)[\s:=]*"
_COUNT_AT_END = re.compile(
    rf"(?:[(\[]\s*(?:{_LENGTH})?(\d{{1,8}})(?:{_MOVES})?\s*[)\]]|"
    rf"[\s,;-](?:{_LENGTH}(\d{{1,8}})|(\d{{1,8}}){_MOVES}))[.!]?\s*$",
    re.IGNORECASE,
)
_IN_BRACKETS = re.compile(r"[(\[]\s*\d{1,8}\s*[)\]]")
_BARE_AT_BEGIN = re.compile(r"\s*(\d{1,8})(?:[\s,:]+(?=\D)|[ \t]*\n)")
_BARE_AT_END = re.compile(r"[\s,](\d{1,8})\s*$")
_FAR = 200
"""The characters at the end of a text that may hold the number of its moves."""
_QUOTED = re.compile(r"(['\"])(.+)\1", re.DOTALL)
_COUNTED = re.compile(r"(.*\D)(\d+'?)", re.DOTALL)
_NOISE = re.compile(
    "mov(?:e[ds]?|ing)|slid(?:es?|ing)?|push|shift|swap|go|tiles?|piece|number|step|the|to|a|and|"
    "then|with|finally|start|goal|blank|gap|empty|hole|space",
    re.IGNORECASE,
)
# Only capitals: "see" is a word, and "1 s" is a time.
_POINTS = {"N": "up", "S": "down", "W": "left", "E": "right"}
_POINTS |= {"north": "up", "south": "down", "west": "left", "east": "right"}
_ARROWS = {"^": "up", "v": "down", "<": "left", ">": "right"}
_DIRECTION = re.compile(r"\b(UP|DOWN|LEFT|RIGHT)(?:WARDS)?\b")
_KEYS = ("move", "action", "tile", "piece", "direction", "dir")
_DEEPEST = 8
_AFTER_NUMBERS = "moves after numbers"
_MOST_OF_TILES = 50_000
"""Following tiles on the board is slow."""
_SHOWN_MOVES = 8


class Step(NamedTuple):
    """One move as written: the operator's name, or the kind of the tile that moves, or both."""

    name: str | None
    tile: int | None = None


Readings = Mapping[str, Sequence[Step]]
"""The steps of a text in each reading."""


def read_plan(text: str, puzzle: Puzzle | Problem, convention: str = "tile") -> MoveNames:
    """Return the operator names of a plan, for a puzzle or one of its problems.

    >>> import plansolve
    >>> problem = plansolve.read_problem([[4, 1, 2], [0, 5, 3], [7, 8, 6]])
    >>> print(plansolve.read_plan("down, left, left", problem))
    DLL
    >>> print(plansolve.read_plan("U R2", problem, "blank"))
    DLL
    >>> print(plansolve.read_plan("[4, 1, 2]", problem))
    DLL

    Moves are names or words (up, down, left, right, transport, north, arrows) with spaces, commas
    or arrows between them, a Python or JSON list, or, if every name is a letter, run together. Case
    matters only if two names differ in nothing else. R2 means R R, and R2' means R' R', unless the
    puzzle has moves of these names. For a problem, tiles (7L, move 7 left, or just 7) or the boards
    after the moves may stand for them; an illegal step is then kept as written.

    Raise `PlanError` naming the step that cannot be read, or the two ways to read an
    ambiguous plan; `OptionError` for a convention that the puzzle does not have, and
    `WrongTypeError` for other types.
    """
    if not isinstance(text, str):
        raise WrongTypeError(f"a plan's text is expected, not {brief(text)}")
    if len(text) > MAX_PLAN:
        raise PlanError(f"the plan is longer than {MAX_PLAN} characters: is it the right file?")
    if isinstance(puzzle, Problem) and puzzle.puzzle.needs_kinds:
        by_pieces = read_pieces(text, puzzle)
        if by_pieces is not None:
            return MoveNames.of(by_pieces, puzzle.puzzle)
    reader = PlanReader(puzzle, convention)
    if isinstance(puzzle, Problem):
        found = boards_in(text.split("\n"), puzzle.puzzle)
        if found.boards and found.is_all and (moves := moves_between(puzzle, found.boards)):
            return MoveNames.of(moves, puzzle.puzzle)
    body = reader.without_remarks(text).strip()
    if body[:1] in _BRACKETS and (len(body) < 2 or body[-1] != _BRACKETS[body[0]]):
        closing = _BRACKETS[body[0]]
        raise PlanError(f"the list of moves is not closed: {closing} is expected at its end")
    plan = reader.plan(reader.readings(body))
    if not plan and body.strip("[](){}"):
        raise PlanError("there are no moves, only commas or arrows")
    return plan


def as_plan(plan: object, puzzle: Puzzle | Problem, convention: str = "tile") -> MoveNames:
    """Return the operator names of a plan: a result's plan, or a text or list to read.

    Raise the errors of `read_plan`, and `WrongTypeError` for other types.
    """
    if isinstance(plan, MoveNames):
        return plan
    rules = rules_of(puzzle)
    if isinstance(plan, str):
        return read_plan(plan, puzzle, convention)
    if not isinstance(plan, Iterable) or isinstance(plan, bytes | bytearray):
        raise WrongTypeError(f"a plan: a text or a list of moves is expected, not {brief(plan)}")
    items = [*plan]
    names = {name: move for move, name in Vocabulary(rules, convention).names.items()}
    if all(isinstance(item, str) and item in names for item in items):
        return MoveNames.of((names[item] for item in items), rules)
    return read_plan(listed(items), puzzle, convention)


def listed(value: object, depth: int = 0) -> str:
    """Return as text the content of a list or document: words, numbers and lists of them.

    Raise `WrongTypeError` for anything else.
    """
    if isinstance(value, str):
        return value if value.strip() else '""'
    if value is None:
        return "None"
    if hasattr(value, "__index__") and not isinstance(value, bool):
        return str(int(value))
    if isinstance(value, Mapping):
        value = [value[key] for key in _KEYS if key in value]
    if isinstance(value, Iterable) and depth < _DEEPEST:
        items = [listed(item, depth + 1) for item in value]
        # A text of several lines is a board.
        return "\n\n".join(items) if any("\n" in i for i in items) else f"[{', '.join(items)}]"
    raise WrongTypeError(f"a plan: {brief(value)} is not a move")


_Way: TypeAlias = Callable[[str], str | None]
"""Returns the operator that an atom stands for, or None."""


class PlanReader:
    """Reads texts as moves of a puzzle or problem, in one convention."""

    def __init__(self, puzzle: Puzzle | Problem, convention: str) -> None:
        self._puzzle = rules_of(puzzle)
        self._problem = puzzle if isinstance(puzzle, Problem) and self._puzzle.has_blank else None
        self._vocabulary = Vocabulary(self._puzzle, convention)
        # The operator of each name if it means the motion of the blank instead of the tile, or vice
        # versa.
        self._mirrored = {blank: tile for tile, blank in self._puzzle.blank_names.items()}
        kinds = [kind for kind in self._puzzle.kinds if kind > BLANK] if self._problem else []
        self._tiles = {self._puzzle.label(kind): kind for kind in kinds}
        self._tiles.pop(HOLE_SIGN, None)
        forms = Counter(label.lower() for label in self._tiles)
        self._folded = {k.lower(): v for k, v in self._tiles.items() if forms[k.lower()] == 1}
        self._has_signs = bool(self._tiles) and all(len(label) == 1 for label in self._tiles)
        signs = set("".join((*self._vocabulary.names.values(), *self._tiles)))
        loose = re.escape("".join(set(_LOOSE) - signs))
        between = rf"[-=]>|[\s,{loose}]" + r"|(?<=\d):" * (":" not in signs)
        between += r"|(?<=[^\d_])x(?=\d)" * ("x" not in signs)
        # One sign at a time, since a long run would take a hundred bytes for each sign.
        self._between = re.compile(between)
        self._between_or_arrow = re.compile(f"{between}|[→>⇒]")
        # Names alone, or with a number after them.
        letters = self._vocabulary.names.values() if self._vocabulary.are_letters else ()
        self._begins = {name[0].lower() for name in letters}
        prime = "'?" * ("'" in signs)
        atom = rf"\d+{prime}|[^\W\d_]{prime}|." if self._vocabulary.has_counts else "."
        self._piece = re.compile(atom, re.DOTALL)

    def readings(self, text: str) -> Readings:
        """Return the steps of a text in each reading of the whole text.

        Raise `PlanError` for a text without a reading.
        """
        text = _CALLED.sub(r" \1\2 ", self.without_remarks(_MARKUP.sub(" ", text)))
        text = self._vocabulary.with_counts_after(text)
        body, number = without_count(text)
        if found := self._of_length(body, number):
            return found
        is_move = self._vocabulary.move
        if (head := _BARE_AT_BEGIN.match(text[:_FAR])) and not is_move(head[1]):
            found = self._of_length(text[head.end() :], int(head[1]), " after their number")
        if (tail := _BARE_AT_END.search(text[-_FAR:])) and not is_move(tail[1]):
            body = text[: len(text) - len(tail[0])]
            before = self._of_length(body, int(tail[1]), " before their number")
            # Every plan of tiles is another one without its last tile.
            found |= {way: steps for way, steps in before.items() if steps[0].tile is None}
        try:
            found |= self._read(text)
        except PlanError:
            if not found:
                raise
        if not number:
            return found
        of_tiles = {way: steps for way, steps in found.items() if steps[0].tile is not None}
        if not of_tiles:
            length = max(map(len, self._read(body).values()))
            raise PlanError(f"the text says {counted(number, 'move')}, the plan has {length}")
        return of_tiles

    def without_remarks(self, text: str) -> str:
        """Return a text without comments after #, unless a move or tile is called #."""
        return _REMARK.sub("", text) if "#" in text and not self._is_known("#") else text

    def _of_length(self, text: str, number: int | None, added: str = "") -> dict[str, list[Step]]:
        """Return the readings with `number` steps, `added` to their names."""
        found: dict[str, list[Step]] = {}
        if number:
            with suppress(PlanError):
                found = self._read(text)
        return {way + added: steps for way, steps in found.items() if len(steps) == number}

    def _read(self, text: str) -> dict[str, list[Step]]:
        """Return the steps of a text without a count of moves, as `readings` does."""
        ways = self._ways(text)
        found: dict[str, list[Step]] = {}
        if {sign for sign in set(text) if _arrow(sign)} - {"v"}:
            found = self._told(*self._atoms(text, self._between), ways, ["arrows"])
            if "arrows" in found:
                return found
        numbers = [int(number) for number in NUMBERING.findall(text)]
        if NUMBERING.match(text.lstrip()) and all(a < b for a, b in pairwise(numbers)):
            # "3: up" may also mean that tile 3 moves up.
            found |= self._told(*self._atoms(text, self._between_or_arrow), ways, ())
            text = NUMBERING.sub(" ", text)
        atoms, unknown = self._atoms(text, self._between_or_arrow)
        found |= self._told(atoms, unknown, ways, ways)
        counts, words = atoms[::2], atoms[1::2]
        if not unknown and len(counts) == len(words) > 1 and all(map(_COUNT.fullmatch, counts)):
            told, most = words, max(self._puzzle.rows, self._puzzle.columns)
            if any(count != str(step) for step, count in enumerate(counts, 1)):
                are_few = all(int(count.rstrip("'")) < most for count in counts)
                told = [a for pair in zip(words, counts, strict=True) for a in pair] * are_few
            for steps, fitting in (self._named(told, way) for way in ways.values()):
                found |= {_AFTER_NUMBERS: steps} if steps and fitting == len(told) else {}
        if not found:
            raise self._error(atoms, unknown, ways["moves"])
        if "tiles" in found and _OF_TILES.search(text):
            return {"tiles": found["tiles"]}
        return found

    def _ways(self, text: str) -> dict[str, _Way]:
        """Return the functions that find operators by names, points of the compass and arrows."""
        names = self._vocabulary
        if self._mirrored and OF_THE_BLANK.search(text):
            names = Vocabulary(self._puzzle, "blank")
        points = {} if any(map(names.move, "NSEW")) else _POINTS
        return {
            "moves": names.move,
            "points of the compass": lambda atom: names.move(
                points.get(atom) or points.get(atom.lower(), "")
            ),
            "arrows": lambda atom: names.move(_arrow(atom)),
        }

    def _atoms(self, text: str, between: re.Pattern[str]) -> tuple[list[str], tuple[str, ...]]:
        """Return the known atoms at the beginning of a text, and the next one with its token."""
        atoms, known = list[str](), dict[str, list[str]]()
        for token in filter(None, between.split(text)):
            if token not in known:
                whole = quoted[2] if (quoted := _QUOTED.fullmatch(token)) else token
                known[token] = self._pieces(whole)
                for at, piece in enumerate(known[token]):
                    if not self._is_known(piece):
                        return atoms + known[token][:at], (piece, whole)
            atoms += known[token]
        return atoms, ()

    def _pieces(self, token: str) -> list[str]:
        """Return the atoms of a token; none for words without meaning."""
        if self._is_known(token):
            return [token]
        if _NOISE.fullmatch(token):
            return []
        counted = _COUNTED.fullmatch(token)
        if counted and self._is_known(counted[1]):
            return [*counted.groups()]
        divides = self._vocabulary.are_letters or self._has_signs
        return self._piece.findall(token) if divides else [token]

    def _is_known(self, text: str) -> bool:
        folded = text.lower()
        if self._vocabulary.move(text) or self._tile(text) or _arrow(text):
            return True
        if folded in self._begins or {text, folded} & _POINTS.keys():
            return True
        is_number = text.rstrip("'").isdecimal() and text.isascii()
        return is_number and (self._vocabulary.has_counts or self._has_signs)

    def _tile(self, text: str) -> int | None:
        """Return the kind of the tile with this label; None if there is none."""
        return self._exact_tile(text) or self._folded.get(text.lower())

    def _exact_tile(self, text: str) -> int | None:
        """Do the same as `_tile`, but respect case: "ddt" are moves, "DDT" may be tiles."""
        return self._tiles.get(text.lstrip("0") or text)

    def _told(
        self,
        atoms: Sequence[str],
        unknown: Sequence[str],
        ways: Mapping[str, _Way],
        among: Iterable[str],
    ) -> dict[str, list[Step]]:
        """Return the steps of atoms in each reading that fits all; none if one is unknown."""
        if unknown:
            return {}
        named = {way: self._named(atoms, ways[way]) for way in among}
        found = {way: steps for way, (steps, fitting) in named.items() if fitting == len(atoms)}
        if not (self._tiles and atoms):
            return found
        tile_of = self._exact_tile if found else self._tile

        def step_of(tile: str, word: str) -> Step:
            names = (way(word) for way in ways.values())
            name = next(filter(None, names), None) if word else ""
            return Step(name, tile_of(tile) if tile else BLANK)

        # Cached: millions of atoms are the same few pairs.
        are_signs = self._has_signs
        alone = {
            atom: [(sign, "") for sign in (atom if are_signs and not tile_of(atom) else (atom,))]
            for atom in {*atoms}
        }
        told = {"tiles": [pair for atom in atoms for pair in alone[atom]]}
        if len(atoms) % 2 == 0:
            told["tiles with directions"] = [*zip(atoms[::2], atoms[1::2], strict=True)]
            told["directions with tiles"] = [*zip(atoms[1::2], atoms[::2], strict=True)]
        for way, pairs in told.items():
            made = {pair: step_of(*pair) for pair in {*pairs}}
            if not any(None in step for step in made.values()):
                found[way] = [made[pair] for pair in pairs]
        return found

    def _named(self, atoms: Sequence[str], way: _Way) -> tuple[list[Step], int]:
        """Return the steps that atoms stand for, with counts, and the number of atoms that fit."""
        calls = {atom: way(atom) for atom in set(atoms)}
        counts = {atom: match for atom in calls if (match := _COUNT.fullmatch(atom))}
        counts = counts if self._vocabulary.has_counts else {}
        made = {atom: [Step(move)] for atom, move in calls.items() if move}
        steps: list[Step] = []
        at = 0
        while at < len(atoms):
            atom, move = atoms[at], None
            if at + 1 < len(atoms) and (number := counts.get(atoms[at + 1])):
                times, move = 1, way(atom + number[0])
                if move is None and not atom[-1].isdigit():
                    times, move = int(number[1]), way(atom + number[2])
            if move and times:
                steps += [Step(move)] * times
                at += 2
            elif atom in made:
                steps += made[atom]
                at += 1
            else:
                break
            if len(steps) > MAX_PLAN:
                raise PlanError(f"the plan has more than {MAX_PLAN} moves: is it the right file?")
        return steps, at

    def _error(self, atoms: Sequence[str], unknown: tuple[str, ...], way: _Way) -> PlanError:
        """Return the error for atoms without a reading, which names the first that does not fit."""
        steps, at = self._named(atoms, way)
        tiles = next((i for i, atom in enumerate(atoms) if not self._tile(atom)), len(atoms))
        atom, token = (*atoms, *unknown)[max(at, tiles)], unknown[-1] if unknown else ""
        if tiles > at:
            return PlanError(f"step {tiles + 1}: {quote(atom)} is not a tile that can move")
        within = f" (in {quote(token)})" if at == len(atoms) and token != atom else ""
        return self._vocabulary.error(len(steps) + 1, f"{quote(atom)}{within}")

    def plan(self, readings: Readings) -> MoveNames:
        """Return the only plan that a text can mean.

        Raise `PlanError` if two legal readings differ, or a tile can move in two ways.
        """
        legal: dict[Plan, str] = {}
        first: Plan | None = None
        doubt: PlanError | None = None
        for way, steps in readings.items():
            try:
                names, is_legal = self._followed(steps, is_alone=len(readings) == 1)
            except PlanError as error:
                doubt = error
                continue
            first = names if first is None else first
            if is_legal and not (legal and way == _AFTER_NUMBERS):
                legal.setdefault(names, way)
        if len(legal) > 1:
            two = [f"as {way} ({self._shown(plan)})" for plan, way in legal.items()][:2]
            raise PlanError(
                f"the plan has two readings: {' or '.join(two)}; write moves as words (up left), "
                "or tiles after the word tiles (tiles 3 1 2)"
            )
        if doubt is not None and not legal:
            raise doubt
        return MoveNames.of(next(iter(legal), first or ()), self._puzzle)

    def _shown(self, plan: Plan) -> str:
        names = [self._vocabulary.names.get(move, move) for move in plan[:_SHOWN_MOVES]]
        return " ".join(names) + " ..." * (len(plan) > _SHOWN_MOVES)

    def _followed(self, steps: Sequence[Step], *, is_alone: bool) -> tuple[Plan, bool]:
        """Return the names of the steps' moves, and True if all of them are legal.

        A direction beside a tile may be that of the tile or of the blank. From the first tile that
        cannot move, the steps are kept as written.
        """
        if self._problem is None or not any(step.tile for step in steps):
            names = tuple(step.name or "" for step in steps)
            if is_alone or self._problem is None:
                return names, True
            with suppress(PlanError):
                return names, len(operators_of(self._problem, names)) == len(names)
            return names, False
        plan, is_legal = _of_tiles(self._problem, steps)
        if not is_legal and steps[0].name and self._mirrored:
            other = [Step(self._mirrored.get(s.name or "", s.name), s.tile) for s in steps]
            mirrored, is_legal = _of_tiles(self._problem, other)
            plan = mirrored if is_legal else plan
        return plan, is_legal


def _of_tiles(problem: Problem, steps: Sequence[Step]) -> tuple[Plan, bool]:
    puzzle, board, names = problem.puzzle, problem.start, list[str]()
    if len(steps) > _MOST_OF_TILES:
        raise PlanError(f"the plan names more than {_MOST_OF_TILES} tiles: write moves (up left)")
    for number, (name, tile) in enumerate(steps, start=1):
        found = moves_of_tile(puzzle, board, tile or BLANK, name)
        if len(found) > 1:
            raise PlanError(
                f"step {number}: tile {puzzle.label(tile or BLANK)} can move in {len(found)} ways: "
                "name the move itself"
            )
        if not found:
            break
        names.append(found[0].name)
        board = found[0].apply(board)
    is_legal = len(names) == len(steps)
    rest = (f"{puzzle.label(tile or BLANK)} {name}".strip() for name, tile in steps[len(names) :])
    return (*names, *rest), is_legal


def without_count(text: str) -> tuple[str, int | None]:
    """Return a text without the number of moves at its end, and that number."""
    count = _COUNT_AT_END.search(text[-_FAR:])
    body = text[: len(text) - len(count[0])].rstrip() if count else text
    if count is None or (count[1] and _IN_BRACKETS.search(body)):
        # up (5), left (8): the tiles.
        return text, None
    return body, int(count[1] or count[2] or count[3])


@lru_cache(maxsize=4096)
def _arrow(text: str) -> str:
    """Return the word for the direction of an arrow; empty for anything else."""
    if len(text) != 1 or text in _ARROWS:
        return _ARROWS.get(text, "")
    name = unicode_name(text, "")
    found = _DIRECTION.findall(name) if "ARROW" in name or "POINTING" in name else []
    return found[0].lower() if len(found) == 1 else ""
