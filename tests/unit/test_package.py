"""Facts about the package as a whole."""

import ast
import doctest
import pkgutil
from importlib import import_module
from pathlib import Path

import pytest

import plansolve
from plansolve.puzzles.registry import FAMILIES

MODULES = sorted(
    module.name for module in pkgutil.walk_packages(plansolve.__path__, prefix="plansolve.")
)

PACKAGE = Path(plansolve.__path__[0])


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


def test_one_class_is_called_verdict() -> None:
    homes = {
        value.__module__
        for module in map(import_module, MODULES)
        if isinstance(value := getattr(module, "Verdict", None), type)
    }
    assert homes == {"plansolve.checker"}


def test_no_other_room_knows_the_name_of_a_puzzle() -> None:
    # The formats of that name are files of their families.
    at_home = ("puzzles/", "compat/", "formats/lloyd.py")
    for path in PACKAGE.rglob("*.py"):
        if not path.relative_to(PACKAGE).as_posix().startswith(at_home):
            nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            words = {node.value for node in nodes if isinstance(node, ast.Constant)}
            assert words.isdisjoint(FAMILIES), path
