"""Every reader: its valid files, and what holds for everything that it returns.

    python -c "from support.hostile.fuzzing import main; main()" SEED EXAMPLES MOST

reads a corpus in a process of its own and prints what it came to, and the memory it took, as JSON.
"""

import json
import re
import resource
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, partial
from io import BytesIO
from itertools import chain, pairwise, repeat
from pathlib import Path
from tempfile import TemporaryDirectory

from plansolve.errors import InputError
from plansolve.formats import (
    FORMATS,
    MAX_BYTES,
    decode_text,
    format_plan,
    read_plan,
    read_problem,
    write_problem,
)
from plansolve.formats.notation import MAX_PLAN
from plansolve.model.problem import Problem
from plansolve.model.puzzle import Operator, Puzzle
from plansolve.puzzles.obstacles import HOLE_SIGN
from plansolve.puzzles.registry import make_puzzle, named_goal
from support.fixtures.dimacs import write_cnf
from support.hostile.damage import corner_cases, damaged

SEEDS = Path(__file__).parents[3] / "instances" / "seeds"
LONGEST_MESSAGE = 500


@dataclass(frozen=True)
class Reader:
    """`read` takes a file's bytes; `check` asserts what holds for everything that it returns.

    `samples` are valid files. `most` is how many bytes the largest inputs have: the reader's own
    limit, where it has one that is not too large for a test.
    """

    read: Callable[[bytes], object]
    check: Callable[[object], None]
    samples: tuple[bytes, ...]
    most: int = 1 << 20


def outcome(reader: Reader, data: bytes) -> object:
    """What was read, or the `InputError`, after all facts about it have been asserted."""
    try:
        found = reader.read(data)
    except InputError as error:
        message = str(error)
        assert message.strip(), "an error without a message"
        assert message.isprintable(), f"more than a printable line: {message!r}"
        assert len(message) < LONGEST_MESSAGE, f"{len(message)} characters: {message[:200]}..."
        return error
    reader.check(found)
    return found


def _text(data: bytes) -> str:
    """Any bytes as a text; those that are not UTF-8 become lone surrogates."""
    return data.decode("utf-8", "surrogateescape")


def _check_problem(problem: object) -> None:
    assert isinstance(problem, Problem)
    puzzle = problem.puzzle
    assert puzzle.cells == puzzle.rows * puzzle.columns
    assert tuple(sorted(problem.start)) == puzzle.pieces
    labels = [label for label in puzzle.labels if label != HOLE_SIGN]
    assert len(set(labels)) == len(labels) and len(puzzle.labels) > max(puzzle.pieces)
    for operator in puzzle.applicable(problem.start).values():
        assert tuple(sorted(operator.apply(problem.start))) == puzzle.pieces
    again = read_problem(write_problem(problem, "json"), format="json")
    assert (again.start, again.goal) == (problem.start, problem.goal)
    assert again.puzzle.move_names == puzzle.move_names


CUSTOM = Puzzle(
    "hop",
    1,
    4,
    (1, 2, 3, 0),
    tuple(
        Operator(name, ((a, b), (b, a)), a, penalty)
        for name, a, b, penalty in (("in", 3, 0, 0), ("out", 0, 3, 2), ("up", 0, 1, 0))
    ),
    ("_", "a", "b", "c"),
    {"in": "west", "out": "east", "up": "down"},
)
_PROBLEMS = {
    "puz": Problem(make_puzzle("sliding", 3, 4), (5, 2, 3, 4, 1, 6, 7, 8, 9, 10, 0, 11)),
    "lloyd": Problem(make_puzzle("lloyd", 3, 3), (2, 1, 3, 4, 0, 6, 7, 8, 5)),
    "torus": Problem(make_puzzle("torus-ring", 4, 4), (2, 1, *range(3, 17))),
    "nested": Problem(make_puzzle("sliding", 2, 3), (4, 1, 2, 0, 5, 3)),
    "json": Problem(CUSTOM, (0, 2, 3, 1)),
    "tws": Problem(make_puzzle("loopover", 3, 3), (2, 1, *range(3, 10))),
}


_PROBLEMS["letters"] = read_problem("a b a\n- c .\ngoal:\nb a a\n- . c")


def _sliding(goal: str, side: int) -> Problem:
    puzzle = make_puzzle("sliding", side, side)
    return Problem(puzzle.with_goal(named_goal("sliding", goal, side, side)), (*range(side**2),))


for _name, _goal, _side in (
    ("line", "blank-last", 3),
    ("algs4", "blank-last", 3),
    ("npuzzle42", "snail", 3),
    ("comma", "blank-first", 3),
    ("korf", "blank-first", 4),
):
    _PROBLEMS[_name] = _sliding(_goal, _side)


@cache
def _boards() -> dict[str, tuple[bytes, ...]]:
    """Valid files by format; under "" all of them, and those that people have written."""
    samples = {name: (write_problem(p, name).encode(),) for name, p in _PROBLEMS.items()}
    samples["json"] += (
        write_problem(_PROBLEMS["torus"], "json").encode(),
        b'{"schema": "plansolve.result/1", "start": [[1, 2], [0, 3]], "goal": [[1, 2], [3, 0]]}',
        b'{"puzzle": "lloyd", "board": ["ABC", "DE+", "GHF"], "rows": 3, "columns": 3}',
    )
    real = [path.read_bytes() for path in sorted(SEEDS.iterdir()) if path.stem != "manifest"]
    return samples | {"": (*(s for each in samples.values() for s in each), *real)}


def _board_readers() -> Iterator[tuple[str, Reader]]:
    def read_file(data: bytes) -> Problem:
        return read_problem(decode_text(data))

    def read_named(name: str, data: bytes) -> Problem:
        return read_problem(_text(data), format=name)

    yield "board file", Reader(read_file, _check_problem, _boards()[""], MAX_BYTES)
    for name in FORMATS:
        read = partial(read_named, name)
        yield f"board {name}", Reader(read, _check_problem, _boards()[name], MAX_BYTES)


SPOKEN = {
    "sliding": (make_puzzle("sliding", 3, 3), "tile"),
    "sliding blank": (make_puzzle("sliding", 3, 3), "blank"),
    "lloyd": (make_puzzle("lloyd", 5, 5), "tile"),
    "torus-ring": (make_puzzle("torus-ring", 5, 5), "tile"),
    "custom blank": (CUSTOM, "blank"),
}
_MOST_WRITTEN = 10_000


def _check_plan(puzzle: Puzzle, convention: str, plan: object) -> None:
    assert isinstance(plan, tuple) and set(plan) <= set(puzzle.move_names)
    for style in ("letters", "list") if len(plan) < _MOST_WRITTEN else ():
        text = format_plan(plan, puzzle, style, convention)
        assert read_plan(text, puzzle, convention) == plan


def _written_plans(puzzle: Puzzle, convention: str) -> tuple[list[bytes], list[bytes], list[bytes]]:
    """A plan of all moves: alone, in documents, and in what programs print."""
    moves = puzzle.move_names[:6]
    letters, words, listed = (
        format_plan(moves, puzzle, style, convention) for style in ("letters", "words", "list")
    )
    names = json.loads(listed)
    bare = [letters, f" {words}\n", listed, " → ".join(names), " -> ".join(names), ", ".join(names)]
    documents = [
        json.dumps({"schema": "plansolve.result/1", "moves": convention, "plan": names}),
        json.dumps({"solution": letters, "length": len(names)}),
    ]
    board = "1 2 3\n4 0 5\n6 7 8\n"
    outputs = [
        f"Solving ...\n{board}Solution: {letters} ({len(names)} moves)\nTime: 0.3 s\n",
        "".join(f"Step {n}: \x1b[32m{name}\x1b[0m\n" for n, name in enumerate(names, 1)),
        f"Path = {names}\nLength: {len(names)}\n",
    ]
    return tuple([text.encode() for text in texts] for texts in (bare, documents, outputs))


def _plan_readers() -> Iterator[tuple[str, Reader]]:
    from plansolve.formats.extract import decode_plan, extract_plan, read_plan_file

    def read_bare(puzzle: Puzzle, convention: str, data: bytes) -> object:
        return read_plan(_text(data), puzzle, convention)

    def read_file(puzzle: Puzzle, convention: str, data: bytes) -> object:
        return read_plan_file(decode_plan(data), puzzle, convention)

    def extract(puzzle: Puzzle, convention: str, data: bytes) -> object:
        return extract_plan(_text(data), puzzle, convention)

    def check_found(puzzle: Puzzle, found: object) -> None:
        first, last = found.lines
        assert 1 <= first <= last
        _check_plan(puzzle, found.convention, found.plan)

    for name, (puzzle, convention) in SPOKEN.items():
        bare, documents, outputs = map(tuple, _written_plans(puzzle, convention))
        most = MAX_PLAN if name == "sliding" else 1 << 20
        check = partial(_check_plan, puzzle, convention)
        yield f"plan {name}", Reader(partial(read_bare, puzzle, convention), check, bare, most)
        check = partial(check_found, puzzle)
        read = partial(read_file, puzzle, convention)
        yield f"plan file {name}", Reader(read, check, bare + documents, most)
        read = partial(extract, puzzle, convention)
        yield f"output {name}", Reader(read, check, bare + documents + outputs)


@cache
def _scratch() -> TemporaryDirectory[str]:
    return TemporaryDirectory(prefix="fuzz-")


def _folder(name: str) -> Path:
    folder = Path(_scratch().name) / name
    folder.mkdir(exist_ok=True)
    return folder


def _instance_sets() -> Reader:
    from plansolve.instances.instance_set import MANIFEST, InstanceSet, load_instance_set

    folder = _folder("set")
    (folder / "simple.puz").write_text("4 1 2\n. 5 3\n7 8 6\n")
    entry = {"rows": 2, "columns": 2, "board": [1, 2, 0, 3], "optimal_length": 1}
    document = {
        "schema": "plansolve.instances/1",
        "name": "set",
        "title": "Boards",
        "puzzle": "sliding",
        "goal": "blank-last",
        "source": "made up",
        "instances": [
            {"name": "a", **entry, "optimal_plans": 1, "nodes": 3, "note": "one"},
            {"name": "b", "file": "simple.puz", "optimal_length": 5},
            {
                "name": "c",
                **entry,
                "board": [2, 1, 3, 0],
                "optimal_length": None,
                "solvable": False,
            },
            {"name": "d", **entry, "puzzle": "loopover", "goal": "in-order", "board": [2, 1, 4, 3]},
        ],
    }

    def read(data: bytes) -> object:
        (folder / MANIFEST).write_bytes(data)
        return load_instance_set(folder)

    def check(found: object) -> None:
        assert isinstance(found, InstanceSet) and found.instances
        names = [instance.name for instance in found.instances]
        assert len(set(names)) == len(names) and all(map(str.isprintable, names))
        for instance in found.instances:
            _check_problem(instance.problem)
            length = instance.optimal_length
            assert length is None or (instance.solvable and length >= 0)

    korf = (SEEDS.parent / "korf100" / MANIFEST).read_bytes()
    return Reader(read, check, (json.dumps(document, indent=1).encode(), korf), 4 << 20)


def _tables() -> Reader:
    import numpy as np

    from plansolve.storage.store import Store, StoreKey

    folder = _folder("tables")
    store, key = Store(folder), StoreKey("test", "2x3 of something", {"arcs": [[1], [0]]})
    table = np.arange(10_000, dtype=np.uint64).astype(np.uint8)

    def refuse_nothing(line: str) -> None:
        assert line.isprintable()

    store.load_or_build(key, table.size, table.copy, refuse_nothing)
    path = folder / f"{key.name}.table"
    sample = path.read_bytes()

    def read(data: bytes) -> object:
        path.write_bytes(data)
        found = store.read(key.name)
        entries = store.files()
        loaded = store.load_or_build(key, table.size, table.copy, refuse_nothing)
        return found, entries, loaded

    def check(result: object) -> None:
        found, entries, loaded = result  # type: ignore[misc]
        # Whatever the file was, the table in use is the right one.
        assert (loaded == table).all()
        (entry,) = entries
        assert entry.damage.isprintable() and (entry.key is not None or entry.damage)
        if isinstance(found, str):
            assert found.strip() and found.isprintable()
        else:
            assert found[0] == key and (found[1] == table).all()

    return Reader(read, check, (sample,))


def _models() -> Reader:
    from plansolve.cli.decode import _read_model

    def check(found: object) -> None:
        status, true = found  # type: ignore[misc]
        assert status in (None, "SATISFIABLE", "SAT", "UNSATISFIABLE", "UNSAT")
        assert all(isinstance(variable, int) and variable > 0 for variable in true)

    samples = (
        b"c a comment\ns SATISFIABLE\nv 1 -2 3 -4\nv 5 0\n",
        b"SAT\n1 -2 3 0\n",
        b"s UNSATISFIABLE\n",
        b"o 12\ns UNKNOWN\n",
    )
    return Reader(_read_model, check, samples, 4 << 20)


def _certificate_readers() -> Iterator[tuple[str, Reader]]:
    from plansolve.certcheck.certificate import Certificate, read_certificate
    from plansolve.certify.record import write_certificate
    from plansolve.claims.certificate import stated_problem

    folder = _folder("certificate")
    problem = _PROBLEMS["nested"]
    certificate = Certificate(problem, ("U", "L", "D"), 3, (1,), None, (("U", "L", "D"),))
    write_certificate(folder, certificate)
    files = {path.name: path.read_bytes() for path in sorted(folder.iterdir())}

    def read(name: str, data: bytes) -> object:
        (folder / name).write_bytes(data)
        try:
            return read_certificate(folder, stated_problem(folder))
        finally:
            (folder / name).write_bytes(files[name])

    def check(found: object) -> None:
        assert isinstance(found, Certificate)
        _check_problem(found.problem)
        again = _folder("again")
        write_certificate(again, found)
        # It is written in the present form.
        assert read_certificate(again, stated_problem(again)) == replace(found, has_hints=True)

    for name, sample in files.items():
        yield f"certificate {name}", Reader(partial(read, name), check, (sample,))


def _clause_readers() -> Iterator[tuple[str, Reader]]:
    from plansolve.certcheck.clauses import Clauses, lines_of, rows_of
    from plansolve.certcheck.dimacs import read_cnf, read_drup, read_lrat
    from plansolve.certcheck.lrat import check_hints
    from plansolve.errors import ProofError

    most, variables = 4 << 20, 60

    def steps(data: bytes) -> list[tuple[bool, list[int]]]:
        """What a sound text holds, read a second time and in another way."""
        found, clause, deletes = [], [], False
        for token in re.findall(rb"c[^\n]*|d|-?\d+", data):
            if token == b"d":
                deletes = True
            elif digits := token.lstrip(b"-0") if token[:1] != b"c" else b"":
                clause.append(-int(digits) if token[:1] == b"-" else int(digits))
            elif token[:1] != b"c":
                found.append((deletes, clause))
                clause, deletes = [], False
        return found

    def as_steps(found: object, deletes: Iterable[bool]) -> list[tuple[bool, list[int]]]:
        cuts = pairwise([0, *found.ends.tolist()])
        clauses = [found.literals[begin:end].tolist() for begin, end in cuts]
        return [*zip(deletes, clauses, strict=True)]

    def check_cnf(result: object) -> None:
        data, formula = result
        body = data[re.search(rb"(?m)^p[ \t]+cnf.*$", data).end() :]
        assert as_steps(formula, repeat(False, len(formula))) == steps(body)
        assert not len(formula.literals) or abs(formula.literals).max() <= formula.variables
        again = BytesIO()
        write_cnf(formula, again)
        again.seek(0)
        assert read_cnf(again, 1 << 30) == formula

    def check_drup(result: object) -> None:
        data, proof = result
        assert as_steps(proof, proof.deletes.tolist()) == steps(data)
        assert not len(proof.literals) or abs(proof.literals).max() <= variables

    hinted = Clauses.of(variables, [(1, 2), (1, -2), (-1,)])

    def check_lrat(result: object) -> None:
        data, parts = result
        deletions = [*re.finditer(rb"(?m)^\d+ d .*$", data)]
        named = [[*map(int, line[0].split()[2:-1])] for line in deletions]
        assert [part.deleted.tolist() for part in parts if len(part.deleted)] == [
            *filter(None, named)
        ]
        rows = [line for _, line in steps(re.sub(rb"(?m)^\d+ d .*$", b"", data))]
        count = sum(len(part.steps) for part in parts)
        assert [row[0] for row in rows[::2]] == [*range(4, 4 + count)]
        read = (
            [line for part in parts for line in lines_of(part.steps)],
            [row for part in parts for row in rows_of(part.hints, part.hint_ends)],
        )
        assert [*zip(*read, strict=True)] == [
            tuple(" ".join(map(str, [*row, 0])) for row in (row[1:], hints))
            for row, hints in zip(rows[::2], rows[1::2], strict=True)
        ]
        with suppress(ProofError):  # a clause that was deleted
            check_hints(hinted, parts)

    formulas = (b"c made up\np cnf 3 2\n1 -2 0\n2 3\n -1 0\n", b"p cnf 0 0\n", b"p cnf 2 1\n0\n")
    proofs = (b"1 -2 0\nd 2 3 0\nc comment\n0\n", b"", b"60 0 d 60 0 0\n")
    yield "cnf", Reader(lambda d: (d, read_cnf(BytesIO(d), most)), check_cnf, formulas, most)
    yield (
        "drup",
        Reader(lambda d: (d, read_drup(BytesIO(d), variables, most)), check_drup, proofs, most),
    )
    proofs = (b"4 1 0 1 2 0\n5 0 4 3 0\n", b"4 60 -1 2 0 3 0\n5 0 4 1 2 0", b"")
    proofs += (b"4 1 0 1 2 0\n4 d 1 2 0\n5 0 4 3 0\n",)
    yield (
        "lrat",
        Reader(lambda d: (d, [*read_lrat(BytesIO(d), hinted, most)]), check_lrat, proofs, most),
    )


def _legends() -> Reader:
    from plansolve.certcheck.justify.legend import Legend, read_legend

    problem, variables, horizon = _PROBLEMS["nested"], 9, 4

    def read(data: bytes) -> object:
        return read_legend(BytesIO(data), variables, problem, horizon)

    def check(legend: object) -> None:
        assert isinstance(legend, Legend)
        assert legend.kind.shape == (variables + 1,) and legend.unit in (1, 2)
        assert (legend.row >= 0).all() and not legend.row[legend.kind == 0].any()
        times, cells, contents = legend.row[legend.kind == 1].T
        assert (times <= horizon).all() and (cells < problem.puzzle.cells).all()
        assert {*contents.tolist()} <= {*problem.goal}
        assert legend.row[:, 2].max() < max(len(legend.lists), problem.puzzle.cells)

    sample = (
        b"unit 2\nbound goal 1 2 0 3 0\n1 at 1 0 1\n2 move 3 2\n3 step 3 1 2\n4 waste 3 2\n"
        b"5 count 7 2\n6 excess 3 1 1 2\n7 conflict 3 0 1\n8 sum 7 2 6 7\n9 never\n"
    )
    return Reader(read, check, (sample, b""))


def every_reader() -> Iterator[tuple[str, Reader]]:
    """Every reader of plansolve with a name for people; what it needs is imported when it comes."""
    yield from _board_readers()
    yield from _plan_readers()
    yield "instance set", _instance_sets()
    yield "table", _tables()
    yield "model", _models()
    yield from _certificate_readers()
    yield from _clause_readers()
    yield "legend", _legends()


@cache
def readers() -> Mapping[str, Reader]:
    """All of them by name."""
    return dict(every_reader())


def peak_memory() -> tuple[int, int]:
    """The most bytes of memory that this process has held since it was last asked, and holds."""
    try:
        # Unlike ru_maxrss this does not count the process that started this one.
        status = Path("/proc/self/status").read_text()
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024, 0
    # Of the readers that follow each has a peak of its own.
    Path("/proc/self/clear_refs").write_text("5")
    most, held = (re.search(rf"{name}:\s+(\d+) kB", status)[1] for name in ("VmHWM", "VmRSS"))
    return int(most) * 1024, int(held) * 1024


def main() -> None:
    """Reads damaged files, and corner cases of at most MOST bytes, with every reader.

    Prints {"peaks": bytes of memory that each reader takes, "counts": inputs read and refused}. The
    system ends it where it takes more than minutes of processor time, or gigabytes.
    """
    seed, examples, most = map(int, sys.argv[1:])
    resource.setrlimit(resource.RLIMIT_CPU, (600, 600))
    resource.setrlimit(resource.RLIMIT_AS, (1 << 32, 1 << 32))
    peaks, counts = {}, {}
    for name, reader in every_reader():
        counts[name] = Counter()
        sources = (
            (damaged(reader.samples, seed + i) for i in range(examples)),
            corner_cases(min(most, reader.most)),
        )
        # What it needs of libraries is loaded with its first sample, and stays for those to come.
        _kind(reader, reader.samples[0])
        _, before = peak_memory()
        for data in chain.from_iterable(sources):
            counts[name][_kind(reader, data)] += 1
        peaks[name] = peak_memory()[0] - before
    json.dump({"peaks": peaks, "counts": counts}, sys.stdout)


def _kind(reader: Reader, data: bytes) -> str:
    """What became of an input; what was read is gone when this returns."""
    try:
        reader.read(data)
    except InputError:
        return "refused"
    return "read"
