"""Has the kernels that trim proofs compiled by another process, while lengths are refuted."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event

from plansolve.solvers.limits import Limits
from plansolve.solvers.processes.call import call_in_child

__all__ = ["trimming_compiled_beside"]


@contextmanager
def trimming_compiled_beside() -> Iterator[None]:
    """Compile while this is entered, if no other run has: it takes some seconds of a first one.

    Whoever needs the kernels waits for that process, or compiles what it has left undone.
    """
    cancel = Event()
    with ThreadPoolExecutor(1) as pool:
        pool.submit(call_in_child, _compile, limits=Limits(None, cancel=cancel))
        try:
            yield
        finally:
            cancel.set()


def _compile() -> None:
    # With numba: the process that certifies does without.
    from plansolve.solvers.formula.trim import compile_kernels

    compile_kernels()
