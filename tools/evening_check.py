#!/usr/bin/env python3
"""Check a certificate by a program that can be read in an evening.

    python3 evening_check.py FOLDER

Exit codes are those of `plansolve check`. 0: the plan in FOLDER is optimal. 1: something in FOLDER
is wrong, or cannot be read. 11: there is no plan. 12: all is right, but less than optimality is
proved. 13: the same without a plan: there is none within the stated number of moves. 3: this
program cannot tell, since boards are too large for it, or rules have a name that it does not know.

It needs Python alone, shares no line with plansolve, and is one file, so that a stranger can take
it along. Slow is fine here: what counts is that you can see why each step is right. On small boards
it accepts what `plansolve check` accepts, no more and no less. Read it in this order: the rules
(what moves do to a board), the plan (it is replayed), two bounds (distances and parity), the search
(it must reach the goal by no plan but those listed), the formulas (each clause is true
of every plan, and nothing makes all of them true), and what follows from all of them.

A board is a tuple of contents, one a cell; 0 is the blank, or one of several gaps. Pieces with the
same number are alike, and in a goal "*" stands for any content.
"""

import gzip
import json
import re
import sys
import zlib
from collections import Counter, deque
from itertools import combinations, pairwise
from math import comb, prod
from pathlib import Path

MOST_BYTES = 64 << 20  # of any file, unpacked
MOST_CELLS, MOST_MOVES, MOST_LENGTH = 64, 10_000, 4 << 20
MOST_STATES, MOST_BOARDS = 3_000_000, 400_000  # of a table; of boards that are all visited
MOST_ENTRIES, MOST_WORDS, MOST_LITERALS = 80_000_000, 100_000, 256  # more is refused
FAR, NEVER = 1 << 30, 255  # from home; what a table says of what is not reached
SCHEMA, SEARCH_SCHEMA = "plansolve.certificate/5", "plansolve.search-proof/2"
VISIT_SCHEMA = "plansolve.visit-proof/1"


class WrongError(Exception):
    """The certificate cannot be read, or states something that is not so."""


class UndecidedError(Exception):
    """The program cannot tell."""


def require(condition, message):
    """Raise `WrongError` unless the condition holds."""
    if not condition:
        raise WrongError(message)


# --- files
def read(folder, name):
    """Return the text of a file, which may be packed."""
    try:
        with (gzip.open if name.endswith(".gz") else open)(folder / name, "rb") as stream:
            data = stream.read(MOST_BYTES + 1)
        require(len(data) <= MOST_BYTES, f"{name} is too large")
        return data.decode("utf-8")
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise WrongError(f"{name}: {error}") from None


def read_json(folder, name):
    """Return the JSON object in a file; a key that stands there twice is an error."""

    def once(pairs):
        require(len(dict(pairs)) == len(pairs), f"{name}: a key appears twice")
        return dict(pairs)

    return json.loads(read(folder, name), object_pairs_hook=once)


def number(value, least, most, what):
    """Return the value, where it is a whole number in that range."""
    is_one = type(value) is int and least <= value <= most
    require(is_one, f"{what}: {value!r:.40} is not a number from {least} to {most}")
    return value


# --- the rules
class Operator:
    """One move, by name; where the blank, or a gap, has to be, or None; and what is exchanged.

    Cell c is filled from `source[c]`, and what stands there goes to `target[c]`. Of moves with one
    effect the first with the least penalty gives its name to the blank's way. `needs` are pairs
    (cell, content); a move that needs more than a gap in one cell `is_held`, and has no `blank`.
    """

    def __init__(self, cells, name, blank, moves, penalty=0, needs=()):
        self.needs = [(cell, kind) for cell, kind in needs] + [(blank, 0)] * (blank is not None)
        apart = {number(cell, 0, cells - 1, "a needed cell") for cell, _ in self.needs}
        require(len(apart) == len(self.needs), f"{name}: it needs two pieces in one cell")
        self.is_held = len(apart) > 1 or any(kind != 0 for _, kind in self.needs)
        blank = self.needs[0][0] if self.needs and not self.is_held else None
        self.name, self.blank, self.source = str(name), blank, list(range(cells))
        self.penalty = number(penalty, 0, 9999, "penalty")
        self.is_exchange = blank is not None and len(moves) == 2
        for cell, origin in moves:
            self.source[number(cell, 0, cells - 1, "a cell")] = origin
            number(origin, 0, cells - 1, "a cell")
        require(sorted(self.source) == list(range(cells)), f"{name}: not a permutation of cells")
        self.target = [self.source.index(cell) for cell in range(cells)]
        self.is_odd, self.known = is_odd(self.source), {}
        self.is_exchange = self.is_exchange and self.target[blank] != blank

    def applies(self, board):
        """Return True if all that the move needs is in its place."""
        return all(board[cell] == kind for cell, kind in self.needs)

    def apply(self, board):
        """Return the board after the move."""
        return tuple([board[origin] for origin in self.source])

    def back(self, cells):
        """Return the cells, in order, from which the move takes the contents of some cells."""
        if cells not in self.known:
            self.known[cells] = tuple(sorted(self.source[cell] for cell in cells))
        return self.known[cells]


def slides(rows, columns, names, with_cells=False):
    """Yield the slides into a gap, named up, down, left, right, perhaps with a cell (b3U)."""
    for blank in range(rows * columns):
        row, column = divmod(blank, columns)
        for name, down, right in zip(names, (1, -1, 0, 0), (0, 0, 1, -1), strict=True):
            if 0 <= row + down < rows and 0 <= column + right < columns:
                tile = blank + down * columns + right
                at = f"{chr(97 + column + right)}{row + down + 1}" if with_cells else ""
                yield at + name, blank, [(blank, tile), (tile, blank)]


def turns(rows, columns, rings):
    """Rows and columns turn both ways; the outer and the inner ring do, where they are named."""
    grid = [[r * columns + c for c in range(columns)] for r in range(rows)]
    cycles = [(f"R{r}", f"L{r}", line) for r, line in enumerate(grid, start=1)]
    cycles += [(f"D{c}", f"U{c}", line) for c, line in enumerate(zip(*grid, strict=True), start=1)]
    for ring in rings:
        d = ("outer", "inner").index(ring)
        top, *middle, bottom = [row[d : columns - d] for row in grid[d : rows - d]]
        right, left = [row[-1] for row in middle], [row[0] for row in middle]
        letter = ring[0].upper()
        cycles.append((f"{letter}c", f"{letter}cc", [*top, *right, *bottom[::-1], *left[::-1]]))
    for forward, backward, cycle in cycles:
        for name, line in ((forward, cycle), (backward, cycle[::-1])):
            if len(line) > 1:
                # What stands in a cell of the cycle goes to the next one.
                yield name, None, list(zip([*line[1:], line[0]], line, strict=True))


def turnstile(size):
    """Four tiles of a ring are turned over, and then the ring back to tile 1."""
    for first in range(size):
        ring = list(range(size))
        places = [(first + i) % size for i in range(4)]
        for place, origin in zip(places, places[::-1], strict=True):
            ring[place] = origin
        begin = ring.index(0)
        yield f"T{first + 1}", None, list(enumerate(ring[begin:] + ring[:begin]))


class Problem:
    """A start, a goal, and the operators in their order.

    `ends` are the cells in which pieces of each kind may end, and `blank` is that of the one gap at
    the start, or None if there are others, or no move needs it. If it `is_distinct`, contents
    differ and have one goal cell each, a `home`.
    """

    def __init__(self, document):
        require(document.keys() == {"puzzle", "board", "goal"}, "problem.json: wrong keys")
        rows = [document["board"], document["goal"]]
        columns = len(rows[0][0])
        is_grid = all(type(row) is list and len(row) == columns for board in rows for row in board)
        require(is_grid and columns, "problem.json: rows differ in length")
        self.start, self.goal = (tuple(c for row in board for c in row) for board in rows)
        require({type(c) for c in self.goal} <= {int, str}, "problem.json: a wrong goal")
        contents = [number(content, 0, MOST_CELLS, "a cell") for content in self.start]
        self.cells, self.pieces, wanted = len(contents), Counter(contents), Counter(self.goal)
        is_whole = not wanted.pop("*", 0)
        fits = len(self.goal) == self.cells and wanted <= self.pieces
        require(fits, "the goal has other contents than the board")
        self.home = {content: cell for cell, content in enumerate(self.goal)}
        self.ends = {
            k: [c for c, w in enumerate(self.goal) if w == k or (w == "*" and wanted[k] < count)]
            for k, count in self.pieces.items()
        }
        self.is_distinct = is_whole and len(self.pieces) == self.cells
        given = self._operators(document["puzzle"], len(rows[0]), columns)
        self.operators = [Operator(self.cells, *one) for one in given]
        self._check_fixed(document["puzzle"])
        needs = {kind for op in self.operators for _, kind in op.needs}
        require(needs <= self.pieces.keys(), "a move needs a piece that the board does not have")
        self.is_held = any(op.is_held for op in self.operators)
        self.blank = self.start.index(0) if needs and self.pieces[0] == 1 else None
        # The moves may be walks of the blank, which exchange it with a tile.
        self.is_walk = self.is_distinct and self.blank is not None
        self.is_walk = self.is_walk and all(op.is_exchange for op in self.operators)

    def _check_fixed(self, puzzle):
        """Require the pieces of fixed cells where all boards have them."""
        fixed = puzzle.get("fixed", ()) if isinstance(puzzle, dict) else ()
        for cell, kind in [(0, 1)] if puzzle == "top-spin" else fixed:
            is_same = self.start[number(cell, 0, self.cells - 1, "a cell")] == kind
            is_same = is_same and self.goal[cell] in (kind, "*")
            require(is_same, "problem.json: a fixed cell has another piece")

    def is_goal(self, board):
        """Return True if each cell holds what the goal wants."""
        return all(wanted in ("*", c) for c, wanted in zip(board, self.goal, strict=True))

    def _operators(self, puzzle, rows, columns):
        """Name, place of the blank, moves, and perhaps a penalty, of each operator."""
        match puzzle:
            case "sliding":
                return list(slides(rows, columns, "UDLR"))
            case str() if puzzle == f"sliding-gaps:{self.pieces[0]}" and columns <= 26:
                return list(slides(rows, columns, "UDLR", with_cells=True))
            case "lloyd" if rows % 2 and columns % 2:
                # The centre tile and the blank change places, wherever that is.
                others = [cell for cell in range(self.cells) if cell != self.cells // 2]
                jumps = [("t", b, [(b, self.cells // 2), (self.cells // 2, b)]) for b in others]
                return [*slides(rows, columns, "udlr"), *jumps]
            case "torus-ring" | "torus-ring:rings=outer" | "torus-ring:rings=none" | "loopover":
                rings = {"torus-ring": ("outer", "inner"), "torus-ring:rings=outer": ("outer",)}
                return list(turns(rows, columns, rings.get(puzzle, ())))
            case "pancake":
                tops = range(2, columns + 1)
                return [(f"F{top}", None, list(enumerate(range(top)[::-1]))) for top in tops]
            case "top-spin" if columns > 4:
                return list(turnstile(columns))
            case {"name": str(), "operators": [*operators], **others}:
                needed, known = {"rows", "columns", "goal"}, {"labels", "blank_names", "layout"}
                fits = needed <= others.keys() <= needed | known | {"pieces", "fixed"}
                names = {"name", "blank", "moves", "penalty", "needs"}
                fits = fits and all({"name", "moves"} <= op.keys() <= names for op in operators)
                require(fits, "problem.json: wrong keys of the rules")
                require((others["rows"], others["columns"]) == (rows, columns), "wrong size")
                usual = {"blank": None, "penalty": 0, "needs": ()}
                order = ("name", "blank", "moves", "penalty", "needs")
                return [[(usual | op)[key] for key in order] for op in operators]
        raise UndecidedError("rules by a name that this program does not know")


# --- the plan
def replay(problem, line):
    """Return the operators of a plan, which must lead to the goal."""
    names, known = line.split(), {op.name for op in problem.operators}
    if all(len(name) == 1 for name in known):
        names = [*"".join(names)]
    board, made = problem.start, []
    for step, name in enumerate(names, start=1):
        named = [op for op in problem.operators if op.name == name]
        fitting = [op for op in named if op.applies(board)]
        require(len(fitting) == 1, f"plan.txt: step {step} is not legal: {name!r:.20}")
        board = fitting[0].apply(board)
        made += fitting
    require(problem.is_goal(board), "plan.txt: it does not reach the goal")
    return made


def listed(problem, text, count):
    """Return what the moves of each of the listed plans do to the cells; all must differ."""
    plans = [tuple(tuple(op.source) for op in replay(problem, line)) for line in text.splitlines()]
    require(len(plans) == count == len({*plans}), "plans.txt: plans are missing or equal")
    return {*plans}


# --- two bounds
def distance_bound(problem):
    """Return the bound by distances: the largest, or their sum over the tiles of a move."""
    sources = [(op.needs, enumerate(op.source)) for op in problem.operators]
    steps = [[(s, c) for c, s in pairs if s != c and (s, 0) not in own] for own, pairs in sources]
    apart = []
    for cell, tile in enumerate(problem.start):
        reached, count = {cell}, 0
        while tile and reached.isdisjoint(problem.ends[tile]):
            more = {there for row in steps for here, there in row if here in reached} - reached
            reached, count = reached | more, count + 1 if more else FAR
            if not more:
                break
        apart.append(count)
    # A tile that never gets home must not come nearer by a division.
    by_sum = -(-sum(apart) // (1 if FAR in apart else max([1, *map(len, steps)])))
    return max(*apart, by_sum, int(not problem.is_goal(problem.start)))


def is_odd(permutation):
    """Return True if a permutation of 0, 1, 2, .. is odd."""
    return sum(a > b for a, b in combinations(permutation, 2)) % 2 == 1


def plan_parity(problem):
    """0 or 1 where all plans have an even or an odd number of moves, else None."""
    parities = {op.is_odd for op in problem.operators}
    if problem.is_distinct and parities == {True}:
        # Each move changes the parity of the board.
        return int(is_odd([problem.home[content] for content in problem.start]))
    if not problem.is_walk:
        return None
    # Each move takes the blank to a cell of the other colour, if the cells can be coloured so.
    near = {b: set() for b in range(problem.cells)}
    for op in problem.operators:
        near[op.blank].add(op.target[op.blank])
        near[op.target[op.blank]].add(op.blank)
    colour = {}
    for first in near:
        stack = [] if first in colour else [first]
        colour.setdefault(first, 0)
        while stack:
            b = stack.pop()
            if any(colour.get(d) == colour[b] for d in near[b]):
                return None
            stack += [d for d in near[b] if d not in colour]
            colour |= dict.fromkeys(near[b], 1 - colour[b])
    return colour[problem.blank] ^ colour[problem.home[0]]


# --- the search
class Search:
    """The depth-first search that a search proof describes.

    A path is where the blank begins (0 where no move needs it somewhere, or one of several gaps),
    and then its moves. `moves[b]` are those with the blank in cell b, by number: the cell to which
    the blank goes where plans are walks of it, else their place among the different operators.
    """

    def __init__(self, problem, document):
        keys = {"schema", "bound", "tables", "symmetries", "sets", "words", "depth", "every_plan"}
        require(document.keys() == keys and document["schema"] == SEARCH_SCHEMA, "search: keys")
        self.problem, cells, known = problem, problem.cells, {}
        for op in sorted(problem.operators, key=lambda op: op.penalty if problem.is_walk else 0):
            if op.source != list(range(cells)):  # of those with the same effect the first counts
                known.setdefault((op.blank, *op.source), op)
        ops, self.is_walk, gaps = [*known.values()], problem.is_walk, problem.pieces[0]
        require(ops and cells <= MOST_CELLS, "search.json: nothing to search")
        needs_some = any(op.blank is not None for op in ops)
        self.is_free = problem.is_distinct and not self.is_walk and not needs_some
        self.has_places, self.has_gaps = needs_some and gaps == 1, needs_some and gaps > 1
        self.with_gaps = needs_some and comb(cells, gaps) <= 5_000
        self.has_parity = self.is_free and len({op.is_odd for op in ops}) == 2
        self.moves_one = all(
            sum(s not in (c, op.blank) for c, s in enumerate(op.source)) < 2 for op in ops
        )
        self.moves = {
            b: {
                op.target[b] if self.is_walk else m: op
                for m, op in enumerate(ops)
                if op.blank in (None, b) or not self.has_places
            }
            for b in range(cells if self.has_places else 1)
        }
        self.ops, self.begin = ops, problem.blank if self.has_places else 0
        self.bound = number(document["bound"], 0, MOST_MOVES, "bound")
        self.depth = number(document["depth"], 0, MOST_MOVES, "depth")
        self.length = number(document["words"], 2, 16, "words")
        self.every_plan = document["every_plan"]
        require(type(self.every_plan) is bool, "search.json: every_plan is not a truth value")
        self.patterns, self.images = (
            [[number(cell, 0, cells - 1, "a cell") for cell in row] for row in document[key]]
            for key in ("tables", "symmetries")
        )
        for row in (*self.patterns, *self.images):
            require(row and len({*row}) == len(row), "search.json: a cell is named twice")
        most = len(self.patterns) - 1, len(self.images) - 1, 1
        self.sets = [
            [[number(n, 0, m, "a lookup") for n, m in zip(look, most, strict=True)] for look in row]
            for row in document["sets"]
        ]
        rows = (self.patterns, 64), (self.images, 64), (self.sets, 256)
        rows += tuple((row, 256) for row in self.sets)
        require(all(0 < len(row) <= m for row, m in rows), "search.json: a wrong length")
        self.adds = self.is_walk or any(len(row) > 1 for row in self.sets)
        self._check_images()
        self._check_sets()
        self.kinds = {}
        self.tables = [self._table(t) for t in range(len(self.patterns))]
        self.words = self._words()

    def _check_images(self):
        """Require that a symmetry takes every move to a move."""
        moves = [(op.blank, op.source) for op in self.ops]
        for image in self.images:
            require(len(image) == self.problem.cells, "search.json: a symmetry leaves cells out")
            back = [image.index(cell) for cell in range(len(image))]
            is_one = image == back == sorted(image)
            for b, source in moves:
                turned = b if b is None else image[b], [image[source[cell]] for cell in back]
                require(turned in moves, "search.json: a symmetry does not keep the rules")
            require(is_one or self.is_walk or self.is_free, "search.json: unknown kind of symmetry")

    def _check_sets(self):
        """Return the tiles, or kinds, whose patterns may be added: each move moves one of them."""
        is_closed = all(any(op.target == other.source for other in self.ops) for op in self.ops)
        for row in self.sets:
            if self.is_walk:
                own = [self.images[s].index(cell) for t, s, _ in row for cell in self.patterns[t]]
                own.append(self.problem.home[0])
            else:
                own = [self.problem.goal[cell] for t, _, _ in row for cell in self.patterns[t]]
                own.append(0)
            adds_up = self.moves_one and not self.is_free and len({*own}) == len(own)
            needs_sum = self.is_walk or len(row) > 1
            require(adds_up or not needs_sum, "search.json: moves of these patterns do not add up")
            has_inverse = any(inverse for _, _, inverse in row)
            require(not has_inverse or (self.is_free and is_closed), "such a board has no inverse")

    def _groups(self, pattern):
        """Return the kinds of a pattern, and what a table begins with: cells of each, at the goal.

        With gaps that are followed these come first.
        """
        problem, goal = self.problem, self.problem.goal
        kinds = [goal[cell] for cell in pattern]
        require("*" not in kinds and len({*kinds}) == len(kinds), "search.json: wrong kinds")
        if self.with_gaps:
            kinds = [0, *(kind for kind in kinds if kind != 0)]
        free = frozenset(cell for cell, wanted in enumerate(goal) if wanted == "*")
        ends = [((), free)]
        for kind in kinds:
            homes = [cell for cell, wanted in enumerate(goal) if wanted == kind]
            more = problem.pieces[kind] - len(homes)
            ends = [
                ((*groups, tuple(sorted((*homes, *some)))), left.difference(some))
                for groups, left in ends
                for some in combinations(sorted(left), more)
            ]
            require(len(ends) <= 1 << 20, "search.json: too many placements of the goal")
        return kinds, [groups for groups, _ in ends]

    def _table(self, which):
        """{(cells of each kind of pieces, whether the board is odd): the least number of moves}.

        Where tables are added, only the moves of their own pieces count, and the gap is free.
        """
        problem, pattern, least, seen = self.problem, self.patterns[which], {}, set()
        if self.is_walk or self.is_free:
            uses = [self.images[s] for row in self.sets for t, s, _ in row if t == which]
            gaps = {image[problem.home[0]] for image in uses} if self.is_walk else ()
            own = tuple((cell,) for cell in pattern)
            ends = [((gap,), *own) for gap in gaps] if self.is_walk else [own]
            size = problem.cells ** len(pattern) * (1 + self.has_parity)
        else:
            kinds, ends = self._groups(pattern)
            self.kinds[which] = kinds
            size = prod(comb(problem.cells, problem.pieces[kind]) for kind in kinds)
        self.entries = getattr(self, "entries", 0) + size
        require(self.entries <= MOST_ENTRIES, "search.json: the tables are too large")
        # A walk's table says what the tiles need, wherever the blank is.
        first, has_gap = int(self.is_walk), int(self.with_gaps)
        queue = deque((end, False, 0) for end in ends)
        while queue:
            groups, odd, count = queue.popleft()
            if (groups, odd) in seen:
                continue
            seen.add((groups, odd))
            if len(seen) > MOST_STATES:
                raise UndecidedError("a table is too large for this program")
            least.setdefault((groups[first:], odd), count)
            for op in self.ops:
                before = tuple([op.back(cells) for cells in groups])
                if has_gap and op.blank is not None and op.blank not in before[0]:
                    continue
                is_free = self.adds and before[has_gap:] == groups[has_gap:]
                add = queue.appendleft if is_free else queue.append
                add((before, odd ^ (self.has_parity and op.is_odd), count + (not is_free)))
        return least

    def lower_bound(self, board):
        """Return the largest sum of a set of lookups."""
        if self.is_walk or self.is_free:
            home = self.problem.home
            there = {home[content]: cell for cell, content in enumerate(board)}
            odd = self.has_parity and is_odd([home[content] for content in board])
        totals = [0] * len(self.sets)
        for total, row in enumerate(self.sets):
            for t, s, is_inverse in row:
                if self.is_walk or self.is_free:
                    image = self.images[s]
                    homes = [image.index(cell) for cell in self.patterns[t]]
                    # As the inverse, tiles and cells change their roles.
                    cells = [home[board[own]] if is_inverse else there[own] for own in homes]
                    placed = tuple((image[cell],) for cell in cells), odd
                else:
                    own = self.kinds[t]
                    groups = ([c for c, k in enumerate(board) if k == kind] for kind in own)
                    placed = tuple(map(tuple, groups)), False
                totals[total] += self.tables[t].get(placed, NEVER)
        return max(totals)

    def _words(self):
        """All paths of up to `length` moves that are the first with their effect.

        Paths are in the order of their length, and then of their moves. The first of all shortest
        plans has no part that is not the first with its effect: with the earlier one in its place
        there were a plan that is shorter or comes earlier. For every plan only a shorter one
        counts. Of several gaps a path needs some in certain cells; another takes its place only if
        it needs none elsewhere.
        """
        none = frozenset()
        level = [((b,), b, tuple(range(self.problem.cells)), none) for b in self.moves]
        known, words, count = {(b, effect): [none] for _, b, effect, _ in level}, set(), len(level)
        for _ in range(self.length):
            longer, new = [], {} if self.every_plan else known
            for path, place, effect, needs in level:
                for move, op in sorted(self.moves[place].items()):
                    key, needed = (path[0], op.apply(effect)), needs
                    if self.has_gaps and op.blank is not None:
                        needed = needs | {effect[op.blank]}
                    is_late = any(other <= needed for other in known.get(key, ()))
                    if is_late or len(needed) > max(self.problem.pieces[0], 1):
                        continue
                    new.setdefault(key, []).append(needed)
                    there = op.target[place] if self.has_places else 0
                    longer.append(((*path, move), there, key[1], needed))
            count += len(longer)
            require(count <= MOST_WORDS, "search.json: there are too many words")
            for key, needs in new.items() if self.every_plan else ():
                known.setdefault(key, []).extend(needs)
            words.update(path for path, *_ in longer)
            level = longer
        return words

    def run(self, path, places, board, longest, found):
        """Follow all paths below one, down to `longest` moves, which are found, as plans are."""
        is_goal = self.problem.is_goal(board)
        if is_goal or len(path) - 1 == longest:
            require(not is_goal or longest < 0, "the search meets a plan on the way to its units")
            found.append((path, places, board))
            return
        for move, op in sorted(self.moves[places[-1]].items()):
            after = op.apply(board)
            if self.has_gaps and op.blank is not None and (board[op.blank] or after == board):
                continue
            longer = (*path, move)
            counts = range(1, min(self.length, len(path)) + 1)
            parts = ((places[-n], *longer[-n:]) for n in counts)
            if self.words.issuperset(parts) and len(path) + self.lower_bound(after) <= self.bound:
                there = op.target[places[-1]] if self.has_places else 0
                self.run(longer, (*places, there), after, longest, found)

    def made(self, path, places):
        """Return the operators of a path."""
        return [self.moves[b][move] for b, move in zip(places, path[1:], strict=False)]

    def check(self, text, plans):
        """Require the units of the text, and no plans below them but these."""
        units, met = [], []
        self.run((self.begin,), (self.begin,), self.problem.start, self.depth, units)
        for path, places, _ in units:
            names = [op.name for op in self.made(path, places)]
            line, end, text = text.partition("\n")
            right = ("" if all(len(name) == 1 for name in names) else " ").join(names)
            require(end and line == right, "units.txt.gz: these are not the units of this search")
        require(not text, "units.txt.gz: more units than this search has")
        for path, places, board in units:
            self.run(path, places, board, -1, met)
        found = {tuple(tuple(op.source) for op in self.made(p, places)) for p, places, _ in met}
        require(found == plans, "the search finds other plans than plans.txt")


def visited(problem, moves):
    """Return how many boards are so near to the start, the goal not among them; None for many."""
    found, layer = {problem.start}, {problem.start}
    while layer and len(found) <= MOST_BOARDS:
        require(not any(map(problem.is_goal, layer)), "there is a plan")
        pairs = [(op, board) for board in layer for op in problem.operators] if moves else []
        layer = {op.apply(board) for op, board in pairs if op.applies(board)} - found
        found, moves = found | layer, moves - 1
    return len(found) if len(found) <= MOST_BOARDS else None


def visit(problem, record, bound):
    """Visit all boards within the bound: the proof for moves that need more than a gap."""
    if (boards := visited(problem, bound)) is None:
        raise UndecidedError("too many boards to visit")
    right = {"schema": VISIT_SCHEMA, "bound": bound, "boards": boards}
    require(record == right and {*map(type, record.values())} == {str, int}, "search.json")


# --- the formulas
class Formula:
    """The formula that there is a plan of `horizon` moves, and what its variables mean.

    After t moves a content is in a cell: ("at", t, cell, content). Move t, counted from 0, is an
    operator: ("move", t, operator). It takes what is in a cell to another: ("step", t, from, to).
    """

    def __init__(self, problem, horizon, dimacs, legend):
        self.problem, self.horizon, self.meaning, self.ways = problem, horizon, {}, {}
        header = re.match(
            r"(?:c.*\n|[ \t\r]*\n)*p[ \t]+cnf[ \t]+(\d+)[ \t]+(\d+)[ \t\r]*\n", dimacs
        )
        require(header, "the formula has no header")
        self.variables, self.clauses = int(header[1]), rows_of(dimacs[header.end() :])
        require(len(self.clauses) == int(header[2]), "the header states another number of clauses")
        largest = max((abs(x) for clause in self.clauses for x in clause), default=0)
        require(largest <= self.variables <= 1 << 22, "a literal has no variable")
        kinds = {"at": [horizon, problem.cells - 1, MOST_CELLS], "never": []}
        kinds["move"] = [horizon - 1, len(problem.operators) - 1]
        kinds["step"] = [horizon - 1, problem.cells - 1, problem.cells - 1]
        for line in legend.removesuffix("\n").split("\n") if legend else ():
            match = re.fullmatch(r"([1-9][0-9]{0,8}) ([a-z]+)((?: (?:0|[1-9][0-9]{0,8}))*)", line)
            require(match and match[2] in kinds, f"legend: {line!r:.40} is not a meaning")
            variable, own, most = int(match[1]), [*map(int, match[3].split())], kinds[match[2]]
            fits = len(own) == len(most) and all(n <= m for n, m in zip(own, most, strict=True))
            fits = fits and (match[2] != "at" or own[2] in problem.pieces)
            fits = fits and variable <= self.variables and variable not in self.meaning
            require(fits, f"legend: {line!r:.40} means nothing")
            self.meaning[variable] = (match[2], *own)
        # After each number of moves: where (content, blank) can be on a way from start to goal. Of
        # several gaps none is followed beside a content, for any may be where a move needs one.
        blanks = [None] if problem.blank is None else problem.ends[0]
        for kind, ends in problem.ends.items():
            layers = [{(cell, problem.blank) for cell, k in enumerate(problem.start) if k == kind}]
            for _ in range(horizon):
                layers.append({s for here in layers[-1] for _, s in self._steps(kind, here)})
            is_gap = kind == 0
            layers[-1] &= {(c, b) for c in ends for b in blanks if b is None or is_gap == (b == c)}
            for after, layer in pairwise(layers[::-1]):
                layer &= {s for s in layer if any(t in after for _, t in self._steps(kind, s))}
            self.ways[kind] = layers

    def _steps(self, kind, state):
        """Return the operators that can be made, and where they take (content, blank)."""
        cell, blank = state
        for index, op in enumerate(self.problem.operators):
            # One of several gaps may be anywhere but where a tile is.
            if op.blank in (None, blank) or (blank is None and (kind == 0 or op.blank != cell)):
                yield index, (op.target[cell], None if blank is None else op.target[blank])

    def _is_no_way(self):
        """Return True if a content or a cell has no way, or the few boards show no plan."""
        placed = [{cell for cell, _ in layer} for ways in self.ways.values() for layer in ways]
        times, cells = range(self.horizon + 1), range(self.problem.cells)
        full = [{c for ways in self.ways.values() for c, _ in ways[t]} == {*cells} for t in times]
        if not (all(placed) and all(full)):
            return True
        layer = {self.problem.start}
        for _ in times[1:]:
            pairs = [(op, board) for op in self.problem.operators for board in layer]
            layer = {op.apply(b) for op, b in pairs if op.blank is None or b[op.blank] == 0}
            if len(layer) > 30:
                return False
        return not any(map(self.problem.is_goal, layer))

    def check_clauses(self):
        """Every clause must be true of every plan of this length."""
        for place, clause in enumerate([] if self._is_no_way() else self.clauses, start=1):
            means = [(self.meaning.get(abs(x), ("nothing",)), x < 0) for x in clause]
            is_true = any(m == ("never",) and is_denied for m, is_denied in means)
            facts = [fact for fact in means if fact[0][0] in ("at", "move", "step")]
            if not is_true and (len(means) > MOST_LITERALS or not self._is_impossible(facts)):
                raise WrongError(f"clause {place} does not follow from the rules alone")

    def _is_impossible(self, facts):
        """Return True if no plan agrees with facts: (meaning, True if it holds)."""
        # First the very pieces that are in known cells: as a rule one of them settles it.
        known = [meaning for meaning, holds in facts if meaning[0] == "at" and holds]
        have_ways = all(self._has_way(meaning[3], facts, meaning) for meaning in known)
        if not (have_ways and all(self._has_way(content, facts) for content in self.ways)):
            return True
        # Or a cell would be left without any content.
        for m in [m for m, holds in facts if m[0] == "step" or (m[0] == "at" and not holds)]:
            every = [("at", *m[1:3], kind) for kind in self.ways]
            if not any(self._has_way(one[3], [*facts, (one, True)], one) for one in every):
                return True
        return False

    def _has_way(self, content, facts, bound=None):
        """Return True if facts leave a way to a piece, perhaps `bound` to a place, and a blank."""
        first = min([m[1] for m, _ in facts], default=0)
        last = max([m[1] + (m[0] != "at") for m, _ in facts], default=0)
        sure = [bound, *(m for m, _ in facts if self.problem.pieces.get(m[-1]) == 1)]
        facts = [(m, holds, m in sure) for m, holds in facts]
        ways = self.ways[content]
        layer = {here for here in ways[first] if self._agrees(facts, first, content, here)}
        for t in range(first, last):
            layer = {
                there
                for here in layer
                for index, there in self._steps(content, here)
                if there in ways[t + 1]
                and self._agrees(facts, t, content, here, index)
                and self._agrees(facts, t + 1, content, there)
            }
        return bool(layer)

    def _agrees(self, facts, now, content, state, index=None):
        """Return True if facts allow (content, blank) after `now` moves, or operator `index`."""
        cell, blank = state
        # Where the operator needs one of several gaps, and none is followed.
        need = None if index is None or blank is not None else self.problem.operators[index].blank
        if need is not None and (need, None) not in self.ways[0][now]:
            return False
        for (kind, t, *numbers), holds, is_sure in facts:
            is_so = holds
            if t == now and kind == "at" and index is None:
                where, what = numbers
                if what == content:
                    is_so = where == cell or (holds and not is_sure)
                elif what == 0 and blank is not None:
                    is_so = where == blank
                elif where in (cell, blank):
                    is_so = False  # another content is there
            elif t == now and kind == "at" and numbers[0] == need:
                is_so = numbers[1] == 0
            elif t == now and kind == "move" and index is not None:
                is_so = numbers[0] == index
            elif t == now and kind == "step" and index is not None:
                is_so = self.problem.operators[index].target[numbers[0]] == numbers[1]
            if is_so != holds:
                return False
        return True

    def check_refutation(self, proof):
        """Each step must follow from the clauses that it names, and at last the empty clause.

        A step says: its number, its literals, 0, the numbers of those clauses, 0. Let its literals
        be false. Then each clause that it names has at most one literal left that may be true,
        which is true then, until one has none left. A line with a d deletes clauses.
        """
        known, last = dict(enumerate(map(frozenset, self.clauses), start=1)), len(self.clauses)
        for part, deletion in parts_of(proof):
            rows = rows_of(part)
            require(len(rows) % 2 == 0, "the proof's last step has no hints")
            pairs = [*zip(rows[::2], rows[1::2], strict=True)]
            for place, (step, hints) in enumerate(pairs, start=last + 1):
                fits = step[:1] == [place] and all(abs(x) <= self.variables for x in step[1:])
                fits = fits and all(1 <= hint < place for hint in hints)
                require(fits, f"proof, step {place} is malformed")
                require({*hints} <= known.keys() | {*range(last + 1, place)}, "a hint is unknown")
            for (own, *clause), hints in pairs:
                true, last = {-literal for literal in clause}, own
                follows = any(-literal in true for literal in true)
                for hint in hints if not follows else ():
                    left = {literal for literal in known[hint] if -literal not in true}
                    if not left & true:
                        follows = not left
                        require(len(left) < 2, f"proof, step {own}: {hint} is not a unit clause")
                        true |= left
                    if follows:
                        break
                require(follows, f"proof, step {own} does not follow")
                if not clause:
                    return
                known[own] = frozenset(clause)
            for gone in deletion:
                known.pop(gone, None)
        raise WrongError("the proof ends without the empty clause")


def rows_of(text):
    """Return the rows of numbers in a text, each ended by a 0; lines with a c are comments."""
    lines = [line for line in text.split("\n") if not line.startswith("c")]
    rows, row = [], []
    for word in re.findall(r"[^ \t\r\n]+", "\n".join(lines)):
        require(re.fullmatch(r"-?0*[1-9][0-9]{0,9}|0+", word), f"{word!r:.20} is not a number")
        if int(word):
            row.append(int(word))
        else:
            rows.append(row)
            row = []
    require(not row, "the last row has no 0")
    return rows


def parts_of(proof):
    """Return the steps of a proof up to each deletion, and the numbers of deleted clauses."""
    lines = []
    for line in proof.split("\n"):
        if " d " not in line:
            lines.append(line)
            continue
        match = re.fullmatch(r"[0-9]{1,18} d((?: [0-9]{1,18})*) 0\r?", line)
        require(match, "the proof: a deletion is a number, d, numbers and a 0")
        yield "\n".join(lines), [*map(int, match[1].split())]
        lines = []
    yield "\n".join(lines), []


# --- that there is no plan at all
def no_plan(problem):
    """Visit all boards, or, where they are too many, look for a parity that no move changes."""
    if visited(problem, FAR) is not None:
        return
    # The parity of the board, and the colour of the blank's cell, change together or not at all.
    if problem.is_distinct and not problem.is_held:
        odd = is_odd([problem.home[content] for content in problem.start])
        colour, stack = {problem.blank: False}, [problem.blank]
        while stack:
            b = stack.pop()
            for op in problem.operators:
                if op.blank in (None, b):
                    there, changed = None if b is None else op.target[b], op.is_odd
                    if there not in colour:
                        colour[there] = colour[b] ^ changed
                        stack.append(there)
                    elif colour[there] != colour[b] ^ changed:
                        raise UndecidedError("nothing here shows that there is no plan")
        if colour.get(problem.home.get(0), not odd) != odd:
            return
    raise UndecidedError("nothing here shows that there is no plan")


# --- all of it
def record_of(folder):
    """Return the record of a certificate, each entry there and of its kind."""
    record = read_json(folder, "certificate.json")
    kinds = {"schema": (str,), "refuted": (list,), "made_by": (dict,), "claimed": (dict, None)}
    kinds |= dict.fromkeys(("length", "lower_bound", "searched", "plans"), (int, None))
    require(record.keys() == kinds.keys() and record["schema"] == SCHEMA, "certificate: wrong keys")
    for key, value in record.items():
        is_one = (None if value is None else type(value)) in kinds[key]
        require(is_one, f"certificate.json: {key} has the wrong type")
    numbers = [record["lower_bound"], record["searched"], *record["refuted"]]
    claim = record["claimed"]
    if claim is not None:
        require(claim.keys() == {"by", "lower_bound", "statistics"}, "wrong keys of claimed")
        is_name = type(claim["by"]) is str and len(claim["by"]) <= 100
        require(is_name and claim["by"].isprintable(), "certificate.json: claimed by no name")
        require(type(claim["statistics"]) is dict, "certificate.json: no statistics")
        numbers.append(number(claim["lower_bound"], 0, MOST_LENGTH, "claimed"))
    for value in numbers:
        require(value is None or number(value, 0, MOST_LENGTH, "a number of moves") >= 0, "")
    require(len(record["refuted"]) <= 10_000, "certificate.json: too many lengths")
    return record


def check(folder):
    """Return the exit code for a certificate that is right, and what it proves."""
    record, problem = record_of(folder), Problem(read_json(folder, "problem.json"))
    length, bound, plans = record["length"], record["searched"], record["plans"]
    if length is not None:
        line = read(folder, "plan.txt")
        require(len(replay(problem, line)) == length, "certificate.json: not the plan's length")
        require(record["lower_bound"] is not None, "certificate.json: there is a plan")
    require(plans is None or (length is not None and bound == length), "plans need a search")
    if plans is not None:
        met = listed(problem, read(folder, "plans.txt"), number(plans, 0, 100_000, "plans"))
        require({len(plan) for plan in met} <= {length}, "plans.txt: a plan has another length")
    if record["lower_bound"] is None:
        no_plan(problem)
        return 11, "there is no plan"
    possible, parity = distance_bound(problem), plan_parity(problem)
    for horizon in sorted({*record["refuted"]}):
        require(length is None or horizon < length, "the plan's own length is refuted")
        require(not problem.is_held, "formulas about moves that need more than a gap")
        *formula, proof = (read(folder, f"{horizon}.{k}.gz") for k in ("cnf", "legend", "lrat"))
        formula = Formula(problem, horizon, *formula)
        formula.check_clauses()
        formula.check_refutation(proof)
    if bound is not None:
        excluded = bound if plans is None else bound - 1
        require(length is None or excluded < length, "the search would meet the plan itself")
        is_list, proof = plans is not None, read_json(folder, "search.json")
        if problem.is_held:
            require(not is_list, "plans of moves that need more than a gap are not listed")
            visit(problem, proof, bound)
        else:
            search = Search(problem, proof)
            require(search.bound == bound, "search.json: not the bound of certificate.json")
            require(search.every_plan == is_list, "search.json: a wrong every_plan")
            require(not is_list or search.depth < bound, "search.json: the units are whole plans")
            search.check(read(folder, "units.txt.gz"), met if is_list else set())
        possible = max(possible, excluded + 1)
    while possible != length and (possible in record["refuted"] or parity == 1 - possible % 2):
        possible += 1
    possible = possible if length is None else min(possible, length)
    require(possible >= record["lower_bound"], f"nothing excludes a plan of {possible} moves")
    claim = record["claimed"]
    is_low = claim is None or length is None or claim["lower_bound"] <= length
    require(is_low, "the claimed bound exceeds the plan's length")
    if possible == length:
        all_plans = "" if plans is None else f", and these {plans} plans are all"
        return 0, f"{length} moves are optimal{all_plans}"
    return 13 if length is None else 12, f"every plan has {possible} moves or more"


def main(arguments):
    """Check the certificate in the folder that is named, and say what came of it."""
    sys.setrecursionlimit(10_000)
    try:
        code, text = check(Path(arguments[0]))
        text = f"proved: {text}"
    except UndecidedError as error:
        code, text = 3, f"not decided: {error}"
    except WrongError as error:
        code, text = 1, f"wrong: {error}"
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        code, text = 1, f"wrong: it cannot be read ({error!r:.100})"
    print(text)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]) if len(sys.argv) == 2 else __doc__)
