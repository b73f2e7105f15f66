"""Call `solve(board)` of another person's file, or `TilePuzzle(board).find_solution_a_star()`.

This file is copied into the working folder of a run and executed there by itself: it imports
nothing of plansolve. It reads `request.json` and prints one JSON object: `moves` (a list of names,
one text, or null if the function says that there is no plan), `is_class`, or `trouble` for a
value that is none of these. An exception of the function ends the run with its traceback and exit
code 1.
"""

import importlib
import importlib.util
import inspect
import json
import os
import sys
import traceback
from pathlib import Path
from types import ModuleType
from typing import Any


def main() -> None:
    """Run the request, answer, and end the process."""
    code = 0
    try:
        _serve(_private_output())
    except BaseException:
        # Also the function's own `sys.exit`, which is not an answer.
        traceback.print_exc()
        sys.stderr.flush()
        code = 1
    # The answer is written: do not wait for threads and exit handlers of the module.
    os._exit(code)


def _serve(channel: int) -> None:
    request = json.loads(Path("request.json").read_text(encoding="utf-8"))
    # Python's own folders stay where they are.
    sys.path[1:1] = [folder for folder in request["path"] if folder not in sys.path]
    target = getattr(_load(request["module"]), request["function"])
    is_class = inspect.isclass(target)
    if is_class:
        found = target(request["board"]).find_solution_a_star()
    else:
        found = target(tuple(request["board"]) if request["is_flat"] else request["board"])
    with os.fdopen(channel, "w", encoding="utf-8") as stream:
        json.dump(_answer(found) | {"is_class": is_class}, stream)


def _private_output() -> int:
    """Return a new descriptor for standard output; other output is discarded from now on."""
    channel = os.dup(1)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)
    return channel


def _load(name: str) -> ModuleType:
    """Return a module by its name, or by the absolute path of its file."""
    path = Path(name)
    if not path.is_absolute():
        return importlib.import_module(name)
    # As when Python runs the file: the modules beside it come first.
    sys.path[0] = str(path.parent)
    sys.argv = [str(path)]
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path.name} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def _answer(found: Any) -> dict[str, Any]:
    if found is None or isinstance(found, str):
        return {"moves": found}
    try:
        moves = list(found)
    except TypeError:
        return {"trouble": f"returned {type(found).__name__}"}
    for step, move in enumerate(moves, start=1):
        if not isinstance(move, str):
            return {"trouble": f"item {step} is {type(move).__name__}"}
    return {"moves": moves}


if __name__ == "__main__":
    main()
