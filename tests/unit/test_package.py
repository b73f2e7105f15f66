"""Facts about the package as a whole."""

import ast
import doctest
import pkgutil
from collections.abc import Iterator
from graphlib import TopologicalSorter
from importlib import import_module
from pathlib import Path
from types import FunctionType

import pytest

import plansolve
from plansolve import errors
from plansolve.puzzles.registry import FAMILIES

MODULES = {module.name for module in pkgutil.walk_packages(plansolve.__path__, prefix="plansolve.")}

PACKAGE = Path(plansolve.__path__[0])
TREES = {
    path.relative_to(PACKAGE).as_posix(): ast.parse(path.read_text(encoding="utf-8"))
    for path in sorted(PACKAGE.rglob("*.py"))
}
MOST_LINES = 500
MOST_LINES_OF_A_FUNCTION = 60


def test_every_public_name_exists_once() -> None:
    for module in map(import_module, sorted(MODULES)):
        names = list(getattr(module, "__all__", []))
        assert len(names) == len(set(names)), module
        assert [n for n in names if not hasattr(module, n)] == [], module


def test_every_public_name_of_the_package_is_its_home_module_s() -> None:
    for name in plansolve.__all__:
        # A module of that name would take its place as soon as it is imported.
        assert f"plansolve.{name}" not in MODULES
        value = getattr(plansolve, name)
        home = getattr(value, "__module__", None)
        if home is not None and home.startswith("plansolve."):
            assert getattr(import_module(home), name) is value


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="nonsense"):
        plansolve.nonsense  # noqa: B018


def documented() -> dict[str, object]:
    """The package, its errors, and every public function and class."""
    found: dict[str, object] = {"plansolve": plansolve, "errors": errors}
    for name, module in plansolve._HOME.items():
        value = getattr(import_module(module), name)
        is_error = isinstance(value, type) and issubclass(value, errors.PlansolveError)
        if isinstance(value, type | FunctionType) and not is_error:
            found[name] = value
    return found


@pytest.mark.parametrize("name", sorted(documented()))
def test_the_examples_of_the_api_run(name: str) -> None:
    (test,) = doctest.DocTestFinder(recurse=False).find(documented()[name], name, globs={})
    assert test.examples
    said: list[str] = []
    assert doctest.DocTestRunner().run(test, out=said.append).failed == 0, "".join(said)


def test_the_names_in_a_notebook_are_the_public_ones() -> None:
    assert dir(plansolve) == sorted([*plansolve.__all__, "__version__"])


def test_no_import_goes_in_a_circle() -> None:
    # The package itself imports nothing before it is asked for a name.
    trees = {module_name(path): tree for path, tree in TREES.items() if path != "__init__.py"}
    imported = {name: set(imports(tree)) & trees.keys() - {name} for name, tree in trees.items()}
    TopologicalSorter(imported).prepare()  # raises an error that names a circle


def module_name(path: str) -> str:
    name = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    return f"plansolve.{name}"


def imports(tree: ast.Module) -> Iterator[str]:
    """The modules that are imported anywhere, and those that are named for `resolve_name`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            yield from names & MODULES
            # To import a module from its package is to import that module.
            if names - MODULES:
                yield node.module
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value.partition(":")[0]


def test_modules_and_functions_are_short() -> None:
    texts = {path: (PACKAGE / path).read_text(encoding="utf-8") for path in TREES}
    assert [path for path, text in texts.items() if text.count("\n") > MOST_LINES] == []
    long = [
        (path, node.name)
        for path, tree in TREES.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.end_lineno is not None
        and node.end_lineno - node.lineno >= MOST_LINES_OF_A_FUNCTION
        and not is_kernel_or_command(node)
    ]
    assert long == []


def is_kernel_or_command(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Kernels are compiled as a whole; a command's parameters are its options."""
    decorators = [ast.unparse(decorator) for decorator in function.decorator_list]
    return any(d == "kernel" or d.startswith("click.command(") for d in decorators)


def test_no_other_room_knows_the_name_of_a_puzzle() -> None:
    # The formats of that name are files of their families.
    at_home = ("puzzles/", "compat/", "formats/lloyd.py")
    for path, tree in TREES.items():
        if not path.startswith(at_home):
            words = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}
            assert words.isdisjoint(FAMILIES), path


def test_only_faces_of_packages_list_their_names() -> None:
    # Users of the drop-ins of `compat` import them with a star.
    listing = [
        path
        for path, tree in TREES.items()
        if any(isinstance(n, ast.Name) and n.id == "__all__" for n in ast.walk(tree))
    ]
    assert [p for p in listing if not p.endswith("__init__.py") and p[:7] != "compat/"] == []
