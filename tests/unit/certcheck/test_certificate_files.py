"""Files of certificates that are none, that grow without end, or that lie in the way."""

import gzip
import re

import pytest
from support.fixtures import certificates

from plansolve.certcheck import files, lrat
from plansolve.certcheck.check import CheckVerdict
from plansolve.claims.certificate import check_certificate
from plansolve.claims.certify import certify
from plansolve.errors import OptionError, ProofError
from plansolve.formats import read_problem


@pytest.fixture(scope="module")
def one_of_sat(tmp_path_factory):
    posed = certificates.small_problems()[1:2]
    return certificates.make_all(tmp_path_factory.mktemp("one"), posed, ["sat"])[0]


def test_a_folder_with_something_in_it_is_not_written_to(one_of_sat, tmp_path):
    with pytest.raises(OptionError, match="not empty"):
        certify(one_of_sat.problem, one_of_sat.folder)
    (tmp_path / "file").write_text("precious")
    with pytest.raises(OptionError, match="not a folder"):
        certify(one_of_sat.problem, tmp_path / "file")
    assert (tmp_path / "file").read_text() == "precious"


@pytest.mark.parametrize("kind", ["cnf", "legend", "lrat"])
def test_a_file_that_grows_out_of_all_proportion_is_refused(
    one_of_sat, tmp_path, monkeypatch, kind
):
    monkeypatch.setattr(files, "_ANY_GROWTH", 1 << 12)
    folder = certificates.copy_of(one_of_sat, tmp_path)
    length = certificates.read(folder).refuted[-1]
    path = folder / f"{length}.{kind}.gz"
    # The lines of a legend are read one by one, so that many of them mean nothing.
    padding = b"x" * 8_000_000 if kind == "legend" else b"c\n" * 4_000_000
    content = gzip.decompress(path.read_bytes())
    # A proof is read to its empty clause and no further.
    content = padding + content if kind == "lrat" else content + padding
    path.write_bytes(gzip.compress(content, mtime=0))
    assert len(padding) > 300 * path.stat().st_size
    report = check_certificate(folder)
    assert report.verdict == CheckVerdict.REFUTED
    assert path.name in report.steps[-1].seen and "too long" in report.steps[-1].seen


def test_a_proof_that_deletes_without_end_is_refused(one_of_sat, tmp_path, monkeypatch):
    monkeypatch.setattr(lrat, "_MOST_DELETIONS", 100)
    folder = certificates.copy_of(one_of_sat, tmp_path)
    length = certificates.read(folder).refuted[-1]
    path = folder / f"{length}.lrat.gz"
    content = gzip.decompress(path.read_bytes())
    for lines, verdict in ((100, CheckVerdict.PROVED), (101, CheckVerdict.REFUTED)):
        path.write_bytes(gzip.compress(b"1 d 0\n" * lines + content))
        report = check_certificate(folder)
        assert report.verdict == verdict
    assert "more than 100 lines delete clauses" in report.steps[-1].seen


def test_a_certificate_of_another_version_is_refused(one_of_sat, tmp_path):
    path = certificates.copy_of(one_of_sat, tmp_path) / "certificate.json"
    path.write_text(path.read_text().replace("plansolve.certificate/5", "plansolve.certificate/6"))
    with pytest.raises(ProofError, match=r"schema: 'plansolve\.certificate/6' should be "):
        check_certificate(path.parent)


@pytest.mark.parametrize(("own", "other"), [('"goal"', '"Goal"'), ("[[", "([")])
def test_a_problem_is_read_as_other_checkers_read_it(one_of_sat, tmp_path, own, other):
    path = certificates.copy_of(one_of_sat, tmp_path) / "problem.json"
    text = re.sub(r"\s+", " ", path.read_text()).replace("[ [", "[[")
    path.write_text(text)
    assert check_certificate(path.parent).verdict == CheckVerdict.PROVED
    path.write_text(text.replace(own, other))
    assert read_problem(path.read_text()) == one_of_sat.problem
    with pytest.raises(ProofError, match=r"problem\.json: is not written as"):
        check_certificate(path.parent)


@pytest.mark.parametrize("name", ["problem.json", "plan.txt", "certificate.json"])
def test_files_that_are_none_are_an_error_that_names_them(one_of_sat, tmp_path, name):
    folder = certificates.copy_of(one_of_sat, tmp_path)
    for spoil in (
        lambda path: path.unlink(),
        lambda path: path.mkdir(),
        lambda path: (path.rmdir(), path.symlink_to("/dev/zero")),
        lambda path: (path.unlink(), path.write_bytes(b"\xff" * 100)),
        lambda path: path.write_bytes(b"[" * 100_000),
    ):
        spoil(folder / name)
        with pytest.raises(ProofError, match=name):
            check_certificate(folder)
