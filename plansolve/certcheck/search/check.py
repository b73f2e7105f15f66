"""Check the search proof of a certificate by computing all that it names again."""

import gzip
from collections.abc import Sequence
from functools import partial
from pathlib import Path as FilePath
from threading import Lock

from plansolve.certcheck.certificate import naming_moves
from plansolve.certcheck.clauses import Array
from plansolve.certcheck.files import SEARCH, UNITS, errors_about, read_packed, read_part
from plansolve.certcheck.options import CheckFailed, CheckOptions, CheckUndecided
from plansolve.certcheck.search.proof import read_search_proof
from plansolve.certcheck.search.tree import MOST_BYTES, ProofTree
from plansolve.certcheck.search.tree_kinds import tree_of
from plansolve.certcheck.search.units import drawn, found_plan, frontier, run_units, units_text
from plansolve.certcheck.search.visit import check_visit
from plansolve.certcheck.threads import Unwanted, in_threads, never, while_wanted
from plansolve.errors import ProofError
from plansolve.model.problem import Problem
from plansolve.model.puzzle import Plan
from plansolve.text import counted, quote

_MOST_RECORD_BYTES = 1 << 20
_MOST_UNITS_BYTES = 64 << 20


def check_search(
    folder: FilePath,
    problem: Problem,
    bound: int,
    options: CheckOptions,
    plans: Sequence[Plan] | None = None,
) -> str:
    """Check that no plan has at most `bound` moves, as the search proof in a folder states.

    With `plans`, legal plans of `bound` moves, check that there are no others. Return the findings,
    for people. Raise `CheckFailed`, `CheckUndecided` if only a share of the units was searched,
    `TimeoutError`, and `ProofError` for what cannot be read.
    """
    if problem.puzzle.needs_kinds:
        return check_visit(folder, problem, bound, options, plans)
    data = read_part(folder, SEARCH, _MOST_RECORD_BYTES)
    with errors_about(folder / SEARCH):
        proof = read_search_proof(data, problem.puzzle.cells)
        if proof.bound != bound:
            raise CheckFailed(f"{SEARCH}: its bound is {proof.bound}, not {bound}")
        if proof.every_plan != (plans is not None) or (proof.every_plan and proof.depth >= bound):
            raise CheckFailed(f"{SEARCH}: its every_plan contradicts the record")
        tree = tree_of(problem, proof, options.is_late)
    text = read_packed(folder, UNITS, _MOST_UNITS_BYTES, _whole)
    tree.use(built_tables(tree, options.threads, options.is_late))
    paths = frontier(tree, proof.depth, options.is_late)
    if units_text(tree.moves, paths) != text:
        raise CheckFailed(f"{UNITS}: {_difference(text, units_text(tree.moves, paths))}")
    share = options.sample
    chosen = paths if share is None else [paths[i] for i in drawn(text, len(paths), share)]
    named = naming_moves(problem)
    listed = {
        named(plan): i for i, plan in enumerate(while_wanted(plans or (), options.is_late), 1)
    }
    missing, boards, units, known = {*listed}, 0, 0, 0
    searching = options.searching or partial(
        run_units, threads=options.threads, is_unwanted=options.is_late
    )
    for done in searching(tree, chosen):
        units, boards = units + done.units, boards + done.boards
        known += done.units * done.is_known
        for plan in done.plans:
            if named(plan) not in listed:
                raise found_plan(plan)
            missing.discard(named(plan))
        options.progress("units", units, len(chosen))
    what = "plan" if plans is None else "other plan"
    tables = ", ".join(str(len(cells)) for cells in proof.tables)
    seen = f"{boards:,} board{'s' * (boards != 1)}, tables rebuilt (tiles: {tables})"
    if len(chosen) < len(paths):
        raise CheckUndecided(
            f"searched {units:,} of {len(paths):,} units and found no {what}; {seen}"
        )
    if missing:
        number = min(listed[moves] for moves in missing)
        raise CheckFailed(f"the search does not find plan {number}: {seen}")
    if known:
        now = f"{units - known:,} of {units:,} unit{'s' * (units != 1)}; the store has the rest"
        return f"no {what}, searched {now}; {seen}"
    return f"no {what}, searched {counted(len(paths), 'unit')}; {seen}"


def _whole(stream: gzip.GzipFile, most: int) -> str:
    data = stream.read(most + 1)
    if len(data) > most:
        raise ProofError("it is too long")
    # Bytes that are not a text differ from any list.
    return data.decode("utf-8", errors="replace")


def _difference(stated: str, needed: str) -> str:
    """Return how a list of units differs from the needed one."""
    theirs, ours = stated.splitlines(), needed.splitlines()
    for number, (line, wanted) in enumerate(zip(theirs, ours, strict=False), start=1):
        if line != wanted:
            return f"line {number}: {quote(line)} should be {quote(wanted)}"
    if len(theirs) != len(ours):
        return f"it has {counted(len(theirs), 'unit')}, but the search has {len(ours)}"
    return "its line ends are wrong"


# The tables of one puzzle are cached, to check many certificates about it.
_built_before: dict[tuple[object, ...], Array] = {}
_building = Lock()


def built_tables(tree: ProofTree, threads: int, is_unwanted: Unwanted = never) -> Sequence[Array]:
    """Return all tables of a tree's proof; the tables of the last proof are cached.

    Raise `TimeoutError` once they are unwanted.
    """
    keys = [tree.tables.key(number) for number in range(len(tree.proof.tables))]
    threads = max(1, min(threads, MOST_BYTES // tree.largest_build))
    with _building:
        found = {key: _built_before[key] for key in keys if key in _built_before}
        missing = {key: number for number, key in enumerate(keys) if key not in found}
        made = in_threads(tree.tables.build, missing.values(), threads, is_unwanted)
        found.update(zip(missing, made, strict=True))
        _built_before.clear()
        _built_before.update(found)
    return [found[key] for key in keys]
