"""The levels of a grid beam: from the best boards with k moves to the best with k + 1."""

import numpy as np

from plansolve.solvers.search.grid_beam.distances_kernel import (
    LAST,
    OUT,
    PAIR,
    SINGLE,
    StageDistances,
    stage_distance,
)
from plansolve.solvers.search.grid_beam.finished_kernel import is_known, put_away
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
    StageTerms,
    Tree,
)
from plansolve.storage.jit import Array, kernel

__all__ = ["advance"]

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
    """Makes the children of a level: candidates, and from the end of their arrays finished ones.

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
    """Adds the stage's first boards that have as many moves as the level; they are in order."""
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
    """Sorts the candidates by score into `order`, by counting; returns the best score.

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
    """Makes the following level of the best candidates that are new."""
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
    """Goes on with a stage until it is over, the tree is full, or `work` boards were expanded.

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
