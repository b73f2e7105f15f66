"""Compiled kernels in the user's cache folder."""

import os
import subprocess
import sys
import time
from typing import Annotated, NamedTuple

import numba
import numpy as np
import pytest
from numpy.typing import NDArray

from plansolve.storage.jit import Array, typed


def environment_of(folder, **changes):
    """That of a process which finds modules in a folder, and keeps its kernels there."""
    return {
        **os.environ,
        "PLANSOLVE_CACHE_DIR": str(folder / "cache"),
        "NUMBA_CACHE_DIR": "",
        "PYTHONPATH": str(folder),
        "PYTHONDONTWRITEBYTECODE": "1",
        **changes,
    }


def printed(folder, code, *options, **changes):
    """Return the output of a process, which must not complain."""
    done = subprocess.run(
        [sys.executable, *options, "-c", code],
        env=environment_of(folder, **changes),
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


def compiled(folder):
    """The functions whose code is kept in the cache of `folder`."""
    return sorted(path.name.split("-")[0] for path in (folder / "cache").rglob("*.nbc"))


def write(folder, **modules):
    """Write the modules of the package `mine`."""
    (folder / "mine").mkdir(exist_ok=True)
    for name, text in {"__init__": "", **modules}.items():
        (folder / "mine" / f"{name}.py").write_text(text)


# Tells of each function that is compiled, plansolve's or another one.
WATCHING = """
from numba.core import event

class Watch(event.Listener):
    def on_start(self, event):
        print("compiling", event.data["dispatcher"].py_func.__name__)
    def on_end(self, event):
        pass

event.register("numba:compile", Watch())
"""
SUMS = """
from plansolve.storage.jit import kernel

@kernel
def square(n):
    return n * n % 7

@kernel
def total(n):
    sum = 0
    for i in range(n):
        sum += square(i)
    return sum
"""
CALL_SUMS = f"{WATCHING}import mine.sums; print(mine.sums.total(5))"


def test_processes_that_compile_at_the_same_time_do_each_other_no_harm(tmp_path):
    write(tmp_path, sums=SUMS)
    processes = [
        subprocess.Popen(
            [
                sys.executable,
                "-c",
                "import sys, mine.sums\nprint(flush=True)\ninput()\n" + CALL_SUMS,
            ],
            env=environment_of(tmp_path),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    for process in processes:
        assert process.stdout.readline() == "\n"
    for process in processes:
        process.stdin.write("\n")
        process.stdin.flush()
    for process in processes:
        out, err = process.communicate()
        assert (out.splitlines()[-1], err) == ("9", "")
    # What they have compiled is loaded; when the file was written makes no difference.
    os.utime(tmp_path / "mine" / "sums.py", (1, 1))
    assert printed(tmp_path, CALL_SUMS) == ["9"]


CALLED = """
from typing import NamedTuple
from mine.numbers import NUMBER
from plansolve.storage.jit import inlined, kernel

class Pair(NamedTuple):
    {fields}

TUPLE = NUMBER, 1

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
from mine import called
from mine.called import (
    NUMBER,
    TUPLE,
    Pair,
    called as product,
    put_in,
)
from plansolve.storage.jit import kernel

@kernel
def outer(n):
    numbers = NUMBER * 100 + TUPLE[0] * 1000 + called.NUMBER * 10000
    return product(n) + put_in(n) + numbers + Pair(1, 2).left * 7

print(outer(3))
"""


def test_code_is_compiled_anew_when_anything_that_it_is_made_of_changes(tmp_path):
    left, right = "left: int; right: int", "right: int; left: int"
    folders = set()
    for factor, number, fields, below, total in (
        (2, 1, left, 0, 11114),
        (5, 1, left, 0, 11120),
        (5, 2, left, 0, 22220),
        (5, 2, right, 0, 22227),
        (5, 2, right, 1, 22230),
    ):
        text = CALLED.format(factor=factor, fields=fields, below=below)
        write(tmp_path, calling=CALLING, called=text, numbers=f"NUMBER = {number}")
        assert printed(tmp_path, "import mine.calling") == [str(total)]
        now = {*(tmp_path / "cache" / "kernels").glob("calling-*")}
        assert len(now - folders) == 1
        folders = now


def test_folders_that_nothing_has_used_for_a_month_are_deleted(tmp_path):
    write(tmp_path, sums=SUMS)
    kernels = tmp_path / "cache" / "kernels"
    for name, days in (("old", 31), ("used", 29)):
        (kernels / name / "__pycache__").mkdir(parents=True, mode=0o700)
        os.utime(kernels / name, (time.time() - days * 86_400,) * 2)
    kernels.chmod(0o700)
    printed(tmp_path, CALL_SUMS)
    assert sorted(path.name.split("-")[0] for path in kernels.iterdir()) == ["sums", "used"]
    # Who loads the code uses it.
    (home,) = kernels.glob("sums-*")
    os.utime(home, (1, 1))
    printed(tmp_path, CALL_SUMS)
    assert home.stat().st_mtime > 1


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
    write(tmp_path, loading=LOADING)
    for has_compiled in (True, False):
        said = printed(tmp_path, "import mine.loading")
        assert said == [f"7 {has_compiled}", "none is larger", "20"]
        for kept in (tmp_path / "cache").rglob("*twice*"):
            kept.unlink()


@pytest.mark.parametrize(
    "mode",
    [0o500, 0o777, pytest.param(None, marks=pytest.mark.slow)],
    ids=["read only", "open", "a file"],
)
def test_where_nothing_can_be_kept_or_trusted_kernels_work_all_the_same(tmp_path, mode):
    if mode == 0o500 and os.geteuid() == 0:
        pytest.skip("root may write everywhere")
    write(tmp_path, sums=SUMS)
    kernels = tmp_path / "cache" / "kernels"
    kernels.parent.mkdir()
    if mode is None:
        kernels.write_text("")
    else:
        kernels.mkdir()
        kernels.chmod(mode)
    for _ in range(2):
        assert printed(tmp_path, CALL_SUMS)[-1] == "9"
        assert compiled(tmp_path) == []


def test_code_in_a_folder_of_another_owner_is_not_loaded(tmp_path):
    if os.geteuid() != 0:
        pytest.skip("only root can give a folder away")
    write(tmp_path, sums=SUMS)
    printed(tmp_path, CALL_SUMS)
    os.chown(tmp_path / "cache" / "kernels", 1234, -1)
    assert printed(tmp_path, CALL_SUMS) == ["compiling total", "compiling square", "9"]


USER = """
import numba

@numba.njit(cache=True)
def twice(n):
    return 2 * n
"""


@pytest.mark.parametrize(
    ("imports", "named"),
    [
        pytest.param("sums, mine.user", "", marks=pytest.mark.slow),
        ("user, mine.sums", ""),
        ("user, mine.sums", "numba"),
    ],
)
def test_the_kernels_of_others_are_kept_where_they_were(tmp_path, imports, named):
    """In both orders, and in the folder that the user has named for numba, plansolve's too."""
    write(tmp_path, sums=SUMS, user=USER)
    calls = f"import mine.{imports}; print(mine.user.twice(4), mine.sums.total(5))"
    folder = str(tmp_path / named) if named else ""
    assert printed(tmp_path, calls, NUMBA_CACHE_DIR=folder) == ["8 9"]
    assert printed(tmp_path, WATCHING + calls, NUMBA_CACHE_DIR=folder) == ["8 9"]
    own = tmp_path / "mine" / "__pycache__"
    kept = {path.parent for path in tmp_path.rglob("user.twice*.nbc")}
    if named:
        assert all(tmp_path / named in path.parents for path in kept)
        assert compiled(tmp_path) == []
    else:
        assert kept == {own}
        assert compiled(tmp_path) == ["sums.square", "sums.total"]
        assert not any(path.name.startswith("sums") for path in own.iterdir())
    assert len(list(tmp_path.rglob("sums.total*.nbc"))) == 1


def test_arrays_of_other_types_are_refused_under_o_too(tmp_path):
    code = """
from typing import NamedTuple
import numpy as np
from numpy.typing import NDArray
from plansolve.storage.jit import typed

@typed
class Arrays(NamedTuple):
    one: NDArray[np.uint8]

try:
    Arrays(np.zeros(2, np.uint16))
except TypeError as error:
    print(error)
"""
    assert printed(tmp_path, code, "-O") == ["Arrays.one has the type uint16, not uint8"]


def test_without_a_compiler_a_kernel_is_the_function_itself(tmp_path):
    code = "from plansolve.storage.jit import kernel; print(kernel(lambda x: x + 1)(1))"
    assert printed(tmp_path, code, NUMBA_DISABLE_JIT="1") == ["2"]


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
        with pytest.raises(TypeError):
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
        with pytest.raises(TypeError):
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
