"""`plansolve judge`: each protocol with such a program as its document wants, and a real peer."""

import os
import shlex
import sys

from support.fixtures.judged import SEARCH, document, verdicts

PYTHON = shlex.quote(sys.executable)

SOLVER_001 = """
def solve(board):
    print("thinking about", board)
    plan = search(tuple(sum(board, [])))
    return plan if plan is None else list(plan)
"""


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
    assert verdicts(found)["mine", "five"] == "optimal"


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


def test_the_peers_best_known_slip(judge, tmp_path):
    (tmp_path / "peer.py").write_text(PEER)
    peer = f"peer=python:{tmp_path / 'peer.py'}:solve"
    (tmp_path / "slip.puz").write_text("1 8 2\n0 5 3\n6 7 4\n")
    done = judge(peer, tmp_path / "slip.puz", "--json", "-q")
    found = document(done)
    assert done.code == 1
    (run,), (board,) = found["runs"], found["boards"]
    assert (run["verdict"], run["length"], run["excess"]) == ("longer", 35, 16)
    assert (board["optimal_length"], len(board["plan"])) == (19, 19)
