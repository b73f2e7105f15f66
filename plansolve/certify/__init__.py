"""The prover's side: writes certificates."""

import sys
from types import ModuleType
from typing import Any


class _Prover(ModuleType):
    """Stands for the function of the same name.

    Whoever imports a module of this package binds `plansolve.certify` to the package, in the place
    of the function that `plansolve` offers under this name.
    """

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        from plansolve.certify.certify import certify

        return certify(*arguments, **options)


sys.modules[__name__].__class__ = _Prover
