"""Certificates of small boards, and ways to damage them."""

import gzip
import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from random import Random

from plansolve.bounds.distance import tile_distance_sum
from plansolve.certify.certify import certify
from plansolve.errors import PlanError
from plansolve.model.problem import Problem
from support import cases
from support.oracle import Rules


@dataclass(frozen=True)
class Made:
    """A certificate's folder, what it is about, and the true distance of each board to the goal."""

    folder: Path
    problem: Problem
    table: dict


def small_problems():
    """(name, problem, distances to the goal) of boards whose whole space is known."""
    found = []
    for name, specification, rows, columns, moves, depth in (
        ("eight", "sliding", 3, 3, 14, 16),
        ("six", "sliding", 2, 3, 13, None),
        ("lloyd", "lloyd", 3, 3, 8, 10),
        ("loopover", "loopover", 3, 3, 4, 4),
    ):
        puzzle = cases.make(specification, rows, columns)
        table = cases.distance_table(specification, rows, columns, depth=depth)
        problems = [Problem(puzzle, b) for b, distance in table.items() if distance == moves]
        # The less the elementary bound says, the more lengths are left to refute.
        found.append((name, min(problems, key=lambda p: (tile_distance_sum(p), p.start)), table))
    return found


def make_all(folder, **options):
    """A certificate of each small problem."""
    made = []
    for name, problem, table in small_problems():
        certify(problem, folder / name, **options)
        made.append(Made(folder / name, problem, table))
    return made


def is_true(report, table):
    """Whether what a report says of its certificate's problem is so, by breadth-first search."""
    certificate = report.certificate
    problem = certificate.problem
    rules = Rules.of(problem.puzzle)
    try:
        boards = rules.replay(problem.start, certificate.plan)
    except (AssertionError, PlanError):
        return False
    distance = table.get(problem.start)
    return (
        boards[-1] == problem.goal
        and distance is not None
        and report.lower_bound <= distance
        and certificate.lower_bound <= distance
    )


def copy_of(made, folder):
    """A copy to be damaged."""
    target = folder / "damaged"
    if target.exists():
        shutil.rmtree(target)
    return Path(shutil.copytree(made.folder, target))


def damage(folder: Path, random: Random):
    """Changes one thing in a certificate; tells what."""
    files = sorted(path for path in folder.iterdir())
    ways = [flip_bit, cut, change_text, change_record, change_problem, swap_files, drop_file]
    way = random.choice(ways)
    way(folder, files, random)
    return way.__name__


def flip_bit(folder, files, random):
    path = random.choice(files)
    data = bytearray(path.read_bytes())
    if data:
        data[random.randrange(len(data))] ^= 1 << random.randrange(8)
    path.write_bytes(data)


def cut(folder, files, random):
    path = random.choice(files)
    data = path.read_bytes()
    path.write_bytes(data[: random.randrange(len(data) + 1)])


def change_text(folder, files, random):
    """A line of a text, compressed or not: dropped, doubled, exchanged or altered."""
    path = random.choice(files)
    packed = path.suffix == ".gz"
    data = gzip.decompress(path.read_bytes()) if packed else path.read_bytes()
    lines = data.splitlines(keepends=True) or [b""]
    first, second = random.randrange(len(lines)), random.randrange(len(lines))
    match random.randrange(4):
        case 0:
            del lines[first]
        case 1:
            lines.insert(first, lines[second])
        case 2:
            lines[first], lines[second] = lines[second], lines[first]
        case 3:
            words = lines[first].split(b" ")
            word = random.randrange(len(words))
            words[word] = random.choice([b"1", b"-1", b"0", b"d", b"7", b"-" + words[word], b"UL"])
            lines[first] = b" ".join(words)
    data = b"".join(lines)
    path.write_bytes(gzip.compress(data) if packed else data)


def change_record(folder, files, random):
    path = folder / "certificate.json"
    record = json.loads(path.read_text())
    match random.randrange(6):
        case 0:
            record["lower_bound"] += random.choice([-2, -1, 1, 2])
        case 1:
            record["length"] += random.choice([-1, 1])
        case 2 if record["refuted"]:
            record["refuted"].pop(random.randrange(len(record["refuted"])))
        case 3 if record["made_by"]["lemmas"]:
            record["made_by"]["lemmas"].pop()
        case 4:
            record["refuted"] = sorted({*record["refuted"], random.randrange(20)})
        case _:
            record["made_by"]["encoding"] = random.choice(["half-layer", "full-layer", ""])
    path.write_text(json.dumps(record))


def change_problem(folder, files, random):
    """Two tiles of the board or of the goal exchanged."""
    path = folder / "problem.json"
    document = json.loads(path.read_text())
    rows = document[random.choice(["board", "goal"])]
    cells = [(r, c) for r, row in enumerate(rows) for c in range(len(row))]
    (a, b), (c, d) = random.sample(cells, 2)
    rows[a][b], rows[c][d] = rows[c][d], rows[a][b]
    path.write_text(json.dumps(document))


def swap_files(folder, files, random):
    first, second = random.sample(files, 2)
    data = first.read_bytes()
    first.write_bytes(second.read_bytes())
    second.write_bytes(data)


def drop_file(folder, files, random):
    random.choice(files).unlink()
