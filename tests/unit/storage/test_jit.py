"""Compiled kernels in the user's cache folder."""

import fcntl
import os
import subprocess
import sys
from typing import Annotated, NamedTuple

import numba
import numpy as np
import pytest
from numpy.typing import NDArray

from plansolve.storage.jit import Array, typed


def environment_of(folder):
    """That of a process which finds modules in a folder, and keeps its kernels there."""
    return {
        **os.environ,
        "PLANSOLVE_CACHE_DIR": str(folder / "cache"),
        "NUMBA_CACHE_DIR": "",
        "PYTHONPATH": str(folder),
    }


MODULE = """
from typing import NamedTuple
import numpy as np
from plansolve.storage.jit import kernel

class {name}(NamedTuple):
    numbers: np.ndarray

@kernel
def total(tables):
    return tables.numbers.sum()

print(total({name}(np.arange({count}))))
"""


def test_code_of_an_earlier_version_whose_types_are_gone_is_compiled_anew(tmp_path):
    environment = environment_of(tmp_path) | {"PYTHONDONTWRITEBYTECODE": "1"}
    for name, count in (("Old", 4), ("New", 5)):
        (tmp_path / "mine.py").write_text(MODULE.format(name=name, count=count))
        done = subprocess.run(
            [sys.executable, "-c", "import mine"],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.stdout.split(), done.stderr) == ([str(count * (count - 1) // 2)], "")
    assert list((tmp_path / "cache").rglob("*.nbi"))


CALLED = """
from typing import NamedTuple
from plansolve.storage.jit import inlined, kernel

class Pair(NamedTuple):
    {fields}

NUMBER, TUPLE = {number}, ({number}, 1)

@kernel
def called(n):
    return n * {factor} + below(n)

@inlined
def put_in(n):
    return n - {factor}

@kernel
def below(n):
    return n * {below}
"""
CALLING = """
import called
from called import NUMBER, TUPLE, Pair, called as product, put_in
from plansolve.storage.jit import kernel

@kernel
def outer(n):
    numbers = NUMBER * 100 + TUPLE[0] * 1000 + called.NUMBER * 10000
    return product(n) + put_in(n) + numbers + Pair(1, 2).left * 7

print(outer(3))
"""


def test_code_is_compiled_anew_when_what_it_takes_from_another_file_changes(tmp_path):
    (tmp_path / "calling.py").write_text(CALLING)
    environment = environment_of(tmp_path) | {"PYTHONDONTWRITEBYTECODE": "1"}
    left, right = "left: int; right: int", "right: int; left: int"
    for factor, number, fields, below, total in (
        (2, 1, left, 0, 11114),
        (5, 1, left, 0, 11120),
        (5, 2, left, 0, 22220),
        (5, 2, right, 0, 22227),
        (5, 2, right, 1, 22230),
    ):
        (tmp_path / "called.py").write_text(
            CALLED.format(factor=factor, number=number, fields=fields, below=below)
        )
        done = subprocess.run(
            [sys.executable, "-c", "import calling"],
            env=environment,
            capture_output=True,
            text=True,
        )
        assert (done.stdout, done.stderr) == (f"{total}\n", "")


LOADING = """
import sys
from plansolve.storage.jit import kernel

@kernel
def larger(numbers, least):
    chosen = numbers[numbers > least].copy()
    if not chosen.size:
        raise ValueError("none is larger")
    return chosen.sum()

import numpy as np
print(larger(np.arange(5), 2), "numba.misc.gdb_hook" in sys.modules)
try:
    larger(np.arange(5), 7)
except ValueError as error:
    print(error)

# What is compiled after that finds all that it needs, the loaded kernel too.
@kernel
def twice(numbers):
    return 2 * larger(numbers, 1) + int(np.sqrt(numbers[-1]))

print(twice(np.arange(5)))
"""


def test_kept_code_is_loaded_without_what_compiles(tmp_path):
    (tmp_path / "loading.py").write_text(LOADING)
    environment = environment_of(tmp_path)
    command = [sys.executable, "-c", "import loading"]
    for has_compiled in (True, False):
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        assert done.stderr == ""
        assert done.stdout == f"7 {has_compiled}\nnone is larger\n20\n"
        for kept in (tmp_path / "cache").rglob("*twice*"):
            kept.unlink()


COUNTING = """
import sys
from numba.core import event
from plansolve.storage.jit import kernel

class Count(event.Listener):
    compiled = 0
    def on_start(self, event):
        Count.compiled += 1
    def on_end(self, event):
        pass

event.register("numba:compile", Count())

@kernel
def inner(n):
    total = 0
    for i in range(n):
        total += i * i % 7
    return total

@kernel
def outer(n):
    return inner(n) + inner(n + 1)

print("ready", flush=True)
sys.stdin.readline()
outer(5)
print(Count.compiled)
"""


NOTICED = "from plansolve.storage import notices; notices.listen(print).__enter__()\n"


def test_processes_that_need_the_same_code_at_a_time_compile_it_once(tmp_path):
    (tmp_path / "counting.py").write_text(COUNTING)
    environment = environment_of(tmp_path)
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", "import counting"],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(3)
    ]
    for process in processes:
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        process.stdin.write("\n")
        process.stdin.flush()
    compiled = [int(process.communicate()[0]) for process in processes]
    # The inner one is compiled for the outer one, which is loaded with all that it calls.
    assert sorted(compiled) == [0, 0, 2]
    # Now that the code is there nobody waits, whoever has the turn.
    locks = [path.open() for path in (tmp_path / "cache").rglob("*.lock")]
    assert len(locks) == 2
    for lock in locks:
        fcntl.flock(lock, fcntl.LOCK_EX)
    done = subprocess.run(
        [sys.executable, "-c", NOTICED + "import counting"],
        env=environment,
        input="\n",
        capture_output=True,
        text=True,
    )
    assert (done.stdout, done.stderr) == ("ready\n0\n", "")
    for lock in locks:
        lock.close()


def test_without_a_compiler_a_kernel_is_the_function_itself(tmp_path):
    code = "from plansolve.storage.jit import kernel; print(kernel(lambda x: x + 1)(1))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PLANSOLVE_CACHE_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert (done.stdout, done.stderr) == ("2\n", "")


def test_arrays_of_other_types_than_annotated_are_refused():
    @typed
    class Arrays(NamedTuple):
        one: NDArray[np.uint8]
        either: NDArray[np.uint8 | np.uint16]
        number: int

    byte, word, long = (np.zeros(2, kind) for kind in (np.uint8, np.uint16, np.uint32))
    assert Arrays(byte, word, 1).either is word
    assert Arrays(byte, number=1, either=byte).number == 1
    for wrong in ((word, word), (byte, long), (byte.astype(np.int8), byte)):
        with pytest.raises(AssertionError):
            Arrays(*wrong, 1)


def test_records_of_another_layout_than_annotated_are_refused():
    layout, other = np.dtype([("blank", np.int32)]), np.dtype([("blank", np.int64)])

    @typed
    class Records(NamedTuple):
        facts: Annotated[Array, layout]

    assert Records(np.zeros(2, layout)).facts.size == 2
    # One record alone has a type too.
    assert Records(np.zeros(2, layout)[0]).facts["blank"] == 0
    for wrong in (np.zeros(2, other), np.zeros(2, np.int32)):
        with pytest.raises(AssertionError):
            Records(wrong)


def test_a_kernel_can_make_one():
    @typed
    class Work(NamedTuple):
        stack: NDArray[np.int64]
        height: int

    @numba.njit
    def total(height):
        work = Work(np.full(height, 7), height=height)
        return work.stack.sum() + work.height

    assert total(3) == 24
