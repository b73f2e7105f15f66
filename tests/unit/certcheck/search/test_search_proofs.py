"""Search proofs as folders: true ones are accepted, and nothing else, however it came about."""

import gzip
import json
import re
import shutil
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from support.fixtures import cases, certificates
from support.reference.oracle import Rules

from plansolve.certcheck.check import CheckVerdict
from plansolve.certcheck.options import CheckOptions
from plansolve.certcheck.search import words
from plansolve.certcheck.search.frontier import drawn
from plansolve.certcheck.search.moves import moves_of
from plansolve.certify import search_proof
from plansolve.certify.certify import certify
from plansolve.certify.record import write_certificate
from plansolve.claims.certificate import check_certificate
from plansolve.errors import OptionError, ProofError, StoreError
from plansolve.model.problem import Problem
from plansolve.model.puzzle import Operator, Puzzle
from plansolve.storage.notices import making


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("searches")
    with pytest.MonkeyPatch.context() as patch:
        cut_up(patch)
        table = cases.distance_table("sliding", 3, 3)
        far = Problem(cases.make("sliding", 3, 3), max(table, key=lambda b: (table[b], b)))
        certify(far, folder / "far", by="search")
        hard = certificates.Made(folder / "far", far, table)
        return [*certificates.make_all(folder, by="search"), hard]


def cut_up(patch):
    """Have small trees cut into units too, and made larger by small patterns."""
    patch.setattr(search_proof, "default_size", lambda cells: 2)
    patch.setattr(search_proof, "_SMALL_TREE", 0)
    patch.setattr(search_proof, "_FEWEST", 12)


def test_each_proves_its_plan_optimal(made):
    for one in made:
        report = check_certificate(one.folder)
        assert report.verdict == CheckVerdict.PROVED
        assert report.lower_bound == len(report.certificate.plan) == one.table[one.problem.start]
        assert certificates.read(one.folder).searched is not None
        assert "re-executed all of" in next(s.seen for s in report.steps if "search" in s.what)
    assert any(len(units(one.folder)) > 12 for one in made)


def test_what_has_to_be_made_before_the_search_is_told(tmp_path, monkeypatch):
    write, events = search_proof.write_search_proof, []

    def after_compiling(*arguments, **named):
        with making("compiling kernels"):
            write(*arguments, **named)

    monkeypatch.setattr(search_proof, "write_search_proof", after_compiling)
    problem = Problem(cases.make("sliding", 2, 3), (5, 4, 3, 2, 1, 0))
    certify(problem, tmp_path / "it", by="search", progress=events.append)
    notes = [event.note for event in events if event.engine == "search"]
    assert notes[0].startswith("writing the search to ")
    assert "compiling kernels, which may take some seconds" in notes


@pytest.mark.parametrize(
    ("name", "rows", "columns", "distance"),
    [("sliding", 3, 3, 20), ("lloyd", 3, 3, 12), ("torus-ring:rings=outer", 3, 3, 4)],
)
def test_a_plan_that_is_too_long_is_not_certified(name, rows, columns, distance, tmp_path):
    table = cases.distance_table(name, rows, columns, depth=distance)
    puzzle = cases.make(name, rows, columns)
    rules = Rules.of(puzzle)
    shorter, longer = next(
        (board, other)
        for board, moves in sorted(table.items())
        for other, _ in steps(puzzle, board)
        if (moves, table.get(other)) == (distance - 1, distance)
        and board in dict(steps(puzzle, other))
    )
    certify(Problem(puzzle, shorter), tmp_path / "it", by="search")
    # There and back again: a plan of the shorter board that goes by the longer one.
    away = next(name for board, name in steps(puzzle, shorter) if board == longer)
    back = next(name for board, name in steps(puzzle, longer) if board == shorter)
    stated = certificates.read(tmp_path / "it")
    plan = (away, back, *stated.plan)
    assert rules.replay(shorter, plan)[-1] == puzzle.goal
    bound = len(plan) - 1 - (stated.problem.structure.plan_parity(shorter) is not None)
    lie = replace(stated, plan=plan, lower_bound=len(plan), searched=bound)
    write_certificate(tmp_path / "it", lie)
    record = json.loads((tmp_path / "it" / "search.json").read_text())
    (tmp_path / "it" / "search.json").write_text(json.dumps(record | {"bound": bound}))
    report = check_certificate(tmp_path / "it")
    assert report.verdict == CheckVerdict.REFUTED
    assert f"a plan of {len(stated.plan)} move" in report.steps[-1].seen
    assert report.lower_bound <= len(stated.plan)


def test_a_unit_that_is_left_out_is_missed(made, tmp_path):
    one = max(made, key=lambda one: len(units(one.folder)))
    lines = units(one.folder)
    for number in (0, len(lines) // 2, len(lines) - 1):
        folder = certificates.copy_of(one, tmp_path)
        write_units(folder, lines[:number] + lines[number + 1 :])
        report = check_certificate(folder)
        assert report.verdict == CheckVerdict.REFUTED
        assert report.steps[-1].seen.startswith("units.txt.gz: ")


def test_an_entry_that_is_too_large_in_the_prover_s_table_is_found(monkeypatch, tmp_path):
    # The prover cuts the tree with such a table: its list lacks what it has pruned.
    cut_up(monkeypatch)
    honest = search_proof.built_tables

    def inflated(tree, threads):
        return [np.where(t < 200, t + (t > 2), t).astype(np.uint8) for t in honest(tree, threads)]

    monkeypatch.setattr(search_proof, "built_tables", inflated)
    _, problem, _ = certificates.small_problems()[0]
    certify(problem, tmp_path / "it", by="search")
    report = check_certificate(tmp_path / "it")
    assert report.verdict == CheckVerdict.REFUTED
    assert report.steps[-1].seen.startswith("units.txt.gz: ")


def test_a_word_that_is_left_out_wrongly_in_the_prover_is_found(monkeypatch, tmp_path):
    cut_up(monkeypatch)
    honest = words._automaton

    def hasty(moves, length, every_plan):
        made = honest(moves, length, every_plan)
        begin = int(made.offset[moves.start])
        # The second move from the start goes where the first one does.
        made.move[begin + 1], made.next[begin + 1] = made.move[begin], made.next[begin]
        return made

    _, problem, _ = certificates.small_problems()[0]
    fresh = Problem(replace(problem.puzzle), problem.start)
    with monkeypatch.context() as patch:
        patch.setattr(words, "_automaton", hasty)
        certify(fresh, tmp_path / "it", by="search")
    report = check_certificate(tmp_path / "it")
    assert report.verdict == CheckVerdict.REFUTED
    assert report.steps[-1].seen.startswith("units.txt.gz: ")


def test_a_share_of_the_units_decides_nothing(made):
    one = max(made, key=lambda one: len(units(one.folder)))
    count = len(units(one.folder))
    report = check_certificate(one.folder, CheckOptions(sample=0.5))
    assert report.verdict == CheckVerdict.UNDECIDED
    assert f"re-executed {-(-count // 2)} of {count} units" in report.steps[-1].seen
    assert report.lower_bound < len(report.certificate.plan)
    assert check_certificate(one.folder, CheckOptions(sample=1.0)).verdict == CheckVerdict.PROVED


def test_the_list_draws_its_units():
    first = drawn("a\nb\n", 100, 0.1)
    assert first == drawn("a\nb\n", 100, 0.1) == sorted({*first}) and len(first) == 10
    assert first != drawn("a\n", 100, 0.1)
    assert drawn("a\n", 7, 0.0001) == drawn("a\n", 7, 1 / 7) and len(drawn("a\n", 7, 0.0001)) == 1
    assert drawn("a\n", 7, 1.0) == list(range(7)) and drawn("", 0, 0.5) == []


def mutate(made, tmp_path, count, seed):
    """How many of the damaged certificates were still accepted, all of them true."""
    random, accepted = Random(seed), 0
    for _ in range(count):
        one = random.choice(made)
        folder = certificates.copy_of(one, tmp_path)
        what = random.choice([change_search, change_search, change_units, certificates.damage])
        what(folder, random)
        try:
            report = check_certificate(folder)
        except ProofError:
            continue
        if report.verdict in (CheckVerdict.PROVED, CheckVerdict.BOUNDS):
            assert certificates.is_true(report, one.table), what
            accepted += 1
    return accepted


def test_no_damaged_search_proof_is_accepted_that_is_wrong(made, tmp_path):
    # Longer words, or fewer lookups, do no harm to a search in one unit.
    assert mutate(made, tmp_path, 200, seed=1) < 100


@pytest.mark.slow
def test_no_damaged_search_proof_is_accepted_that_is_wrong_5000_times(made, tmp_path):
    assert mutate(made, tmp_path, 5000, seed=2) < 2500


def change_search(folder, random):
    """One number of the proof changed, one entry dropped or doubled, or the bounds raised."""
    path = folder / "search.json"
    record = json.loads(path.read_text())
    if random.random() < 0.3:
        more = random.choice([-2, -1, 1, 2, 3])
        record["bound"] += more
        other = json.loads((folder / "certificate.json").read_text())
        other["searched"] += more
        other["lower_bound"] = max(0, other["lower_bound"] + random.choice([0, more]))
        (folder / "certificate.json").write_text(json.dumps(other))
    else:
        place = record
        key = random.choice(["tables", "symmetries", "sets", "words", "depth"])
        while isinstance(place[key], list) and place[key] and random.random() < 0.8:
            place, key = place[key], random.randrange(len(place[key]))
        if isinstance(place[key], int):
            place[key] = random.choice([place[key] + 1, place[key] - 1, 0, 5, -1, True, "1", 1e9])
        elif random.random() < 0.5:
            place[key] = place[key][1:]
        else:
            place[key] = [*place[key], *place[key][:1]]
    path.write_text(json.dumps(record))


def change_units(folder, random):
    """A unit dropped, doubled, exchanged with another, or lengthened."""
    lines = units(folder)
    number = random.randrange(len(lines))
    match random.randrange(4):
        case 0:
            del lines[number]
        case 1:
            lines.insert(number, lines[number])
        case 2:
            other = random.randrange(len(lines))
            lines[number], lines[other] = lines[other], lines[number]
        case _:
            lines[number] += random.choice("UDLRx ")
    write_units(folder, lines)


def units(folder):
    return gzip.decompress((folder / "units.txt.gz").read_bytes()).decode().split("\n")[:-1]


def write_units(folder, lines):
    text = "".join(f"{line}\n" for line in lines)
    (folder / "units.txt.gz").write_bytes(gzip.compress(text.encode()))


def steps(puzzle, board):
    """The boards one move away, and the names of the moves."""
    return [(operator.apply(board), name) for name, operator in puzzle.applicable(board).items()]


def test_what_the_rules_exclude_needs_no_search(tmp_path):
    done = certify([[1, 2], [0, 3]], tmp_path / "it", by="search")
    assert done.certificate.searched is None and done.certificate.is_of_optimality
    assert not (tmp_path / "it" / "search.json").exists()


def test_who_asks_for_both_is_told(tmp_path):
    puzzle = cases.make("sliding", 5, 13)
    with pytest.raises(OptionError, match="no search proofs"):
        certify(Problem(puzzle, puzzle.goal), tmp_path / "it", by="search")
    with pytest.raises(OptionError, match="are for SAT, not for a search"):
        certify([[1, 2], [0, 3]], tmp_path / "it", by="search", encoding="half-layer")
    with pytest.raises(OptionError, match="is certified by a search, not by SAT"):
        certify([[1, 2], [0, 3]], tmp_path / "it", by="sat", every_plan=True)
    with pytest.raises(OptionError, match="'magic' should be one of auto, search, sat"):
        certify([[1, 2], [0, 3]], tmp_path / "it", by="magic")
    assert not (tmp_path / "it").exists()


def test_a_folder_without_the_list_is_told_of(made, tmp_path):
    folder = certificates.copy_of(made[0], tmp_path)
    (folder / "units.txt.gz").unlink()
    report = check_certificate(folder)
    assert report.verdict == CheckVerdict.REFUTED and "units.txt.gz" in report.steps[-1].seen
    shutil.rmtree(folder)


@pytest.mark.parametrize("executor", [None, "local:2"])
def test_units_that_are_done_are_kept(made, tmp_path, executor):
    one = max(made, key=lambda one: len(units(one.folder)))
    store = tmp_path / "check.sqlite"
    first = check_certificate(one.folder, executor=executor, store=store)
    again = check_certificate(one.folder, executor=executor, store=store)
    alone = check_certificate(one.folder)
    for report in (first, again, alone):
        assert report.verdict == CheckVerdict.PROVED
        assert report.lower_bound == len(report.certificate.plan)
    count = len(units(one.folder))
    assert f"re-executed all of {count} units" in searched(first) == searched(alone)
    assert f"re-executed 0 of {count} units, and before, as the store says" in searched(again)
    # As many boards, whoever has looked at them.
    assert boards(searched(again)) == boards(searched(first)) > 0


def test_a_check_that_was_ended_goes_on(made, tmp_path):
    one = max(made, key=lambda one: len(units(one.folder)))
    store, count = tmp_path / "check.sqlite", len(units(one.folder))
    few = check_certificate(one.folder, CheckOptions(sample=0.3), store=store)
    assert few.verdict == CheckVerdict.UNDECIDED
    done = -(-3 * count // 10)
    whole = check_certificate(one.folder, store=store)
    assert whole.verdict == CheckVerdict.PROVED
    assert f"re-executed {count - done} of {count} units, and before" in searched(whole)
    assert boards(searched(whole)) == boards(searched(check_certificate(one.folder)))


def test_a_store_that_makes_no_sense_is_told_of(made, tmp_path):
    one = max(made, key=lambda one: len(units(one.folder)))
    store = tmp_path / "check.sqlite"
    check_certificate(one.folder, store=store)
    odd = '{"boards": 1, "plans": [["a plan"]]}'
    for answer in ('{"boards": -1, "plans": []}', '{"boards": 1}', "nonsense", odd):
        with sqlite3.connect(store) as connection:
            connection.execute("UPDATE units SET answer = ?", (answer,))
        with pytest.raises(StoreError, match="cannot be read"):
            check_certificate(one.folder, store=store)
    plan = [*certificates.read(one.folder).plan]
    with sqlite3.connect(store) as connection:
        answer = json.dumps({"boards": 1, "plans": [plan]})
        connection.execute("UPDATE units SET answer = ?", (answer,))
    assert check_certificate(one.folder, store=store).verdict == CheckVerdict.REFUTED


def searched(report):
    return next(step.seen for step in report.steps if step.what.startswith("the search"))


def boards(seen):
    return int(re.search(r"([\d,]+) boards", seen)[1].replace(",", ""))


def test_rules_of_ones_own_have_search_proofs_too(tmp_path):
    turn = Operator("né", ((0, 1), (1, 2), (2, 0)))
    swap = Operator("échange", ((2, 3), (3, 2)))
    still = Operator("still", ())
    labels = tuple(map(str, range(5)))
    puzzle = Puzzle("own", 1, 4, (1, 2, 3, 4), (still, turn, swap), labels)
    distances = Rules.of(puzzle).distances_to(puzzle.goal)
    for number, board in enumerate(sorted(distances)):
        certify(Problem(puzzle, board), tmp_path / str(number), by="search")
        report = check_certificate(tmp_path / str(number))
        assert report.verdict == CheckVerdict.PROVED
        assert report.lower_bound == distances[board]


def test_rules_that_move_nothing_have_none(tmp_path):
    still = Operator("still", ())
    puzzle = Puzzle("own", 1, 2, (1, 2), (still,), ("0", "1", "2"))
    with pytest.raises(ProofError, match="no search proofs"):
        moves_of(Problem(puzzle, puzzle.goal))


def test_the_deadline_holds_while_units_are_made(made):
    one = max(made, key=lambda one: len(units(one.folder)))
    with pytest.raises(TimeoutError):
        check_certificate(one.folder, CheckOptions(deadline=0.0))


def test_several_can_be_checked_side_by_side(made):
    """Tables that are kept for the next check are not taken from under another one."""
    with ThreadPoolExecutor(4) as pool:
        reports = list(pool.map(lambda one: check_certificate(one.folder), made * 4))
    assert {report.verdict for report in reports} == {CheckVerdict.PROVED}
