"""Packages that a plain installation lacks, and the extra that installs them."""

from importlib.util import find_spec

from plansolve.errors import OptionError


def require(extra: str, what: str, *modules: str) -> None:
    """Raise `OptionError` unless the modules are there that `what` needs; none is imported."""
    if missing := [name for name in modules if find_spec(name) is None]:
        raise OptionError(
            f"{what} needs {' and '.join(missing)}: run pip install 'plansolve[{extra}]'"
        )
