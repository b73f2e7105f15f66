"""What the benchmarks compare is the same work."""

import importlib.util
from pathlib import Path

import pytest

from plansolve.instances.instance_set import load_instance_set

ROOT = Path(__file__).parents[2]


def load(name):
    specification = importlib.util.spec_from_file_location(
        f"benchmark_{name}", ROOT / "benchmarks" / f"{name}.py"
    )
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


@pytest.mark.parametrize(("name", "nodes"), [("12", 52_202), ("30", 505_241), ("31", 438_550)])
def test_the_kernel_and_its_yardstick_in_c_enter_the_same_nodes(name, nodes, tmp_path):
    benchmark = load("kernel")
    instances = load_instance_set(ROOT / "instances" / "korf100").instances
    (board,) = (i for i in instances if i.name == name)
    ours, _ = benchmark.kernel(board.problem, board.optimal_length, 2)
    assert ours == nodes
    program = benchmark.compiled(tmp_path)
    if program is None:
        # The benchmark does without as well.
        pytest.skip("there is no C compiler")
    theirs, _ = benchmark.in_c(program, board.problem, board.optimal_length)
    assert theirs == nodes
