"""All that kernels need of numba beyond its documented interface: events, loading, instructions.

`pyproject.toml` names the versions with which it was tried.
"""

from contextlib import AbstractContextManager
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import event
from numba.core.runtime import rtsys
from numba.extending import intrinsic

from plansolve.storage.notices import making

_kernels: set[Any] = set()


class _Compilation(event.Listener):  # type: ignore[misc]
    """Give notice of kernels that no file holds yet, and of no one else's functions."""

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
    """The context of a function's code while that is loaded.

    numba would first make it ready to compile anything, which takes longer than to load all kernels
    of a search: a fifth of a short run. The compiler makes it ready by itself.
    """

    def __init__(self, context: Any) -> None:
        self._context = context

    def refresh(self) -> None:
        rtsys.initialize(self._context)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)


def announced(function: Any) -> Any:
    """Have a function that numba compiles give notice of that, and load kept code at once."""
    _kernels.add(function)
    function.targetctx = _Loader(function.targetctx)
    return function


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
