"""The levels of a grid beam: from the best boards with k moves to the best with k + 1.

Finished boards of a stage are put away: the best ones, each once, in a heap with the worst on top.
Each board leaves a node in a tree, to read plans off.
"""

import numpy as np

from plansolve.solvers.search.grid_beam.distances_kernel import (
    LAST,
    OUT,
    PAIR,
    SINGLE,
    StageDistances,
    stage_distance,
)
from plansolve.solvers.search.grid_beam.guidance_kernel import conflicts_made
from plansolve.solvers.search.grid_beam.state import (
    DONE,
    FULL,
    RUNNING,
    GridBoards,
    GridCandidates,
    GridState,
    Guidance,
    HashKeys,
    Number,
    Ranking,
    StageTerms,
    Tree,
)
from plansolve.storage.jit import Array, kernel


@kernel
def _sink(ranking: Ranking, count: Number) -> None:
    """Restore the order of a heap whose first entry has changed."""
    keys, heap = ranking
    i = 0
    while True:
        child = 2 * i + 1
        if child >= count:
            return
        if child + 1 < count and keys[heap[child + 1]] > keys[heap[child]]:
            child += 1
        if keys[heap[i]] >= keys[heap[child]]:
            return
        heap[i], heap[child] = heap[child], heap[i]
        i = child


@kernel
def _place_for(ranking: Ranking, count: Number, keep: Number, key: Number) -> Number:
    """Return the place for a board with that key: `count`, the worst board's, or -1."""
    keys, heap = ranking
    if count < keep:
        i = count
        keys[count] = key
        heap[count] = count
        while i > 0 and keys[heap[(i - 1) // 2]] < key:
            heap[i], heap[(i - 1) // 2] = heap[(i - 1) // 2], heap[i]
            i = (i - 1) // 2
        return np.int64(count)
    if key >= keys[heap[0]]:
        return -1
    place = np.int64(heap[0])
    keys[place] = key
    _sink(ranking, count)
    return place


@kernel
def is_known(closed: Array, hashed: Number, bits: Number, salt: Number) -> bool:
    """Return True if a board was seen in this stage; it is from now on.

    The highest bits of the hash tell the place in the closed table, the next 32 the entry, and
    the salt of the stage makes all older entries void.
    """
    place = hashed >> (np.uint64(64) - bits)
    signature = np.uint32((hashed >> (np.uint64(32) - bits)) & np.uint64(0xFFFFFFFF))
    signature ^= np.uint32(salt)
    if closed[place] == signature:
        return True
    closed[place] = signature
    return False


@kernel
def put_away(state: GridState, level: GridBoards, count: int) -> None:
    """Keep of the last `count` candidates, which are finished, the best by the next distance."""
    progress, terms, ahead, tree = state.progress, state.terms, state.ahead, state.tree
    child, child_hash, _, _ = state.candidates
    tiles, facts, hashes = state.finished
    free, bits, salt = np.uint64(terms.free), np.uint64(terms.bits), np.uint64(terms.salt)
    for i in range(np.uint64(count)):
        c = np.uint64(len(child)) - np.uint64(1) - i
        if is_known(state.closed, child_hash[c], bits, salt):
            continue
        source, to = np.int64(child[c].source), np.uint64(child[c].blank)
        is_child = source >= 0
        number = np.uint64(source if is_child else -1 - source)
        board = level.tiles[number] if is_child else state.first.tiles[number]
        before = level.facts[number] if is_child else state.first.facts[number]
        # A board that was finished before the stage began does not move.
        blank = np.uint64(before.blank)
        a: Number = np.uint64(0)
        b: Number = np.uint64(0)
        for cell in range(free):
            if board[cell] == ahead.one:
                a = cell
            if board[cell] == ahead.other:
                b = cell
        a = blank if a == to else a
        b = blank if b == to else b
        distance = stage_distance(ahead, terms.free_after, np.int64(a), np.int64(b), np.int64(to))
        key = 16 * progress.level + child[c].h + ((terms.alpha * distance) >> 2)
        found = _place_for(state.ranking, progress.finished, terms.keep, key)
        if found < 0:
            continue
        progress.finished = max(progress.finished, found + 1)
        if progress.first_finished < 0:
            progress.first_finished = progress.level
        place = np.uint64(found)
        for cell in range(free):
            tiles[place, cell] = board[cell]
        tiles[place, blank] = board[to]
        tiles[place, to] = board[blank]
        facts[place].blank = to
        facts[place].came = blank if is_child else before.came
        facts[place].h = child[c].h
        facts[place].node = before.node
        facts[place].one = a
        facts[place].other = b
        facts[place].moves = progress.level
        hashes[place] = child_hash[c]
        if is_child:
            tree.parents[progress.nodes] = before.node
            tree.cells[progress.nodes] = to
            facts[place].node = progress.nodes
            progress.nodes += 1


# From this level of a stage on the distance counts for ever more, so that no stage goes on forever.
_RAMP = 40
_LEVELS = 1500


@kernel
def _expand(
    level: GridBoards,
    count: Number,
    free: Number,
    weight: Number,
    here: StageDistances,
    guidance: Guidance,
    keys: HashKeys,
    candidates: GridCandidates,
) -> tuple[Number, Number]:
    """Make the children of a level: candidates, and from the end of their arrays finished ones.

    Returns how many there are of each.
    """
    tiles, facts, hashes = level
    child, child_hash, _, _ = candidates
    tile_key, cell_key = keys
    first, there, kind, size = here.first, here.there, here.kind, np.uint64(here.size)
    # Fields are taken out of their tuples here: in the loop each would count its references.
    filled, rows, far = here.filled, here.rows, here.far
    local, doors, window = here.local, here.door, here.window
    table, lines, conflict, blank_home = guidance
    line_of = lines.of
    made, finished = np.uint64(0), np.uint64(0)
    for s in range(np.uint64(count)):
        board = tiles[s]
        blank, came = np.uint64(facts[s].blank), np.uint64(facts[s].came)
        h = np.int64(facts[s].h)
        a, b = np.uint64(facts[s].one), np.uint64(facts[s].other)
        for e in range(first[blank], first[blank + np.uint64(1)]):
            to = there[e]
            if to >= free or to == came:
                continue
            tile = np.uint64(board[to])
            after = h + np.int64(table[tile, blank]) - np.int64(table[tile, to])
            if conflict:
                # A move along a row changes two columns, and the other way round.
                across = np.uint64(line_of[0, to] == line_of[0, blank])
                home = line_of[across, tile]
                if home == line_of[across, to]:
                    after -= conflict * conflicts_made(
                        board, free, lines, blank_home, across, to, tile
                    )
                elif home == line_of[across, blank]:
                    after += conflict * conflicts_made(
                        board, free, lines, blank_home, across, blank, tile
                    )
            p = blank if a == to else a
            q = blank if b == to else b
            distance = np.int64(0)
            if kind == SINGLE and filled[p]:
                distance = np.int64(rows[p, to])
            elif kind == PAIR and local[p] != OUT and local[q] != OUT:
                door = np.uint64(doors[to])
                i = np.uint64(local[p]) * size + np.uint64(local[q])
                i = i * size + np.uint64(local[door])
                distance = np.int64(window[i]) + np.int64(far[to, door])
            elif kind != LAST:
                distance = stage_distance(
                    here, np.int64(free), np.int64(p), np.int64(q), np.int64(to)
                )
            place = made
            if distance == 0 and (kind != LAST or after == 0):
                finished += np.uint64(1)
                place = np.uint64(len(child)) - finished
            else:
                made += np.uint64(1)
            child[place].source = s
            child[place].blank = to
            child[place].h = after
            child[place].score = after + ((weight * distance) >> 2)
            child_hash[place] = hashes[s] + tile_key[tile] * (cell_key[blank] - cell_key[to])
    return np.int64(made), np.int64(finished)


@kernel
def _join(
    state: GridState, weight: Number, made: Number, finished: Number
) -> tuple[Number, Number]:
    """Add the stage's first boards that have as many moves as the level; they are in order."""
    progress, here = state.progress, state.here
    facts, hashes = state.first.facts, state.first.hash
    child, child_hash, _, _ = state.candidates
    while progress.joined < progress.first:
        i = np.uint64(state.order[progress.joined])
        if facts[i].moves > progress.level:
            break
        progress.joined += 1
        blank, h = np.int64(facts[i].blank), np.int64(facts[i].h)
        one, other = np.int64(facts[i].one), np.int64(facts[i].other)
        distance = stage_distance(here, state.terms.free, one, other, blank)
        place = made
        if distance == 0 and (here.kind != LAST or h == 0):
            finished += 1
            place = len(child) - finished
        else:
            made += 1
        child[place].source = -1 - np.int64(i)
        child[place].blank = blank
        child[place].h = h
        child[place].score = h + ((weight * distance) >> 2)
        child_hash[place] = hashes[i]
    return made, finished


@kernel
def _sort(made: Number, candidates: GridCandidates) -> Number:
    """Sort the candidates by score into `order`, by counting; return the best score.

    All scores far above the best are alike.
    """
    child, _, order, counts = candidates
    stored = np.uint64(made)
    best: Number = np.int64(1) << 60
    worst: Number = np.int64(0)
    for i in range(stored):
        score = np.int64(child[i].score)
        best = min(best, score)
        worst = max(worst, score)
    buckets: Number = max(0, min(worst - best + 1, len(counts) - 1))
    for i in range(buckets + 1):
        counts[i] = 0
    for i in range(stored):
        bucket: Number = np.uint64(min(np.int64(child[i].score) - best + 1, buckets))
        counts[bucket] += 1
    for i in range(buckets):
        counts[i + 1] += counts[i]
    # The counts up to a bucket: its last board comes last, so that the order is filled backwards.
    for i in range(stored):
        j = stored - np.uint64(1) - i
        bucket = np.uint64(min(np.int64(child[j].score) - best + 1, buckets))
        counts[bucket] -= 1
        order[counts[bucket]] = j
    return best


@kernel
def _select(
    progress: Array,
    terms: StageTerms,
    level: GridBoards,
    following: GridBoards,
    first: GridBoards,
    candidates: GridCandidates,
    closed: Array,
    tree: Tree,
) -> None:
    """Make the following level of the best candidates that are new."""
    tiles, facts, _ = level
    child, child_hash, order, _ = candidates
    next_tiles, next_facts, next_hash = following
    free, bits, salt = np.uint64(terms.free), np.uint64(terms.bits), np.uint64(terms.salt)
    slot, width = np.uint64(0), np.uint64(terms.width)
    node = progress.nodes
    for position in range(np.uint64(progress.made)):
        if slot == width:
            break
        i = np.uint64(order[position])
        if is_known(closed, child_hash[i], bits, salt):
            continue
        source, to = np.int64(child[i].source), np.uint64(child[i].blank)
        next_hash[slot] = child_hash[i]
        if source < 0:
            start = np.uint64(-1 - source)
            next_facts[slot] = first.facts[start]
            for cell in range(free):
                next_tiles[slot, cell] = first.tiles[start, cell]
        else:
            parent = np.uint64(source)
            blank = np.uint64(facts[parent].blank)
            for cell in range(free):
                next_tiles[slot, cell] = tiles[parent, cell]
            next_tiles[slot, blank] = tiles[parent, to]
            next_tiles[slot, to] = tiles[parent, blank]
            one, other = facts[parent].one, facts[parent].other
            next_facts[slot].blank = to
            next_facts[slot].came = blank
            next_facts[slot].h = child[i].h
            next_facts[slot].node = node
            next_facts[slot].one = blank if one == to else one
            next_facts[slot].other = blank if other == to else other
            tree.parents[node] = facts[parent].node
            tree.cells[node] = to
            node += 1
        slot += np.uint64(1)
    progress.count = np.int64(slot)
    progress.nodes = node


@kernel
def advance(state: GridState, limit: int, work: int) -> int:
    """Continue a stage until it is over, the tree is full, or `work` boards were expanded.

    A stage is over when there are no more boards, when its finished boards are as many as are
    to be kept and no board of the level has a better score than the worst of them, or some
    levels (`slack`) after the first of them. The last stage ends with the first finished board.
    Plans of `limit` moves or more are not wanted.
    """
    # Functions get what they read, and not all of the state: that would count the references of
    # all its arrays for each level, which are short where boards are large.
    progress, terms, ranking = state.progress, state.terms, state.ranking
    here, guidance, keys, candidates = state.here, state.guidance, state.keys, state.candidates
    first, closed, tree = state.first, state.closed, state.tree
    free = np.uint64(terms.free)
    level, following = state.level, state.following
    if progress.swapped:
        level, following = following, level
    allowed = progress.expanded + work
    while progress.expanded < allowed:
        if progress.nodes + 4 * len(ranking.keys) > len(state.tree.parents):
            return FULL
        weight = terms.alpha + max(0, progress.level - terms.start - _RAMP)
        progress.level += 1
        made, finished = _expand(
            level, progress.count, free, weight, here, guidance, keys, candidates
        )
        progress.expanded += progress.count
        if made == 0 and progress.joined < progress.first:
            soonest = np.int64(state.first.facts[state.order[progress.joined]].moves)
            progress.level = max(progress.level, soonest)
        if progress.joined < progress.first:
            made, finished = _join(state, weight, made, finished)
        if finished > 0:
            put_away(state, level, finished)
        best = _sort(made, candidates)
        progress.made = made
        _select(progress, terms, level, following, first, candidates, closed, tree)
        level, following = following, level
        progress.swapped = 1 - progress.swapped
        if progress.count == 0 and progress.joined == progress.first:
            return DONE
        if progress.level >= limit or progress.level - terms.start > _LEVELS:
            return DONE
        if progress.finished > 0:
            if state.here.kind == LAST:
                return DONE
            if progress.level > progress.first_finished + terms.slack:
                return DONE
            worst = ranking.keys[ranking.heap[0]]
            if progress.finished == terms.keep and 16 * progress.level + best >= worst:
                return DONE
    return RUNNING


@kernel
def compact(state: GridState, renumbered: Array) -> None:
    """Forget the nodes that lead to no board which still counts, and renumber the others.

    These are the boards of the level, the finished ones, and the stage's first ones.
    `renumbered` is int32, as long as the tree; a node's parent always comes before it.
    """
    progress, parents, cells = state.progress, state.tree.parents, state.tree.cells
    level = state.following if progress.swapped else state.level
    used = (
        (level.facts, progress.count),
        (state.first.facts, progress.first),
        (state.finished.facts, progress.finished),
    )
    for old in range(progress.nodes):
        renumbered[old] = -1
    for facts, count in used:
        for i in range(count):
            node = np.int64(facts[i].node)
            while node >= 0 and renumbered[node] < 0:
                renumbered[node] = 0
                node = np.int64(parents[node])
    kept = 0
    for old in range(progress.nodes):
        if renumbered[old] == 0:
            renumbered[old] = kept
            parent = np.int64(parents[old])
            parents[kept] = renumbered[parent] if parent >= 0 else -1
            cells[kept] = cells[old]
            kept += 1
    progress.nodes = kept
    for facts, count in used:
        for i in range(count):
            facts[i].node = renumbered[facts[i].node]
