"""The decorator of kernels: compiled by numba, kept in the user's cache, free of the lock.

Kernels are functions of numbers and arrays. They index with unsigned numbers (a signed index is
tested for being negative), never call themselves (numba cannot cache such functions), and take
all tables as arguments (a global is frozen into the compiled code). Import this module, and with
it numba, only where a search begins: it takes a third of a second.

numba keeps code beside the file that the function is from (or below NUMBA_CACHE_DIR), and goes by
that file alone; but a kernel's code has functions and constants of other modules in it. So each
module with kernels is copied into a folder named after a digest of all that its code depends on,
and its kernels are compiled as if from there. Other users of numba notice nothing.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, TypeAlias, TypeVar, get_args, get_origin

import numba
import numpy as np

from plansolve.storage.compiler import announced
from plansolve.storage.folder import versioned_copy

Array: TypeAlias = Any
"""A numpy array as a kernel sees it; the docstring tells its element type and shape."""

Arrays = TypeVar("Arrays", bound=tuple[Any, ...])
Function = TypeVar("Function", bound=Callable[..., Any])

# Code of another compiler is of no use; under -O kernels make no assertions.
_COMPILER = f"numba {numba.__version__}, Python {sys.version}, -O {sys.flags.optimize}"


def typed(cls: type[Arrays]) -> type[Arrays]:
    """Have a NamedTuple raise `TypeError` for arrays of other types than annotated.

    Annotations are `NDArray[type | ...]`, or `Annotated[Array, dtype]` for records. A kernel that
    is given others is compiled for them, and may compute something else.
    """
    types = [_element_types(hint) for hint in cls.__annotations__.values()]
    make = cls.__new__

    # Kernels that make one themselves look for the names of the fields.
    @wraps(make)
    def made(cls: type[Arrays], *values: Any, **named: Any) -> Arrays:
        arrays = make(cls, *values, **named)
        for name, value, allowed in zip(cls.__annotations__, arrays, types, strict=True):
            if allowed and value.dtype not in allowed:
                right = " or ".join(str(np.dtype(one)) for one in allowed)
                raise TypeError(f"{cls.__name__}.{name} has the type {value.dtype}, not {right}")
        return arrays

    cls.__new__ = made  # type: ignore[assignment]
    return cls


def _element_types(hint: Any) -> tuple[Any, ...]:
    """Return the types of an array's elements; for the annotation of anything else none."""
    if get_origin(hint) is Annotated:
        return tuple(hint.__metadata__)
    if get_origin(hint) is not np.ndarray:
        return ()
    (element,) = get_args(get_args(hint)[1])
    return get_args(element) or (element,)


def kernel(function: Function) -> Function:
    """Compile a function of a module when it is first called; later processes load the code."""
    if numba.config.DISABLE_JIT:
        return function
    file = getattr(sys.modules[function.__module__], "__file__", None)
    copy = file and versioned_copy(function.__module__, Path(file), _COMPILER)
    if copy:
        function.__code__ = function.__code__.replace(co_filename=str(copy))
    # No kernel is called from C: a wrapper for that would take an eighth of the compilation.
    compiled = numba.njit(cache=bool(copy), nogil=True, no_cfunc_wrapper=True)(function)
    result: Function = announced(compiled)
    return result


def inlined(function: Function) -> Function:
    """Compile a function into each kernel that calls it; it must not make arrays.

    A call would copy what is known of all arrays that are handed over, and count the references to
    each up and down: that takes several times as long as a lookup, and threads wait for each other.
    Only kernels should call it, for elsewhere it is compiled in each process.
    """
    # Counting references goes by an option of numba that has no public name.
    compiled: Function = numba.njit(forceinline=True, _nrt=False, no_cfunc_wrapper=True)(function)
    return compiled


@contextmanager
def interruptible() -> Iterator[None]:
    """Let what a signal's handler raises during a kernel come out as it is.

    The call of a kernel ends with a `SystemError` that such an exception has caused.
    """
    try:
        yield
    except SystemError as error:
        cause: BaseException = error
        while cause.__cause__ is not None:
            cause = cause.__cause__
        if cause is error:
            raise
        raise cause from None
