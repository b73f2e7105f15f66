"""Boards and plans as people bring them: each case of the data file is run as it stands.

The file holds inputs of kinds that were tried in the field, with the right answers.
"""

import json
from pathlib import Path

import pytest

CASES = json.loads(Path(__file__).with_name("field_cases.json").read_text(encoding="utf-8"))
LONG = {
    "one scramble a line, as a batch",
    "box drawing, letters, empty blank",
    "plan of tile letters",
    "0x and sixteen digits",
    "spaces for the blank in wide columns",
}
"""Proofs that take seconds, and tables before them."""


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * (name in LONG)) for name in CASES]
)
def test_what_people_bring(plansolve, tmp_path, name):
    case = CASES[name]
    for file, content in case["files"].items():
        is_text = isinstance(content, str)
        data = content.encode() if is_text else content["latin1"].encode("latin-1")
        (tmp_path / file).write_bytes(data)
    done = plansolve(*case["run"], cwd=tmp_path)
    if "length" in case:
        assert done.code == 0, done.err
        found = json.loads(done.out)
        assert (found["status"], found["length"]) == ("optimal", case["length"])
    for part in (*case.get("out", ()), *case.get("any_out", ())):
        assert part in done.out + done.err
    if "err_any" in case:
        assert any(part in done.err for part in case["err_any"]), done.err
