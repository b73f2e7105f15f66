"""The decorator of kernels: compiled by numba, kept in the user's cache, free of the lock.

Kernels are functions of numbers and arrays. They index with unsigned numbers (a signed index is
tested for being negative), never call themselves (numba cannot cache such functions), and take
all tables as arguments (a global is frozen into the compiled code). Import this module, and with
it numba, only where a search begins: it takes a third of a second.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import cache, partial, wraps
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, TypeVar, get_args, get_origin

import numba
import numpy as np
from llvmlite import ir
from numba.core import event, types
from numba.core.compiler_lock import global_compiler_lock
from numba.core.runtime import rtsys
from numba.extending import intrinsic

from plansolve.storage.folder import writable_folder
from plansolve.storage.kernel_stamp import kernel_stamp
from plansolve.storage.notices import making

if TYPE_CHECKING:
    from plansolve.storage.file_turns import FileTurns

__all__ = [
    "Array",
    "bit_count",
    "has_to_be_compiled",
    "inlined",
    "interruptible",
    "kernel",
    "prefetch",
    "trailing_zeros",
    "typed",
]

Array: TypeAlias = Any
"""A numpy array as a kernel sees it; the docstring tells its element type and shape."""

Arrays = TypeVar("Arrays", bound=tuple[Any, ...])
Function = TypeVar("Function", bound=Callable[..., Any])


_COMPILING = "compiling kernels"

_loads_by_itself = numba.version_info[:2] <= (0, 68)
"""See `_loaded`: code that calls what nobody has named would crash, so later versions are left out
until they were tried."""

_LONGEST_COMPILATION = 30.0
"""Seconds; whoever takes longer for one kernel has been stopped."""


@cache
def _turns() -> "FileTurns":
    # Its library takes 30 ms to load, and most processes compile nothing.
    from plansolve.storage.file_turns import FileTurns

    return FileTurns(_LONGEST_COMPILATION)


# Several threads may import kernels, and numba looks for the name of the folder in one place.
_naming_folder = Lock()


class _Compilation(event.Listener):  # type: ignore[misc]
    """Tell of kernels that no file holds yet; one is compiled at a time, and those it calls."""

    def __init__(self) -> None:
        self._compiling: list[AbstractContextManager[None]] = []

    def on_start(self, event: Any) -> None:
        self._compiling.append(making(_COMPILING))
        self._compiling[-1].__enter__()

    def on_end(self, event: Any) -> None:
        self._compiling.pop().__exit__(None, None, None)


event.register("numba:compile", _Compilation())


def typed(cls: type[Arrays]) -> type[Arrays]:
    """Assert of a NamedTuple, whenever one is made, that its arrays have the annotated types.

    These are `NDArray[type | ...]`, or `Annotated[Array, dtype]` for records. A kernel that is
    given others is compiled for them, and may compute something else.
    """
    types = [_element_types(hint) for hint in cls.__annotations__.values()]
    make = cls.__new__

    # Kernels that make one themselves look for the names of the fields.
    @wraps(make)
    def made(cls: type[Arrays], *values: Any, **named: Any) -> Arrays:
        arrays = make(cls, *values, **named)
        for value, allowed in zip(arrays, types, strict=True):
            assert not allowed or value.dtype in allowed, (cls, arrays)
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
    with _naming_folder:
        folder = None if numba.config.CACHE_DIR else writable_folder("kernels")
    if folder is None:
        # The user has named a folder for numba, or ours cannot be written.
        return _compiled(function, cached=bool(numba.config.CACHE_DIR))
    with _naming_folder:
        numba.config.CACHE_DIR = str(folder)
        try:
            return _compiled(function, cached=True)
        finally:
            numba.config.CACHE_DIR = ""


def _compiled(function: Function, cached: bool) -> Function:
    # No kernel is called from C: a wrapper for that would take an eighth of the compilation.
    compiled: Any = numba.njit(cache=cached, nogil=True, no_cfunc_wrapper=True)(function)
    # With NUMBA_DISABLE_JIT the function comes back as it is.
    if cached and not numba.config.DISABLE_JIT:
        index = compiled._cache._cache_file
        _stamp(index, compiled.py_func)
        _forgive(index)
        _take_turns(compiled)
    result: Function = compiled
    return result


def inlined(function: Function) -> Function:
    """Compile a function into each kernel that calls it; it must not make arrays.

    A call would copy what is known of all arrays that are handed over, and count the references to
    each up and down: that takes several times as long as a lookup, and threads wait for each other.
    Only kernels should call it, for elsewhere it is compiled in each process.
    """
    # Counting references goes by an option of numba that has no public name.
    compiled: Any = numba.njit(forceinline=True, _nrt=False, no_cfunc_wrapper=True)(function)
    result: Function = compiled
    return result


def has_to_be_compiled(kernel: Callable[..., Any]) -> bool:
    """Whether a kernel is compiled when it is called, and then kept for other processes."""
    cache = getattr(getattr(kernel, "_cache", None), "_cache_file", None)
    return cache is not None and not cache._load_index()


def _stamp(index: Any, function: Callable[..., Any]) -> None:
    """Have an index of compiled code count as empty where anything has changed in what it is of.

    That is looked at when the index is read, as it always is before it is written: a kernel may
    call others that stand below it, which are not there yet when it is defined.
    """
    load, stamp = index._load_index, index._source_stamp

    def load_index() -> Any:
        index._source_stamp = stamp, kernel_stamp(function)
        return load()

    index._load_index = load_index


def _forgive(index: Any) -> None:
    """Have an index of compiled code that cannot be read count as empty.

    An index names the NamedTuples that kernels take by their modules. Where another version of
    this package has written it they may be gone, which numba finds before it looks at the index's
    age.
    """
    load = index._load_index

    def load_index() -> Any:
        try:
            return load()
        except (AttributeError, ImportError):
            return {}

    index._load_index = load_index


def _loaded(cache: Any, signature: Any, context: Any) -> Any:
    """Return code that a cache of numba holds, or None.

    Numba's own method makes the context ready to compile anything first, which takes longer than to
    load all kernels of a search. What is loaded needs only the names of the functions that it
    calls; the compiler makes the context ready by itself.
    """
    rtsys.initialize(context)
    with cache._guard_against_spurious_io_errors():
        return cache._load_overload(signature, context)
    return None


def _take_turns(dispatcher: Any) -> None:
    """Have processes that need the same code at the same time wait for the one that compiles it.

    Code that is there is loaded without waiting.
    """
    compile_, cache = dispatcher.compile, dispatcher._cache
    load = partial(_loaded, cache) if _loads_by_itself else cache.load_overload
    lock = Path(cache.cache_path, f"{cache._impl.filename_base}.lock")
    compiling: list[ExitStack] = []

    # This process's lock comes first, as it does for a kernel that is called by another one: two
    # threads would wait for each other.
    @wraps(compile_)
    def compile_in_turn(signature: Any) -> Any:
        with global_compiler_lock, ExitStack() as turn:
            compiling.append(turn)
            try:
                return compile_(signature)
            finally:
                compiling.pop()

    @wraps(cache.load_overload)
    def load_or_wait(signature: Any, context: Any) -> Any:
        code = load(signature, context)
        if code is None and compiling:
            turn = compiling[-1]
            waits = partial(turn.enter_context, making(_COMPILING))
            turn.enter_context(_turns().turn(lock, waits))
            code = load(signature, context)
        return code

    dispatcher.compile, cache.load_overload = compile_in_turn, load_or_wait


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


@intrinsic  # type: ignore[untyped-decorator]
def trailing_zeros(typing_context: Any, value: Any) -> Any:
    """The number of zero bits below the lowest one of an unsigned number that is not 0."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], context.get_constant(types.boolean, False))

    return value(value), generate


@intrinsic  # type: ignore[untyped-decorator]
def bit_count(typing_context: Any, value: Any) -> Any:
    """The number of one bits of an unsigned number."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return value(value), generate


@intrinsic  # type: ignore[untyped-decorator]
def prefetch(typing_context: Any, array: Any, index: Any) -> Any:
    """Have the memory of array[index] brought near, which is soon to be read.

    `array` has one dimension and its elements stand one beside the other.
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
