"""The decorator of kernels: compiled by numba, kept in the user's cache, without Python's lock.

Kernels are functions of numbers and arrays. They index with unsigned numbers (a signed index is
tested for being negative), never call themselves (numba cannot cache such functions), and take
all tables as arguments (a global is frozen into the compiled code). Import this module, and with
it numba, only where a search begins: it takes a third of a second.

numba keeps code beside the file that the function is from (or below NUMBA_CACHE_DIR), and goes by
that file alone; but a kernel's code has functions and constants of other modules in it. So each
module with kernels is copied into a folder named after a digest of all that its code depends on,
and its kernels are compiled as if from there. Other users of numba notice nothing.

The parts that use undocumented interfaces of numba (events, loading, instructions) are at the end;
`pyproject.toml` names the versions with which they were tested.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, TypeAlias, TypeVar, get_args, get_origin

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import event
from numba.core.runtime import rtsys
from numba.extending import intrinsic

from plansolve.storage.folder import versioned_copy
from plansolve.storage.notices import making

Array: TypeAlias = Any
"""A numpy array as a kernel sees it; the docstring tells its element type and shape."""

Arrays = TypeVar("Arrays", bound=tuple[Any, ...])
Function = TypeVar("Function", bound=Callable[..., Any])

# Code of another compiler cannot be used; under -O kernels have no assertions.
_COMPILER = f"numba {numba.__version__}, Python {sys.version}, -O {sys.flags.optimize}"


def typed(cls: type[Arrays]) -> type[Arrays]:
    """Make a NamedTuple raise `TypeError` for arrays of other types than annotated.

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
    # No kernel is called from C; a wrapper for C would take an eighth of the compilation.
    compiled = numba.njit(cache=bool(copy), nogil=True, no_cfunc_wrapper=True)(function)
    _kernels.add(compiled)
    compiled.targetctx = _Loader(compiled.targetctx)
    result: Function = compiled
    return result


def inlined(function: Function) -> Function:
    """Compile a function into each kernel that calls it; it must not make arrays.

    A call would copy the descriptors of all arrays, and count the references to each up and down:
    that takes several times as long as a lookup, and threads wait for each other. Only kernels
    should call it, for elsewhere it is compiled in each process.
    """
    # Counting references goes by an option of numba that has no public name.
    compiled: Function = numba.njit(forceinline=True, _nrt=False, no_cfunc_wrapper=True)(function)
    return compiled


@contextmanager
def interruptible() -> Iterator[None]:
    """Raise the exceptions of a signal's handler during a kernel unchanged.

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


@intrinsic  # type: ignore[untyped-decorator]
def trailing_zeros(typing_context: Any, value: Any) -> Any:
    """Count the zero bits below the lowest one bit of an unsigned number that is not 0."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], context.get_constant(types.boolean, False))

    return value(value), generate


@intrinsic  # type: ignore[untyped-decorator]
def bit_count(typing_context: Any, value: Any) -> Any:
    """Count the one bits of an unsigned number."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return value(value), generate


@intrinsic  # type: ignore[untyped-decorator]
def prefetch(typing_context: Any, array: Any, index: Any) -> Any:
    """Prefetch the memory of array[index], which is read soon.

    `array` has one dimension and is contiguous.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(array)(context, builder, arguments[0]).data
        byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        place = builder.bitcast(builder.gep(data, [arguments[1]]), byte)
        kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        # To be read, not written; into all caches; data, not instructions.
        hints = [number(0), number(3), number(1)]
        builder.call(builder.module.declare_intrinsic("llvm.prefetch", (), kind), [place, *hints])
        return context.get_dummy_value()

    return types.void(array, index), generate


_kernels: set[Any] = set()


class _Compilation(event.Listener):  # type: ignore[misc]
    """Announce the compilation of our kernels that are not cached yet."""

    def __init__(self) -> None:
        self._compiling: list[AbstractContextManager[None]] = []

    def on_start(self, event: Any) -> None:
        if event.data["dispatcher"] in _kernels:
            self._compiling.append(making("compiling kernels"))
            self._compiling[-1].__enter__()

    def on_end(self, event: Any) -> None:
        if event.data["dispatcher"] in _kernels:
            self._compiling.pop().__exit__(None, None, None)


event.register("numba:compile", _Compilation())


class _Loader:
    """The compiler's context while a function's code is loaded.

    numba would first prepare it to compile anything, which takes longer than loading all kernels of
    a search: a fifth of a short run. The compiler prepares it itself if needed.
    """

    def __init__(self, context: Any) -> None:
        self._context = context

    def refresh(self) -> None:
        rtsys.initialize(self._context)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)
