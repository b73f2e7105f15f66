"""The JSON schemas of the documentation describe what the commands really print and write."""

import json
import shlex
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from support.fixtures.cases import OWN

SCHEMAS = Path(__file__).parents[2] / "docs" / "reference" / "schemas"
INSTANCES = Path(__file__).parents[2] / "instances"
NAMES = [path.stem for path in sorted(SCHEMAS.glob("*.json"))]


def validator(name: str) -> Draft202012Validator:
    schema = json.loads((SCHEMAS / f"{name}.json").read_text(encoding="utf-8"))
    return Draft202012Validator(schema, format_checker=Draft202012Validator.FORMAT_CHECKER)


def wrong(name: str, document: object) -> list[str]:
    """Return the errors that the schema of that name finds in a document."""
    return [
        f"{error.json_path}: {error.message}" for error in validator(name).iter_errors(document)
    ]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with boards: one of five moves, one without a plan, and one of own rules."""
    (tmp_path / "five.puz").write_text("4 1 2\n. 5 3\n7 8 6\n")
    (tmp_path / "odd.puz").write_text("1 2 3\n4 5 6\n8 7 .\n")
    (tmp_path / "own.json").write_text(json.dumps(OWN))
    return tmp_path


@pytest.fixture
def told(plansolve, folder):
    """Return the JSON that a command prints in that folder; fail for another exit code."""

    def run(*arguments: str, code: int = 0) -> dict[str, object]:
        done = plansolve(*arguments, cwd=folder)
        assert done.code == code, done.err
        return json.loads(done.out)

    return run


@pytest.mark.parametrize("name", NAMES)
def test_the_schemas_are_schemas_and_name_their_document(name):
    schema = json.loads((SCHEMAS / f"{name}.json").read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    assert schema["$id"].split(":")[:3] == ["urn", "plansolve", name]
    if name != "board":
        version = schema["$id"].rpartition(":")[2]
        assert schema["properties"]["schema"]["const"] == f"plansolve.{name}/{version}"


@pytest.mark.parametrize(
    ("schema", "words", "code"),
    [
        ("result", "solve five.puz --optimal", 0),
        ("result", "solve five.puz", 0),
        ("result", "solve five.puz --all --moves blank", 0),
        ("result", "solve five.puz --count", 0),
        ("result", "solve five.puz --optimal --engine cnf", 0),
        ("result", "solve five.puz --max-horizon 3", 13),
        ("result", "solve odd.puz --optimal", 11),
        ("result", "solve own.json --optimal", 0),
        ("verification", "verify five.puz --plan DLLUU", 0),
        ("verification", "verify five.puz --plan DLLUU --optimal", 0),
        ("verification", "verify five.puz --plan DLLUDU --optimal", 1),
        ("verification", "verify five.puz --plan URRDD", 1),
        ("verification", "verify five.puz --plan 'the plan is DLLUU' --extract", 0),
    ],
)
def test_what_commands_print(told, schema, words, code):
    document = told(*shlex.split(words), "--json", code=code)
    assert wrong(schema, document) == []
    assert schema != "result" or (document["status"] == "optimal") == (code == 0)


def test_certificates(told, folder):
    assert wrong("certified", told("certify", "odd.puz", "-o", "no", "--json", code=11)) == []
    assert wrong("certified", told("certify", "five.puz", "-o", "c", "--all", "--json")) == []
    assert wrong("certificate", json.loads((folder / "c" / "certificate.json").read_text())) == []
    assert wrong("board", json.loads((folder / "c" / "problem.json").read_text())) == []
    assert wrong("check", told("check", "c", "--json")) == []
    (folder / "certs").mkdir()
    (folder / "c").rename(folder / "certs" / "c")
    (folder / "certs" / "c" / "plan.txt").unlink()
    assert wrong("check", told("check", "certs", "--json", code=2)) == []


def test_judgements(told):
    document = told(
        "judge", "echo DLLUU", "five.puz", "odd.puz", "--against", "false", "--json", "-q", code=1
    )
    assert wrong("judgement", document) == []
    verdicts = {run["verdict"].partition(" (")[0] for run in document["runs"]}
    assert verdicts == {"optimal", "illegal", "crashed"}


def test_boards(told, folder):
    assert wrong("board", OWN) == []
    places = [[c, 0.5] for c in range(OWN["puzzle"]["rows"] * OWN["puzzle"]["columns"])]
    for layout, is_right in (({"positions": places, "edges": [[0, 1]]}, True), ({}, False)):
        laid_out = {**OWN, "puzzle": {**OWN["puzzle"], "layout": layout}}
        assert (wrong("board", laid_out) == []) == is_right
    told_boards = [told("convert", name, "--to", "json") for name in ("five.puz", "own.json")]
    assert [wrong("board", board) for board in told_boards] == [[], []]


def test_instance_sets(plansolve, folder):
    assert plansolve("generate", "--size", "3x3", "-o", folder / "made").code == 0
    manifests = [folder / "made" / "manifest.json", *sorted(INSTANCES.glob("*/manifest.json"))]
    assert len(manifests) > 10
    for path in manifests:
        assert wrong("instances", json.loads(path.read_text(encoding="utf-8"))) == [], path


def test_a_document_with_another_field_or_one_too_few_is_refused(told):
    document = told("solve", "five.puz", "--optimal", "--json", "-q")
    assert wrong("result", {**document, "lenght": 5}) != []
    for key in document:
        assert wrong("result", {k: v for k, v in document.items() if k != key}) != [], key
    assert wrong("result", {**document, "status": "good"}) != []
    assert wrong("result", {**document, "schema": "plansolve.result/2"}) != []


def test_rows(plansolve, folder):
    store = folder / "a.sqlite"
    paths = [str(folder / name) for name in ("five.puz", "odd.puz", "own.json")]
    lines = plansolve("batch", *paths, "--optimal", "--json-lines", "--store", store, "-q").out
    lines += plansolve("report", store, "--json-lines", "-").out
    rows = [json.loads(line) for line in lines.splitlines()]
    assert len(rows) == 6
    assert [found for row in rows for found in wrong("row", row)] == []
    assert {row["status"] for row in rows} == {"optimal", "unsolvable"}
