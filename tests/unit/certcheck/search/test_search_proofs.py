"""Search proofs as folders: true ones are accepted, and nothing else, however it came about."""

import json
import re
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from support.fixtures import cases, certificates
from support.fixtures.certificates import units

from plansolve.certcheck.check import CheckVerdict
from plansolve.certcheck.options import CheckOptions
from plansolve.certcheck.search import words
from plansolve.certcheck.search.moves import moves_of
from plansolve.certcheck.search.units import drawn
from plansolve.claims import search_proof
from plansolve.claims.certificate import check_certificate
from plansolve.claims.certify import certify
from plansolve.errors import OptionError, ProofError, StoreError
from plansolve.model.problem import Problem
from plansolve.model.puzzle import Operator, Puzzle
from plansolve.storage.notices import making


@pytest.fixture(scope="module")
def one(tmp_path_factory):
    """The search of a board that is far from the goal, in many units."""
    table = cases.distance_table("sliding", 3, 3)
    far = Problem(cases.make("sliding", 3, 3), max(table, key=lambda b: (table[b], b)))
    with pytest.MonkeyPatch.context() as patch:
        certificates.cut_up(patch)
        (made,) = certificates.make_all(
            tmp_path_factory.mktemp("far"), [("far", far, table)], ["search"]
        )
    assert len(units(made.folder)) > 12
    return made


def test_what_has_to_be_made_before_the_search_is_told(tmp_path, monkeypatch):
    write, events = search_proof.write_search_proof, []

    def after_compiling(*arguments, **named):
        with making("compiling kernels"):
            write(*arguments, **named)

    monkeypatch.setattr(search_proof, "write_search_proof", after_compiling)
    problem = Problem(cases.make("sliding", 2, 3), (5, 4, 3, 2, 1, 0))
    certify(problem, tmp_path / "it", by="search", progress=events.append)
    notes = [event.note for event in events if event.engine == "search"]
    assert notes[0].startswith("writing the search for plans of up to ")
    assert "compiling kernels, which may take a few seconds" in notes


def test_an_entry_that_is_too_large_in_the_prover_s_table_is_found(monkeypatch, tmp_path):
    # The prover cuts the tree with such a table: its list lacks what it has pruned.
    certificates.cut_up(monkeypatch)
    honest = search_proof.built_tables

    def inflated(tree, *how):
        return [np.where(t < 200, t + (t > 2), t).astype(np.uint8) for t in honest(tree, *how)]

    monkeypatch.setattr(search_proof, "built_tables", inflated)
    _, problem, _ = certificates.small_problems()[0]
    certify(problem, tmp_path / "it", by="search")
    report = check_certificate(tmp_path / "it")
    assert report.verdict == CheckVerdict.REFUTED
    assert report.steps[-1].seen.startswith("units.txt.gz: ")


def test_a_word_that_is_left_out_wrongly_in_the_prover_is_found(monkeypatch, tmp_path):
    certificates.cut_up(monkeypatch)
    honest = words._automaton

    def hasty(moves, *how):
        made = honest(moves, *how)
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


def test_a_share_of_the_units_decides_nothing(one):
    count = len(units(one.folder))
    report = check_certificate(one.folder, CheckOptions(sample=0.5))
    assert report.verdict == CheckVerdict.UNDECIDED
    assert f"searched {-(-count // 2)} of {count} units" in report.steps[-1].seen
    assert report.lower_bound < len(report.certificate.plan)
    assert check_certificate(one.folder, CheckOptions(sample=1.0)).verdict == CheckVerdict.PROVED


def test_the_list_draws_its_units():
    first = drawn("a\nb\n", 100, 0.1)
    assert first == drawn("a\nb\n", 100, 0.1) == sorted({*first}) and len(first) == 10
    assert first != drawn("a\n", 100, 0.1)
    assert drawn("a\n", 7, 0.0001) == drawn("a\n", 7, 1 / 7) and len(drawn("a\n", 7, 0.0001)) == 1
    assert drawn("a\n", 7, 1.0) == list(range(7)) and drawn("", 0, 0.5) == []


def test_a_search_that_is_not_written_in_time_proves_nothing(monkeypatch, tmp_path):
    _, problem, _ = certificates.small_problems()[0]

    def late(*_):
        raise TimeoutError

    monkeypatch.setattr(search_proof, "built_tables", late)
    certificate = certify(problem, tmp_path / "it", by="search").certificate
    assert certificate.searched is None and not certificate.is_of_optimality
    assert certificate.claim.lower_bound == len(certificate.plan)
    assert check_certificate(tmp_path / "it").verdict == CheckVerdict.BOUNDS


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
    with pytest.raises(OptionError, match="folder: no path has a NUL character"):
        certify([[1, 2], [0, 3]], tmp_path / "\0")
    with pytest.raises(OptionError, match="'magic' should be one of auto, search, sat"):
        certify([[1, 2], [0, 3]], tmp_path / "it", by="magic")
    assert not (tmp_path / "it").exists()


@pytest.mark.parametrize("executor", [None, "local:2"])
def test_units_that_are_done_are_kept(one, tmp_path, executor):
    store = tmp_path / "check.sqlite"
    first = check_certificate(one.folder, executor=executor, store=store)
    again = check_certificate(one.folder, executor=executor, store=store)
    alone = check_certificate(one.folder)
    for report in (first, again, alone):
        assert report.verdict == CheckVerdict.PROVED
        assert report.lower_bound == len(report.certificate.plan)
    count = len(units(one.folder))
    assert f"searched {count} units" in searched(first) == searched(alone)
    assert f"searched 0 of {count} units; the store has the rest" in searched(again)
    # As many boards, whoever has looked at them.
    assert boards(searched(again)) == boards(searched(first)) > 0


def test_a_check_that_was_ended_goes_on(one, tmp_path):
    store, count = tmp_path / "check.sqlite", len(units(one.folder))
    few = check_certificate(one.folder, CheckOptions(sample=0.3), store=store)
    assert few.verdict == CheckVerdict.UNDECIDED
    done = -(-3 * count // 10)
    whole = check_certificate(one.folder, store=store)
    assert whole.verdict == CheckVerdict.PROVED
    assert f"searched {count - done} of {count} units; the store" in searched(whole)
    assert boards(searched(whole)) == boards(searched(check_certificate(one.folder)))


def test_a_store_that_makes_no_sense_is_told_of(one, tmp_path):
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


def test_rules_that_move_nothing_have_none(tmp_path):
    still = Operator("still", ())
    puzzle = Puzzle("own", 1, 2, (1, 2), (still,), ("0", "1", "2"))
    with pytest.raises(ProofError, match="no search proofs"):
        moves_of(Problem(puzzle, puzzle.goal))


def test_the_deadline_holds_while_units_are_made(one):
    with pytest.raises(TimeoutError):
        check_certificate(one.folder, CheckOptions(deadline=0.0))


def test_several_can_be_checked_side_by_side(one, tmp_path):
    """Tables that are kept for the next check are not taken from under another one."""
    made = certificates.make_all(tmp_path, certificates.small_problems()[1:4], ["search"])
    with ThreadPoolExecutor(4) as pool:
        reports = [*pool.map(check_certificate, [made.folder for made in [one, *made] * 2])]
    assert {report.verdict for report in reports} == {CheckVerdict.PROVED}
