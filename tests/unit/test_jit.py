"""Kernels that have to be compiled are announced once."""

import numba

from plansolve.jit import when_compiling


def test_compilation_is_told_once_and_before_it_begins():
    told = []
    first, second = (numba.njit(lambda x, n=n: x + n) for n in (1, 2))
    assert first(1) == 2
    with when_compiling(lambda: told.append(len(first.signatures))):
        assert first(2) == 3
        assert told == []
        assert (first(0.5), second(1)) == (1.5, 3)
        assert told == [1]
    with when_compiling(lambda: told.append("once more")):
        assert second(0.5) == 2.5
    # Nobody is told any more.
    assert second(1j) == 2 + 1j
    assert told == [1, "once more"]
