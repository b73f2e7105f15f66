#!/usr/bin/env python3
"""Check a certificate of optimality, by a program that can be read in an evening.

    python3 evening_check.py FOLDER

Exit code 0: the plan in FOLDER is optimal. 1: something in FOLDER is wrong, or cannot be read. 12:
this program cannot tell: clauses that take lemmas to justify, tables that are too large for it,
searches where pieces are alike or moves unusual, or a certificate that states no optimality.

It needs Python alone, shares no line with plansolve, and is one file, so that a stranger can take
it along. Slow is fine here: what counts is that you can see why each step is right. Read it in this
order: the rules (what moves do to a board), the plan (it is replayed), two bounds (distances and
parity), the search (it must not meet the goal), the formulas (each clause is true of every plan,
and nothing makes all of them true).

A board is a tuple of contents, one a cell; 0 is the blank, or one of several gaps. Pieces with the
same number are alike, and in a goal "*" stands for any content.
"""

import gzip
import json
import sys
import zlib
from collections import Counter, deque
from itertools import combinations, pairwise
from pathlib import Path

MOST_BYTES = 64 << 20  # of any file, unpacked
MOST_CELLS, MOST_MOVES = 64, 2_000
MOST_ENTRIES, MOST_WORDS = 3_000_000, 300_000  # of a table; of a search


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
    """The text of a file, which may be packed."""
    try:
        with (gzip.open if name.endswith(".gz") else open)(folder / name, "rb") as stream:
            data = stream.read(MOST_BYTES + 1)
        require(len(data) <= MOST_BYTES, f"{name}: too long")
        return data.decode("utf-8")
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise WrongError(f"{name}: {error}") from None


def read_json(folder, name):
    """The JSON object in a file; a key that stands there twice is an error."""

    def once(pairs):
        require(len(dict(pairs)) == len(pairs), f"{name}: a key stands there twice")
        return dict(pairs)

    return json.loads(read(folder, name), object_pairs_hook=once)


def number(value, least, most, what):
    """The value, where it is a whole number in that range."""
    is_one = type(value) is int and least <= value <= most
    require(is_one, f"{what}: {value!r:.40} is no number from {least} to {most}")
    return value


# --- the rules
class Operator:
    """One move, by name; where the blank, or a gap, has to be, or None; and what is exchanged.

    Cell c is filled from `source[c]`, and what stands there goes to `target[c]`.
    """

    def __init__(self, name, blank, moves, cells):
        self.name, self.blank, self.source = str(name), blank, list(range(cells))
        require(blank is None or number(blank, 0, cells - 1, "blank") >= 0, "the blank's cell")
        for cell, origin in moves:
            self.source[number(cell, 0, cells - 1, "a cell")] = origin
        require(sorted(self.source) == list(range(cells)), f"{name}: it permutes no cells")
        self.target = [self.source.index(cell) for cell in range(cells)]

    def apply(self, board):
        """The board after the move."""
        return tuple(board[origin] for origin in self.source)


def slides(rows, columns, names, with_cells=False):
    """A tile slides into a gap: names for up, down, left, right, perhaps behind its cell (b3U)."""
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


class Problem:
    """A start, a goal, and the operators in their order.

    `ends` are the cells in which pieces of each kind may end, and `blank` is that of the one gap at
    the start, or None. If it `is_distinct`, contents differ and have one goal cell each, a `home`.
    """

    def __init__(self, document):
        rows = [document["board"], document["goal"]]
        columns = len(rows[0][0])
        require(all(len(row) == columns for board in rows for row in board), "no grid")
        self.start, self.goal = (tuple(c for row in board for c in row) for board in rows)
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
        self.blank = self.start.index(0) if self.pieces[0] == 1 else None
        given = self._operators(document["puzzle"], len(rows[0]), columns)
        self.operators = [Operator(*one, self.cells) for one in given]

    def is_goal(self, board):
        """Whether each cell holds what the goal wants."""
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
            case {"operators": [*operators]}:
                return [(op["name"], op.get("blank"), op["moves"]) for op in operators]
        raise UndecidedError("rules by a name that this program does not know")


# --- the plan
def replay(problem, line):
    """The number of moves of a plan, which must lead to the goal."""
    names, known = line.split(), {op.name for op in problem.operators}
    if all(len(name) == 1 for name in known):
        names = [*"".join(names)]
    board = problem.start
    for step, name in enumerate(names, start=1):
        named = [op for op in problem.operators if op.name == name]
        fitting = [op for op in named if op.blank is None or board[op.blank] == 0]
        require(len(fitting) == 1, f"plan.txt: step {step} is not legal: {name!r:.20}")
        board = fitting[0].apply(board)
    require(problem.is_goal(board), "plan.txt: it does not end in the goal")
    return len(names)


# --- two bounds
def distance_bound(problem):
    """The largest distance of a tile, or their sum over the most tiles that one move moves."""
    sources = [(op.blank, enumerate(op.source)) for op in problem.operators]
    steps = [[(s, c) for c, s in pairs if s not in (c, blank)] for blank, pairs in sources]
    apart = []
    for cell, tile in enumerate(problem.start):
        reached, count = {cell}, 0
        while tile and reached.isdisjoint(problem.ends[tile]):
            more = {there for row in steps for here, there in row if here in reached} - reached
            require(more, "a tile never gets home, so there is no plan")
            reached, count = reached | more, count + 1
        apart.append(count)
    by_sum = -(-sum(apart) // max([1, *map(len, steps)]))
    return max(*apart, by_sum, int(not problem.is_goal(problem.start)))


def is_odd(permutation):
    """Whether it takes an odd number of exchanges to make a permutation of 0, 1, 2, .."""
    return sum(a > b for a, b in combinations(permutation, 2)) % 2 == 1


def plan_parity(problem):
    """0 or 1 where all plans have an even or an odd number of moves, else None."""
    parities = {is_odd(op.source) for op in problem.operators}
    if problem.is_distinct and parities == {True}:
        # Each move changes the parity of the board.
        return int(is_odd([problem.home[content] for content in problem.start]))
    if problem.blank is None or any(op.blank is None for op in problem.operators):
        return None
    # Where the blank can be after an even, and after an odd number of moves.
    stack, seen = [(problem.blank, 0)], set()
    while stack:
        blank, parity = stack.pop()
        if (blank, parity) not in seen:
            seen.add((blank, parity))
            here = [op for op in problem.operators if op.blank == blank]
            stack += [(op.target[blank], 1 - parity) for op in here]
    even, odd = (any((end, parity) in seen for end in problem.ends[0]) for parity in (0, 1))
    return None if even == odd else int(odd)


# --- the search
class Search:
    """The depth-first search that a search proof describes.

    A path is where the blank begins (0 without one), and then its moves: the cells to which the
    blank goes, or the numbers of the different permutations. `moves[b][m]` is move m with the
    blank in cell b.
    """

    def __init__(self, problem, document):
        self.problem, cells = problem, problem.cells
        # Where each move exchanges the blank with a tile, a plan is a walk of it.
        ops = problem.operators
        changed = [(op.blank, {c for c in op.source if op.target[c] != c}) for op in ops]
        self.is_walk, known = all(len(two) == 2 and b in two for b, two in changed), {}
        if not (problem.is_distinct and (self.is_walk or all(op.blank is None for op in ops))):
            raise UndecidedError("a search among such moves, or among pieces that are alike")
        for op in ops:  # of those with the same effect the first one counts
            if op.source != list(range(cells)):
                known.setdefault((op.blank, *op.source), op)
        parities = {is_odd(op.source) for op in known.values()}
        self.has_parity = not self.is_walk and len(parities) == 2
        self.moves = {b: {} for b in range(cells)} if self.is_walk else {0: {}}
        for op in known.values():
            row = self.moves[op.blank or 0]
            row[op.target[op.blank] if self.is_walk else len(row)] = op
        self.begin = problem.blank if self.is_walk else 0
        self.bound = number(document["bound"], 0, MOST_MOVES, "bound")
        self.depth = number(document["depth"], 0, MOST_MOVES, "depth")
        self.length = number(document["words"], 2, 16, "words")
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
        require(self.sets and all(self.sets), "search.json: it looks nothing up")
        self._check_images()
        self._check_sets()
        self.tables = [self._table(pattern, t) for t, pattern in enumerate(self.patterns)]
        self.words = self._words()

    def _check_images(self):
        """A symmetry takes every move to a move."""
        moves = [(op.blank, op.source) for row in self.moves.values() for op in row.values()]
        for image in self.images:
            require(len(image) == self.problem.cells, "search.json: a symmetry leaves cells out")
            back = [image.index(cell) for cell in range(len(image))]
            for b, source in moves:
                turned = b if b is None else image[b], [image[source[cell]] for cell in back]
                require(turned in moves, "search.json: a symmetry does not keep the rules")

    def _check_sets(self):
        """What may be added up: tiles that differ, where a move moves one tile."""
        moves = self.moves[0].values()
        is_closed = all(any(op.target == other.source for other in moves) for op in moves)
        for row in self.sets:
            if self.is_walk:
                homes = [self.images[s].index(cell) for t, s, _ in row for cell in self.patterns[t]]
                homes.append(self.problem.home[0])
                require(len({*homes}) == len(homes), "search.json: patterns share a tile")
                require(not any(inverse for _, _, inverse in row), "a blank has no inverse")
            else:
                require(len(row) == 1, "search.json: moves of these patterns do not add up")
                require(is_closed or not row[0][2], "search.json: a move cannot be taken back")

    def _table(self, pattern, which):
        """{(cells of the pattern's tiles, whether the board is odd): the least number of moves}.

        With a blank, only the moves of these tiles count, and all others let it pass.
        """
        problem, least, seen = self.problem, {}, set()
        if problem.cells ** len(pattern) > MOST_ENTRIES:
            raise UndecidedError(f"a table of {len(pattern)} tiles is too large for this program")
        uses = [self.images[s] for row in self.sets for t, s, _ in row if t == which]
        ends = {image[problem.home[0]] if self.is_walk else None for image in uses}
        into = {b: [] for b in (*range(problem.cells), None)}
        for op in [op for row in self.moves.values() for op in row.values()]:
            into[op.target[op.blank] if self.is_walk else None].append(op)
        queue = deque((tuple(pattern), False, end, 0) for end in ends)
        while queue:
            tiles, odd, blank, count = queue.popleft()
            if (tiles, odd, blank) in seen:
                continue
            seen.add((tiles, odd, blank))
            least.setdefault((tiles, odd), count)
            for op in into[blank]:
                before = tuple([op.source[cell] for cell in tiles])
                parity = odd ^ (self.has_parity and is_odd(op.source))
                is_free = self.is_walk and before == tiles
                add = queue.appendleft if is_free else queue.append
                add((before, parity, op.blank, count + (not is_free)))
        return least

    def place(self, path):
        """Where the blank is at the end of a path; 0 without one."""
        return path[-1] if self.is_walk else 0

    def _words(self):
        """All paths of up to `length` moves that are the first with their effect.

        Paths are in the order of their length, and then of their moves. The first of all shortest
        plans has no part that is not the first with its effect: with the earlier one in its place
        there were a plan that is shorter or comes earlier.
        """
        identity = tuple(range(self.problem.cells))
        level = [((b,), identity) for b in self.moves]
        known, words = {(b, identity) for b in self.moves}, set()
        for _ in range(self.length):
            longer = []
            for path, effect in level:
                for move, op in sorted(self.moves[self.place(path)].items()):
                    key = path[0], op.apply(effect)
                    if key not in known:
                        known.add(key)
                        longer.append(((*path, move), key[1]))
            if len(known) > MOST_WORDS:
                raise UndecidedError("the words are too many for this program")
            words.update(path for path, _ in longer)
            level = longer
        return words

    def is_cut(self, path, board):
        """Whether a path ends with a part that is no word, or on a board too far from the goal."""
        moves = len(path) - 1
        counts = range(1, min(self.length, moves) + 1)
        parts = [path[-n - 1 :] if self.is_walk else (0, *path[-n:]) for n in counts]
        return not self.words.issuperset(parts) or moves + self.lower_bound(board) > self.bound

    def lower_bound(self, board):
        """The largest sum of a set of lookups."""
        home = self.problem.home
        there = {home[content]: cell for cell, content in enumerate(board)}
        odd = self.has_parity and is_odd([home[content] for content in board])
        totals = [0] * len(self.sets)
        for number, row in enumerate(self.sets):
            for t, s, is_inverse in row:
                image = self.images[s]
                homes = [image.index(cell) for cell in self.patterns[t]]
                # As the inverse, tiles and cells change their roles.
                cells = [home[board[own]] if is_inverse else there[own] for own in homes]
                placed = tuple([image[cell] for cell in cells]), odd
                totals[number] += self.tables[t].get(placed, self.bound + 1)
        return max(totals)

    def run(self, path, board, longest, units):
        """Follow all paths below one, down to `longest` moves, where they are units."""
        require(board != self.problem.goal, f"the search meets a plan of {len(path) - 1} moves")
        if len(path) - 1 == longest:
            units.append((path, board))
            return
        for move, op in sorted(self.moves[self.place(path)].items()):
            longer, after = (*path, move), op.apply(board)
            if not self.is_cut(longer, after):
                self.run(longer, after, longest, units)

    def name(self, path):
        """The moves of a path as the list of units has them."""
        names = [self.moves[self.place((b,))][m].name for b, m in pairwise(path)]
        return ("" if all(len(name) == 1 for name in names) else " ").join(names)

    def check(self, listed):
        """The units must be those that are listed, and no plan may be met below any of them."""
        units = []
        self.run((self.begin,), self.problem.start, self.depth, units)
        text = "".join(self.name(path) + "\n" for path, _ in units)
        require(text == listed, "units.txt.gz: these are not the units of this search")
        for path, board in units:
            self.run(path, board, -1, [])


# --- the formulas
class Formula:
    """The formula that there is a plan of `horizon` moves, and what its variables mean.

    After t moves a content is in a cell: ("at", t, cell, content). Move t, counted from 0, is an
    operator: ("move", t, operator). It takes what is in a cell to another: ("step", t, from, to).
    """

    def __init__(self, problem, horizon, dimacs, legend):
        self.problem, self.horizon, self.meaning, self.ways = problem, horizon, {}, {}
        lines = [line.split() for line in dimacs.splitlines() if line[:1] not in ("c", "p")]
        self.clauses = [[*map(int, words)] for words in lines]
        require(all(c.index(0) == len(c) - 1 for c in self.clauses), "clauses end with one 0")
        for variable, kind, *numbers in map(str.split, legend.splitlines()):
            if variable in ("unit", "bound"):
                continue  # of lemmas, which are not used here
            if {"at": 3, "move": 2, "step": 3}.get(kind) != len(numbers):
                raise UndecidedError(f"a variable of the kind {kind!r:.20}: no audit certificate")
            require(int(variable) not in self.meaning, f"variable {variable} has two meanings")
            own = [number(int(one), 0, MOST_ENTRIES, f"variable {variable}") for one in numbers]
            self.meaning[int(variable)] = (kind, *own)
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
        """The operators that can be made, and where they take (content, blank)."""
        cell, blank = state
        for index, op in enumerate(self.problem.operators):
            # One of several gaps may be anywhere but where a tile is.
            if op.blank in (None, blank) or (blank is None and (kind == 0 or op.blank != cell)):
                yield index, (op.target[cell], None if blank is None else op.target[blank])

    def check_clauses(self):
        """Every clause must be true of every plan of this length."""
        for place, clause in enumerate(self.clauses, start=1):
            facts = [(self.meaning.get(abs(x), ("nothing", 0)), x < 0) for x in clause[:-1]]
            if not self._is_impossible(facts):
                raise UndecidedError(f"clause {place} does not follow from the rules alone")

    def _is_impossible(self, facts):
        """Whether no plan agrees with facts: (meaning, whether it is so)."""
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
        """Whether a piece, perhaps `bound` to a place, and the blank can go as the facts say."""
        times = [meaning[1] for meaning, _ in facts]
        first, last = min(times, default=0), min(max(times, default=0) + 1, self.horizon)
        if first > last:
            return True
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
        """Whether facts allow this (content, blank) after `now` moves, or operator `index`."""
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
        which is true then, until one has none left.
        """
        known = [frozenset(clause[:-1]) for clause in self.clauses]
        for line in proof.splitlines():
            if "d" in line:
                continue  # what is deleted here may as well stay
            number, *rest = map(int, line.split())
            clause = rest[: rest.index(0)]
            *hints, end = rest[len(clause) + 1 :]
            require(number == len(known) + 1 and end == 0, f"proof, step {number}: not a step")
            true, follows = {-literal for literal in clause}, False
            for hint in hints:
                require(1 <= hint < number, f"proof, step {number}: {hint} is no clause before it")
                left = {literal for literal in known[hint - 1] if -literal not in true}
                follows = follows or not left
                require(follows or len(left) == 1, f"proof, step {number}: {hint} is no unit")
                true |= left
            require(follows, f"proof, step {number}: it does not follow")
            if not clause:
                return
            known.append(frozenset(clause))
        raise WrongError("the proof ends without the empty clause")


# --- all of it
def check(folder):
    """Return the length of the plan in a folder, which is optimal."""
    record = read_json(folder, "certificate.json")
    if record["length"] is None:
        raise UndecidedError("it states no plan, only that there is none, or none so short")
    problem = Problem(read_json(folder, "problem.json"))
    length = replay(problem, read(folder, "plan.txt"))
    require(record["length"] == length, "certificate.json: another length than the plan's")
    stated = number(record["lower_bound"], 0, length, "lower_bound")
    possible, parity = distance_bound(problem), plan_parity(problem)
    if record["refuted"] and record["schema"] != "plansolve.certificate/4":
        raise UndecidedError("proofs without hints, of an earlier form")
    for horizon in record["refuted"]:
        number(horizon, 0, length - 1, "refuted")
        *formula, proof = (read(folder, f"{horizon}.{k}.gz") for k in ("cnf", "legend", "lrat"))
        formula = Formula(problem, horizon, *formula)
        formula.check_clauses()
        formula.check_refutation(proof)
    if record.get("searched") is not None:
        bound = number(record["searched"], 0, length - 1, "searched")
        search = Search(problem, read_json(folder, "search.json"))
        require(search.bound == bound, "search.json: another bound than certificate.json")
        search.check(read(folder, "units.txt.gz"))
        possible = max(possible, bound + 1)
    others = {n for n in range(length) if parity not in (None, n % 2)}
    while possible < length and possible in others.union(record["refuted"]):
        possible += 1
    require(possible >= stated, f"nothing excludes a plan of {possible} moves")
    if possible < length:
        raise UndecidedError(f"every plan has {possible} moves or more, and this one {length}")
    return length


def main(arguments):
    """Check the certificate in the folder that is named, and say what came of it."""
    sys.setrecursionlimit(10_000)
    try:
        code, text = 0, f"proved: {check(Path(arguments[0]))} moves are optimal"
    except UndecidedError as error:
        code, text = 12, f"not decided: {error}"
    except WrongError as error:
        code, text = 1, f"wrong: {error}"
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        code, text = 1, f"wrong: it cannot be read ({error!r:.100})"
    print(text)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]) if len(sys.argv) == 2 else __doc__)
