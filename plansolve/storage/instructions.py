"""Machine instructions that kernels use and numba has no name for."""

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic


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
