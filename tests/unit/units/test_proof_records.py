"""What a store keeps of one proof, and when its file is opened."""

from contextlib import closing

from plansolve.records.records import Records
from plansolve.solvers.units.proof_records import ProofRecords

PROOF = "k1 idastar"


def test_the_file_of_a_new_proof_is_made_with_its_first_unit(tmp_path):
    path = tmp_path / "a.sqlite"
    with closing(ProofRecords(str(path), PROOF, is_new=True)) as records:
        assert records.units(7) == {} and records.round(7) is None
        records.keep_round(5, '{"size": 5}')
        records.keep_round(7, '{"size": 5}')
        records.keep_round(7, '{"size": 6}')
        assert records.round(7) == '{"size": 5}'
        assert not path.exists()
        records.keep_unit("u1", 7, '{"nodes": 3}', 0.5, "here")
        records.keep_round(9, '{"size": 6}')
        assert [records.round(bound) for bound in (5, 7, 9, 11)] == [
            '{"size": 5}',
            '{"size": 5}',
            '{"size": 6}',
            None,
        ]
        assert records.units(7)["u1"].answer == '{"nodes": 3}'
    again, other = ProofRecords(str(path), PROOF), ProofRecords(str(path), "k1 cnf")
    with closing(again), closing(other):
        assert again.round(9) == '{"size": 6}' and again.units(7).keys() == {"u1"}
        assert other.round(9) is None and other.units(7) == {}


def test_a_problem_has_rounds_if_any_of_its_proofs_has(tmp_path):
    with Records(tmp_path / "a.sqlite") as records:
        assert not records.has_rounds("k1")
        records.keep_round(PROOF, 7, "{}")
        assert records.has_rounds("k1")
        assert not any(map(records.has_rounds, ("k", "k2", "k11", "")))
