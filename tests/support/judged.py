"""What the tests of `plansolve judge` share: boards, programs for them, and how to read reports."""

import json
from itertools import chain

# Reads rows of numbers, searches breadth first, prints letters that name the motion of the tile.
SEARCH = """
import sys
from collections import deque

GOAL = (1, 2, 3, 4, 5, 6, 7, 8, 0)
STEPS = (("U", 1, 0), ("D", -1, 0), ("L", 0, 1), ("R", 0, -1))

def search(start):
    tiles = [tile for tile in start if tile]
    if sum(a > b for i, a in enumerate(tiles) for b in tiles[i + 1 :]) % 2:
        return None
    plans, queue = {start: ""}, deque([start])
    while queue:
        board = queue.popleft()
        if board == GOAL:
            return plans[board]
        gap = board.index(0)
        row, column = divmod(gap, 3)
        for name, down, right in STEPS:
            if 0 <= row + down < 3 and 0 <= column + right < 3:
                after, tile = list(board), gap + 3 * down + right
                after[gap], after[tile] = after[tile], 0
                if tuple(after) not in plans:
                    plans[tuple(after)] = plans[board] + name
                    queue.append(tuple(after))
    return None

def read(text):
    return tuple(0 if word == "." else int(word) for word in text.split())
"""

PROGRAMS = {
    "good": "plan = search(read(open(sys.argv[1]).read()))\n"
    'print("unsolvable" if plan is None else plan)',
    # Goes to and fro once before it starts; which way depends on where the gap is.
    "longer": "board = read(open(sys.argv[1]).read())\n"
    'print(("UD" if board.index(0) < 6 else "DU") + (search(board) or ""))',
    "illegal": 'print("D" * 9)',
    "claims": 'print("Impossible!")',
    "silent": "",
    "crash": 'raise KeyError("<img src=x onerror=alert(1)>")',
    "hostile": 'print("<script>alert(1)</script>[bold red]\\x1b[2J=1+1")',
    "chatty": "board = read(open(sys.argv[1]).read())\n"
    'for i in range(3000): print("expanding node", i, "of depth", i % 7)\n'
    'print("Solution:", " -> ".join(search(board) or "?"))',
    "blank": 'print(search(read(sys.stdin.read())).translate(str.maketrans("UDLR", "DURL")))',
    "endless": "while True: pass",
    "flood": 'while True: print("x" * 10000)',
}

BOARDS = {
    "one.puz": ("1 2 3\n4 5 6\n7 . 8\n", 1),
    "five.puz": ("4 1 2\n. 5 3\n7 8 6\n", 5),
    "odd.puz": ("2 1 3\n4 5 6\n7 8 .\n", None),
}


def instance_set(folder, instances, **rules):
    """Writes a set; each instance is (board, optimal length)."""
    folder.mkdir(parents=True)
    entries = [
        {"name": str(i), "rows": len(rows), "columns": len(rows[0]), "board": [*chain(*rows)]}
        | {"optimal_length": length}
        for i, (rows, length) in enumerate(instances)
    ]
    manifest = {"schema": "plansolve.instances/1", "name": "set", "title": "t", "source": "s"}
    manifest |= {"puzzle": "sliding", "goal": "blank-last", "instances": entries} | rules
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return folder


def document(done):
    found = json.loads(done.out)
    assert found["schema"] == "plansolve.judgement/1"
    return found


def verdicts(found):
    """{(program, board): verdict}"""
    return {(run["program"], run["board"]): run["verdict"] for run in found["runs"]}


def details(found, program):
    return [run["detail"] for run in found["runs"] if run["program"] == program]
