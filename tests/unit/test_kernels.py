"""Every kernel of the package stands in a file for kernels, and is called with few arguments."""

import ast
from pathlib import Path

import pytest

import plansolve

PACKAGE = Path(plansolve.__file__).parent
MODULES = {path.relative_to(PACKAGE).as_posix(): path for path in PACKAGE.rglob("*.py")}
KERNEL_MODULES = sorted(name for name in MODULES if name.endswith("_kernel.py"))
MOST_PARAMETERS = 8


def kernels(name):
    """The functions of a module that are compiled."""
    tree = ast.parse(MODULES[name].read_text(encoding="utf-8"))
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    return [f for f in functions if "kernel" in map(ast.unparse, f.decorator_list)]


def imports(name):
    tree = ast.parse(MODULES[name].read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            yield node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def is_for_kernels(module, name):
    """Whether a kernel's file may import the module: compiler, numpy, model, its own folder."""
    folder = "plansolve." + Path(name).parent.as_posix().replace("/", ".")
    return (
        module in {"collections.abc", "typing", "plansolve.storage.jit"}
        or module.split(".")[0] in {"numba", "numpy"}
        or module.startswith("plansolve.model.")
        or module.endswith("_kernel")
        or module.rpartition(".")[0] == folder
    )


def test_kernels_are_in_files_named_after_them():
    assert KERNEL_MODULES
    assert [name for name in MODULES if kernels(name) and name not in KERNEL_MODULES] == []
    assert [name for name in KERNEL_MODULES if not kernels(name)] == []


@pytest.mark.parametrize("name", KERNEL_MODULES)
def test_kernels_know_arrays_and_their_own_folder_only(name):
    assert [module for module in imports(name) if not is_for_kernels(module, name)] == []


@pytest.mark.parametrize("name", KERNEL_MODULES)
def test_arguments_that_could_be_swapped_are_few(name):
    for function in kernels(name):
        parameters = [*function.args.args, *function.args.kwonlyargs]
        assert len(parameters) <= MOST_PARAMETERS, function.name


@pytest.mark.parametrize("name", KERNEL_MODULES)
def test_types_of_arrays_are_asserted_where_they_are_annotated(name):
    for node in ast.walk(ast.parse(MODULES[name].read_text(encoding="utf-8"))):
        if isinstance(node, ast.ClassDef) and "NDArray[" in ast.unparse(node):
            assert "typed" in map(ast.unparse, node.decorator_list), node.name
