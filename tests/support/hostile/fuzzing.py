"""Every reader: its valid files, and what holds for everything that it returns.

    python -c "from support.hostile.fuzzing import main; main()" SEED EXAMPLES MOST

reads a corpus in a process of its own and prints what it came to, and the memory it took, as JSON.
"""

import json
import re
import resource
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache, partial
from itertools import chain
from pathlib import Path

from plansolve.errors import InputError
from plansolve.formats import (
    FORMATS,
    MAX_BYTES,
    decode,
    format_plan,
    read_plan,
    read_problem,
    write_problem,
)
from plansolve.formats.notation import MAX_PLAN, rules_of
from plansolve.model.problem import Problem, boards_of
from plansolve.model.puzzle import Operator, Puzzle
from plansolve.puzzles.registry import make_puzzle
from support.fixtures.sets import manifest
from support.hostile.damage import corner_cases, damaged
from support.hostile.proof_readers import proof_readers
from support.hostile.reader import Reader, check_problem, folder_of

SEEDS = Path(__file__).parents[3] / "instances" / "seeds"


def _text(data: bytes) -> str:
    """Any bytes as a text; those that are not UTF-8 become lone surrogates."""
    return data.decode("utf-8", "surrogateescape")


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
    "letters": read_problem("a b a\n- c .\ngoal:\nb a a\n- . c"),
    "npuzzle42": Problem(make_puzzle("sliding", 3, 3, "snail"), (*range(9),)),
    "korf": Problem(make_puzzle("sliding", 4, 4, "blank-first"), (*range(16),)),
    "rush-hour": read_problem("BBoKMxDDDKMoIAALooIoJLEEooJFFNoGGoxN"),
    **dict.fromkeys(
        ("line", "algs4", "comma"), Problem(make_puzzle("sliding", 3, 3), (*range(9),))
    ),
}


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
        return read_problem(decode(data))

    def read_named(name: str, data: bytes) -> Problem:
        return read_problem(_text(data), format=name)

    yield "board file", Reader(read_file, check_problem, _boards()[""], MAX_BYTES)
    for name in FORMATS:
        read = partial(read_named, name)
        yield f"board {name}", Reader(read, check_problem, _boards()[name], MAX_BYTES)


SPOKEN = {
    "sliding": (make_puzzle("sliding", 3, 3), "tile"),
    "sliding blank": (make_puzzle("sliding", 3, 3), "blank"),
    "lloyd": (make_puzzle("lloyd", 5, 5), "tile"),
    "torus-ring": (make_puzzle("torus-ring", 5, 5), "tile"),
    "custom blank": (CUSTOM, "blank"),
    "of a board": (read_problem("2 3 6\n1 0 7\n4 8 5"), "tile"),
    "of letters": (read_problem("H G .\nK J I\ngoal:\nG H I\nJ K ."), "tile"),
}
_MOST_WRITTEN = 10_000


def _check_plan(puzzle: Puzzle | Problem, convention: str, plan: object) -> None:
    assert isinstance(plan, tuple) and all(isinstance(step, str) and step for step in plan)
    is_read = set(plan) <= set(rules_of(puzzle).move_names)
    # For a board, steps that the rules do not allow are kept as written.
    assert is_read or isinstance(puzzle, Problem)
    for style in ("letters", "list") if is_read and len(plan) < _MOST_WRITTEN else ():
        text = format_plan(plan, puzzle, style, convention)
        assert read_plan(text, puzzle, convention) == plan


def _written_plans(
    puzzle: Puzzle | Problem, convention: str
) -> tuple[list[bytes], list[bytes], list[bytes]]:
    """A plan of all moves: alone, in documents, and in what programs print."""
    moves = tuple("RULD") if isinstance(puzzle, Problem) else puzzle.move_names[:6]
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
    if isinstance(puzzle, Problem):
        boards = [puzzle.puzzle.in_rows(board) for board in boards_of(puzzle, moves)]
        rows = ["\n".join(" ".join(map(puzzle.puzzle.label, row)) for row in b) for b in boards]
        tiles = [sign for sign in format_plan(moves, puzzle, "tiles") if sign != " "]
        pairs = ", ".join(f"{tile}{move}" for tile, move in zip(tiles, moves, strict=True))
        bare += ["R1U L D", pairs, "\n\n".join(rows)]
        documents += [json.dumps({"path": rows}), json.dumps({"solution": " ".join(tiles)})]
        outputs.append("Moves = 4\n" + "".join(f"3\n{board}\n\n" for board in rows))
        outputs.append(f"\\boxed{{{words}}}\nsolution=[{', '.join(tiles)}]\n")
    return tuple([text.encode() for text in texts] for texts in (bare, documents, outputs))


def _plan_readers() -> Iterator[tuple[str, Reader]]:
    from plansolve.formats.extract import extract_plan, read_plan_file
    from plansolve.formats.parse import decode_plan

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


def _instance_sets() -> Reader:
    from plansolve.instances.instance_set import MANIFEST, InstanceSet, load_instance_set

    folder = folder_of("set")
    (folder / "simple.puz").write_text("4 1 2\n. 5 3\n7 8 6\n")
    entry = {"rows": 2, "columns": 2, "board": [1, 2, 0, 3], "optimal_length": 1}
    document = manifest(
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
    )

    def read(data: bytes) -> object:
        (folder / MANIFEST).write_bytes(data)
        return load_instance_set(folder)

    def check(found: object) -> None:
        assert isinstance(found, InstanceSet) and found.instances
        names = [instance.name for instance in found.instances]
        assert len(set(names)) == len(names) and all(map(str.isprintable, names))
        for instance in found.instances:
            check_problem(instance.problem)
            length = instance.optimal_length
            assert length is None or (instance.solvable and length >= 0)

    korf = (SEEDS.parent / "korf100" / MANIFEST).read_bytes()
    return Reader(read, check, (json.dumps(document, indent=1).encode(), korf), 4 << 20)


def _tables() -> Reader:
    import numpy as np

    from plansolve.storage.store import Store, StoreKey

    folder = folder_of("tables")
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


def every_reader() -> Iterator[tuple[str, Reader]]:
    """Every reader of plansolve with a name for people; what it needs is imported when it comes."""
    yield from _board_readers()
    yield from _plan_readers()
    yield "instance set", _instance_sets()
    yield "table", _tables()
    yield from proof_readers()


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
    """Return the outcome for an input; the content is gone when this returns."""
    try:
        reader.read(data)
    except InputError:
        return "refused"
    return "read"
