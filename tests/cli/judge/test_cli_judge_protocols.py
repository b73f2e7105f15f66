"""`plansolve judge`: each protocol with such a program as its document wants, and a real peer."""

import os
import shlex
import sys

import pytest
from support.fixtures.judged import BOARDS, SEARCH, details, document, instance_set, verdicts

PYTHON = shlex.quote(sys.executable)


SOLVER_2023 = """
import shlex
import sys
ROWS = COLS = 5

def printable_board(board):
    return [('%3d ') * COLS % board[j:(j + COLS)] for j in range(0, ROWS * COLS, COLS)]

def solve(initial_board):
    assert type(initial_board) is tuple and len(initial_board) == 25
    return ["Icc", "Oc", "U3", "R3"]

if __name__ == "__main__":
    start_state = []
    with open(sys.argv[1], 'r') as file:
        for line in file:
            start_state += [int(i) for i in line.split()]
    print("Start state: \\n" + "\\n".join(printable_board(tuple(start_state))))
    print("Solving...")
    route = solve(tuple(start_state))
    print("Solution found in " + str(len(route)) + " moves:" + "\\n" + " ".join(route))
"""

SLIDING_PUZZLE = """
assert sys.argv[2:] == ["--nographics"]
plan = search(read(open(sys.argv[1]).read()))
print("Solution:", "Impossible!" if plan is None else f"{plan} ({len(plan)})")
"""

SOLVER_001 = """
def solve(board):
    print("thinking about", board)
    plan = search(tuple(sum(board, [])))
    return plan if plan is None else list(plan)
"""

TILE_PUZZLE = """
WORDS = {"U": "down", "D": "up", "L": "right", "R": "left"}

class TilePuzzle:
    def __init__(self, board):
        self.board = board
    def find_solution_a_star(self):
        return [WORDS[move] for move in search(tuple(sum(self.board, [])))]
"""


def test_protocol_solver2023_and_its_function(judge, tmp_path):
    program = tmp_path / "solver2023.py"
    program.write_text(SOLVER_2023)
    # The assignment's example: the goal after L3 D3 Occ Ic.
    board = [
        [2, 23, 4, 5, 10], [1, 13, 7, 3, 11], [6, 17, 8, 9, 20], [12, 14, 19, 15, 25],
        [16, 21, 22, 18, 24],
    ]  # fmt: skip
    rules = {"puzzle": "torus-ring", "goal": "in-order"}
    folder = instance_set(tmp_path / "torus", [(board, 4)], **rules)
    done = judge(f"{PYTHON} {program}", folder, "--protocol", "solver2023", "--json", "-q")
    assert verdicts(document(done)) == {("solver2023.py", "0"): "optimal as recorded"}
    assert done.code == 0
    done = judge(f"python:{program}:solve", folder, "--json", "-q")
    assert verdicts(document(done)) == {("solver2023.py:solve", "0"): "optimal as recorded"}


def test_protocol_puz_beside_a_function(judge, boards, tmp_path):
    program = tmp_path / "slidingpuzzle.py"
    program.write_text(SEARCH + SLIDING_PUZZLE)
    done = judge(
        f"p={PYTHON} {program}",
        *(boards, "--protocol", "puz", "--against", "f=python:json:loads", "--json", "-q"),
    )
    found = document(done)
    assert {p["program"]: p["protocol"] for p in found["programs"]} == {"p": "puz", "f": "python"}
    assert verdicts(found) == {
        ("p", "one.puz"): "optimal",
        ("p", "five.puz"): "optimal",
        ("p", "odd.puz"): "unsolvable, as said",
        **{("f", board): "crashed" for board in BOARDS},
    }


def test_protocol_python_with_a_function_and_a_class(judge, boards, tmp_path, monkeypatch):
    (tmp_path / "solver.py").write_text("import sys\nfrom homework2 import search\n" + SOLVER_001)
    (tmp_path / "homework2.py").write_text(SEARCH + TILE_PUZZLE)
    monkeypatch.chdir(tmp_path)
    done = judge(
        "mine=python:solver.py:solve",
        boards,
        *("--against", "hers=python:homework2.py:TilePuzzle", "--json", "-q"),
    )
    assert verdicts(document(done)) == {
        ("mine", "one.puz"): "optimal",
        ("mine", "five.puz"): "optimal",
        ("mine", "odd.puz"): "unsolvable, as said",
        ("hers", "one.puz"): "optimal",
        ("hers", "five.puz"): "optimal",
        ("hers", "odd.puz"): "crashed",
    }
    assert details(document(done), "hers")[1].startswith("exit code 1: TypeError: ")


def test_a_module_of_the_module_path_with_a_helper_on_it_and_behind_a_link(
    judge, boards, tmp_path, monkeypatch
):
    folders = [tmp_path / name for name in ("links", "helpers", "store")]
    for folder in folders:
        folder.mkdir()
    links, helpers, store = folders
    package = store / "version-1"
    package.mkdir()
    (package / "__init__.py").write_text("")
    # The standard library has a module of this name, too.
    (package / "search.py").write_text("from helper import search\n" + SOLVER_001)
    (links / "test").symlink_to(package)
    (helpers / "helper.py").write_text(SEARCH)
    monkeypatch.setenv("PYTHONPATH", f"{links}{os.pathsep}{helpers}")
    monkeypatch.syspath_prepend(links)
    monkeypatch.delitem(sys.modules, "test", raising=False)
    found = document(judge("mine=python:test.search:solve", boards, "--json", "-q"))
    assert verdicts(found)["mine", "five.puz"] == "optimal"


def test_protocol_potm_ranks_by_the_rules_of_the_contest(judge, tmp_path):
    square = tmp_path / "square"
    square.write_text("ABCDE\nFGHIJ\nKLMNO\nPQRST\nUVW+X\n")
    entries = {"round-about": "rll", "direct": "l", "illegal": "lll", "too-loud": "l\nl"}
    entries |= {"moved-one": "", "moved-two": "r"}
    commands = [f"{name}=printf {moves!r}\\\\n" for name, moves in entries.items()]
    done = judge(
        commands[0],
        square,
        *(word for one in commands[1:] for word in ("--against", one)),
        *("--protocol", "potm", "--json", "-q"),
    )
    found = document(done)
    assert found["ranking"] == "contest"
    ranking = {p["program"]: (p["rank"], p["placed"]) for p in found["programs"]}
    assert ranking == {
        "direct": (1, 24), "round-about": (2, 24), "moved-one": (3, 23), "moved-two": (4, 22),
        "illegal": (5, 0), "too-loud": (5, 0),
    }  # fmt: skip
    assert verdicts(found)["too-loud", "square"] == "unreadable"


# A published package against what is proved.

PEER = '''
"""fifteen-puzzle-solvers as `solve(board)`: its plans are boards, the first is the start."""
import sys, types
sys.modules["tkinter"] = types.ModuleType("tkinter")  # only its window needs it
from fifteen_puzzle_solvers.domain import Puzzle
from fifteen_puzzle_solvers.services.algorithms import AStar

NAMES = {(1, 0): "U", (-1, 0): "D", (0, 1): "L", (0, -1): "R"}

def solve(board):
    algorithm = AStar(Puzzle(board))
    algorithm.solve_puzzle()
    gaps = [puzzle.find_empty_tile() for puzzle in algorithm.solution]
    return [NAMES[c - a, d - b] for (a, b), (c, d) in zip(gaps, gaps[1:])]
'''


@pytest.fixture
def peer(tmp_path):
    (tmp_path / "peer.py").write_text(PEER)
    return f"peer=python:{tmp_path / 'peer.py'}:solve"


def test_the_peers_best_known_slip(judge, peer, tmp_path):
    (tmp_path / "slip.puz").write_text("1 8 2\n0 5 3\n6 7 4\n")
    done = judge(peer, tmp_path / "slip.puz", "--json", "-q")
    found = document(done)
    assert done.code == 1
    (run,), (board,) = found["runs"], found["boards"]
    assert (run["verdict"], run["length"], run["excess"]) == ("longer", 35, 16)
    assert (board["optimal_length"], len(board["plan"])) == (19, 19)
