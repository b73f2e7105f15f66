"""Slow work that comes first is announced once, before it begins."""

import numba
import numpy as np
import pytest

from plansolve.storage.jit import kernel
from plansolve.storage.notices import listen, making
from plansolve.storage.store import Store, StoreKey

COMPILING = "compiling kernels, which may take a few seconds"
TABLES = "making the tables of lemmas, which may take a few seconds"


def test_compilation_is_told_once_and_before_it_begins(tmp_path, monkeypatch):
    # Where nothing is kept yet.
    monkeypatch.setenv("PLANSOLVE_CACHE_DIR", str(tmp_path))
    told = []
    first, second = (kernel(lambda x, n=n: x + n) for n in (1, 2))
    assert first(1) == 2
    with listen(lambda line: told.append((line, len(first.signatures)))):
        assert first(2) == 3
        assert told == []
        assert (first(0.5), second(1)) == (1.5, 3)
        assert told == [(COMPILING, 1)]
    with listen(told.append):
        assert second(0.5) == 2.5
    # Nobody is told any more, and of functions that are no kernels nobody ever is.
    assert second(1j) == 2 + 1j
    with listen(told.append):
        assert numba.njit(lambda x: x + 1)(1) == 2
    assert told == [(COMPILING, 1), COMPILING]


@pytest.mark.parametrize("is_kept", [True, False])
def test_tables_are_told_of_where_no_file_has_them(tmp_path, monkeypatch, is_kept):
    folder = tmp_path / "cache"
    if not is_kept:
        folder.write_text("not a folder")
    monkeypatch.setenv("PLANSOLVE_CACHE_DIR", str(folder))
    told = []

    def notify(line):
        with making("making the tables of lemmas"):
            pass

    def build():
        told.append("building")
        return np.arange(3, dtype=np.uint8)

    for _ in range(2):
        with listen(told.append):
            table = Store().load_or_build(StoreKey("test", "three", {}), 3, build, notify)
        assert table.tolist() == [0, 1, 2]
    assert told == [TABLES, "building"] * (1 if is_kept else 2)
