"""What the code of a kernel depends on besides its own file, to tell code of another version.

Functions that a kernel calls, and constants that it names, become part of its code. numba goes by
the source of the kernel's own file alone, and would load code that was made before one of them
changed elsewhere.
"""

import hashlib
from collections.abc import Iterator
from functools import cache
from numbers import Number
from types import CodeType, FunctionType, ModuleType
from typing import Any

__all__ = ["kernel_stamp"]


@cache
def kernel_stamp(function: FunctionType) -> str:
    """Return a digest of a function's code, of the kernels that it calls and of what it names."""
    digest = hashlib.sha256()
    for part in _parts(function.__code__, function.__globals__):
        digest.update(part.encode() + b"\0")
    return digest.hexdigest()


def _parts(code: CodeType, names: dict[str, Any]) -> Iterator[str]:
    yield code.co_code.hex()
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _parts(constant, names)
        else:
            yield repr(constant)
    for name in code.co_names:
        value = names.get(name)
        if isinstance(value, ModuleType):
            for attribute in code.co_names:
                yield f"{name}.{attribute}: {_meaning(vars(value).get(attribute))}"
        else:
            yield f"{name}: {_meaning(value)}"


def _meaning(value: Any) -> str:
    """What compiled code takes over of a value."""
    if isinstance(function := getattr(value, "py_func", None), FunctionType):
        return kernel_stamp(function)
    if isinstance(value, Number | str | tuple):
        return repr(value)
    # A NamedTuple that kernels make or take apart.
    return repr(getattr(value, "_fields", ""))
