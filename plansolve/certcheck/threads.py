"""Interruptible work: kernels in threads, and long loops."""

from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any, TypeAlias, TypeVar

Item = TypeVar("Item")
Value = TypeVar("Value")

Unwanted: TypeAlias = Callable[[], bool]
"""Returns True once the work is to end: at a deadline, or if it was cancelled."""

_POLL_SECONDS = 0.1


def never() -> bool:
    """Return False: the work is wanted until it is done."""
    return False


def require_wanted(is_unwanted: Unwanted) -> None:
    if is_unwanted():
        raise TimeoutError("the deadline passed before everything was checked")


def while_wanted(items: Iterable[Item], is_unwanted: Unwanted) -> Iterator[Item]:
    """Yield the items; raise `TimeoutError` once the work is unwanted."""
    for item in items:
        require_wanted(is_unwanted)
        yield item


def in_threads(
    work: Callable[[Item, Any], Value],
    items: Iterable[Item],
    threads: int,
    is_unwanted: Unwanted = never,
) -> Generator[Value, None, None]:
    """Yield what `work` returns for each item, in their order.

    `work` also takes a flag (uint8, one entry). Kernels read it in their loops, and end soon after
    it is set: when the caller leaves, whatever the reason, and when the work is unwanted. Raise
    `TimeoutError` then.
    """
    # Code that only checks the clock does not need numpy.
    import numpy as np

    stop, pool = np.zeros(1, np.uint8), ThreadPoolExecutor(threads)
    try:
        for future in [pool.submit(work, item, stop) for item in items]:
            while wait([future], _POLL_SECONDS).not_done:
                require_wanted(is_unwanted)
            yield future.result()
    finally:
        stop[0] = 1
        # A thread may be compiling a kernel, which takes seconds.
        pool.shutdown(wait=False, cancel_futures=True)
