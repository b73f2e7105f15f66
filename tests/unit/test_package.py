"""Facts about the package as a whole."""

import doctest
import pkgutil
from importlib import import_module

import pytest

import plansolve

MODULES = sorted(
    module.name for module in pkgutil.walk_packages(plansolve.__path__, prefix="plansolve.")
)


def test_every_public_name_exists_once() -> None:
    for module in map(import_module, MODULES):
        names = list(getattr(module, "__all__", []))
        assert len(names) == len(set(names)), module
        assert [n for n in names if not hasattr(module, n)] == [], module


def test_every_public_name_of_the_package_is_its_home_module_s() -> None:
    for name in plansolve.__all__:
        value = getattr(plansolve, name)
        home = getattr(value, "__module__", None)
        if home is not None and home.startswith("plansolve."):
            assert getattr(import_module(home), name) is value


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="nonsense"):
        plansolve.nonsense  # noqa: B018


def test_the_example_of_the_package_runs() -> None:
    failures, attempts = doctest.testmod(plansolve)
    assert (failures, attempts) == (0, 4)
