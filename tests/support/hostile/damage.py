"""Hostile files: corner cases, and valid files damaged in the ways in which files are."""

import json
import re
import sys
from collections.abc import Iterator
from random import Random

Samples = tuple[bytes, ...]

CHUNKS = (
    *(b"\x00", b"\xef\xbb\xbf", b"\xff\xfe", b"\r", b"\r\n", b"\x1b[2J", b"\x0b", b"\xc2\x85"),
    *(b"\xed\xa0\x80", "\u202e".encode(), "\u2028".encode(), "²".encode(), "é".encode()),
    *(b"9" * 5000, b"-1", b"0", b"1e999", b"NaN", b"Infinity", b"99999999999999999999", b"1_0"),
    *(b"[" * 3000, b'{"a":' * 3000, b"(" * 50, b"]", b"}", b'"', b"\\ud800", b"'", b"#", b","),
    *(b"End\n", b"Set T 3 1\n", b"Move A\n", b"v ", b"s ", b"p cnf 2 2\n", b"d ", b" 0\n", b"->"),
)
WEIRD = (
    *(None, True, -1, 0, 10**30, 1.5, "", "x" * 5000, "\ud800", "a\nb", "\u202e", [], {}, [[]]),
    *([0] * 2000, {"x": 1}, "sliding", "lloyd:rings=none", "..", "a/b", [None], "\x00", 10**4000),
)


def corner_cases(most: int) -> Iterator[bytes]:
    """Inputs at the ends of what there is: empty, endless, nested, of one kind of byte."""
    yield b""
    yield from CHUNKS
    for piece in (
        b"\n",
        b" ",
        b"1 ",
        b"U",
        b"U ",
        b"0",
        b"[",
        b'{"',
        b"[1,",
        b"1\n",
        b"1\n\n",
        b"#",
    ):
        yield piece * (most // len(piece))
    for opening, item, closing in ((b"[", b"[1],", b"[1]]"), (b'{"board": [', b"1, ", b"1]}")):
        yield opening + item * ((most - 20) // len(item)) + closing
    yield b'{"board": ' + b"[" * 200_000 + b"]" * 200_000 + b"}"
    yield b"1" * most + b"\n"
    yield b"x" * (most + 1)


def damaged(samples: Samples, seed: int) -> bytes:
    """One of the samples, damaged in one to four ways."""
    random = Random(seed)
    data = random.choice(samples)
    for _ in range(random.randint(1, 4)):
        data = random.choice(_DAMAGES)(data, samples, random)
    return data


def _flip_bit(data: bytes, samples: Samples, random: Random) -> bytes:
    if not data:
        return data
    place = random.randrange(len(data))
    return data[:place] + bytes([data[place] ^ 1 << random.randrange(8)]) + data[place + 1 :]


def _move_lines(data: bytes, samples: Samples, random: Random) -> bytes:
    lines = data.splitlines(keepends=True)
    if not lines:
        return data
    a, b = (random.randrange(len(lines)) for _ in range(2))
    match random.randrange(3):
        case 0:
            del lines[a]
        case 1:
            lines.insert(b, lines[a])
        case _:
            lines[a], lines[b] = lines[b], lines[a]
    return b"".join(lines)


def _splice(data: bytes, samples: Samples, random: Random) -> bytes:
    other = random.choice(samples)
    return data[: random.randint(0, len(data))] + other[random.randint(0, len(other)) :]


def _insert(data: bytes, samples: Samples, random: Random) -> bytes:
    begin = random.randint(0, len(data))
    end = min(len(data), begin + random.choice((0, 0, 1, 1, 3, 20)))
    return data[:begin] + random.choice(CHUNKS) + data[end:]


def _change_number(data: bytes, samples: Samples, random: Random) -> bytes:
    numbers = [*re.finditer(rb"-?\d+", data)]
    if not numbers:
        return data
    found = random.choice(numbers)
    other = random.choice(
        (*(b"0", b"-1", b"1", b"7"), b"2147483648", b"9" * 25, b"9" * 5000, b"1.5")
    )
    return data[: found.start()] + other + data[found.end() :]


def _repeat(data: bytes, samples: Samples, random: Random) -> bytes:
    begin = random.randint(0, len(data))
    piece = data[begin : begin + random.randint(1, 40)]
    return data[:begin] + piece * random.choice((2, 10, 1000)) + data[begin:]


def _change_json(data: bytes, samples: Samples, random: Random) -> bytes:
    """Another value, or a key more or less, somewhere in a JSON document."""
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        return _insert(data, samples, random)
    places = [*_places(document)]
    if not places:
        return data
    holder, key = random.choice(places)
    match random.randrange(4):
        case 0:
            del holder[key]
        case 1 if isinstance(holder, dict):
            holder[random.choice(("name", "board", "x", "goal", "plan", "\ud800"))] = holder[key]
        case _:
            holder[key] = random.choice(WEIRD)
    with_huge_numbers = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        return json.dumps(document).encode()
    finally:
        sys.set_int_max_str_digits(with_huge_numbers)


def _places(document: object) -> Iterator[tuple[dict | list, object]]:
    if isinstance(document, dict | list):
        items = document.items() if isinstance(document, dict) else enumerate(document)
        for key, value in items:
            yield document, key
            yield from _places(value)


_DAMAGES = (
    *(_flip_bit, _move_lines, _splice, _insert, _change_number, _repeat),
    *(_change_json, _change_json),
)
