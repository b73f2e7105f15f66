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
    """The functions of a module that are compiled, by themselves or into others."""
    tree = ast.parse(MODULES[name].read_text(encoding="utf-8"))
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    decorators = {"kernel", "inlined"}
    return [f for f in functions if not decorators.isdisjoint(map(ast.unparse, f.decorator_list))]


def imports(name):
    tree = ast.parse(MODULES[name].read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            yield node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def is_for_kernels(module, name):
    """Return True for modules that kernels may import: compiler, numpy, model, own folder."""
    folder = "plansolve." + Path(name).parent.as_posix().replace("/", ".")
    return (
        module in {"collections.abc", "typing"}
        or module == "plansolve.storage.jit"
        or module.split(".")[0] in {"numba", "numpy"}
        or module.startswith("plansolve.model.")
        or module.endswith("_kernel")
        or folder in (module, module.rpartition(".")[0])
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


def states(text):
    """The named tuples that a module defines: their names, annotations and decorators."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ClassDef) and "NamedTuple" in map(ast.unparse, node.bases):
            fields = [ast.unparse(f.annotation) for f in node.body if isinstance(f, ast.AnnAssign)]
            yield node.name, fields, [*map(ast.unparse, node.decorator_list)]


def unchecked(text):
    """The named tuples of a module that may hold arrays of a type that is not asserted."""
    for name, fields, decorators in states(text):
        holds_arrays = "typed" not in decorators and "Array" in " ".join(fields)
        if holds_arrays or {"Array", "Any"} & {*fields}:
            yield name


@pytest.mark.parametrize(
    ("head", "field", "is_found"),
    [
        ("@typed\n", "NDArray[np.uint8]", False),
        ("", "int", False),
        ("", "NDArray[np.uint8]", True),
        ("@typed\n", "Array", True),
        ("@typed\n", "Any", True),
    ],
)
def test_an_array_of_unknown_type_is_found(head, field, is_found):
    text = f"{head}class State(NamedTuple):\n    size: int\n    cells: {field}\n"
    assert list(unchecked(text)) == ["State"] * is_found


@pytest.mark.parametrize("name", KERNEL_MODULES)
def test_types_of_the_arrays_in_a_kernels_state_are_asserted(name):
    # States may also be defined beside the kernels that import them.
    near = {module.removeprefix("plansolve.").replace(".", "/") + ".py" for module in imports(name)}
    for module in {name} | (near & {*MODULES}):
        assert list(unchecked(MODULES[module].read_text(encoding="utf-8"))) == [], module
