"""What a shell is offered behind an option: engines, puzzles, formats, files.

Used only while a shell asks, so that it costs other runs nothing.
"""

import re
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias

import click
from click.shell_completion import CompletionItem

__all__ = ["NAMES", "file_item", "with_completion"]

Names = Callable[[], Iterable[str]]

if TYPE_CHECKING:
    ParamType: TypeAlias = click.ParamType[Any]
else:
    ParamType = click.ParamType  # earlier versions of click have no parameter here


def _of(module: str, name: str, *first: str) -> Names:
    return lambda: [*first, *getattr(import_module(f"plansolve.{module}"), name)]


NAMES: dict[str, Names] = {
    "engine": _of("solvers.engine.registry", "ENGINES", "auto"),
    "backend": _of("solvers.formula.backends", "BACKENDS"),
    "bound": _of("bounds.registry", "BOUNDS"),
    "encoding": _of("encoders.registry", "ENCODINGS"),
    "lemmas": _of("encoders.lemmas.registry", "LEMMAS", "none"),
    "puzzle": _of("puzzles.registry", "FAMILIES"),
    "goal": lambda: import_module("plansolve.puzzles.registry").goal_names(),
    "format": _of("formats", "FORMATS"),
    "to": _of("formats", "FORMATS"),
    "board_format": _of("formats", "FORMATS"),
    "protocol": _of("apps.judge.protocols", "PROTOCOLS"),
    "isolation": _of("apps.judge.isolation", "ISOLATIONS"),
    "external": lambda: ("cake_lpr", "drat-trim", "dratify", "lrat-check"),
}
"""The names that an option takes, by its parameter."""

_FILE = re.compile(r"\b(?:FILE|BOARD|PLAN|MODEL|INSTANCES|OUT|FOLDER)\b")


class _Offered(ParamType):
    """A parameter's type, which offers names and files besides."""

    def __init__(self, wrapped: ParamType, names: Names, file: str) -> None:
        self.name = wrapped.name
        self._wrapped, self._names, self._file = wrapped, names, file

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> object:
        return self._wrapped.convert(value, param, ctx)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        # Of a list with commas the last name is completed.
        before, comma, begun = incomplete.rpartition(",")
        items = [CompletionItem(incomplete, type=self._file)] if self._file else []
        return items + [
            CompletionItem(f"{before}{comma}{name}")
            for name in self._names()
            if name.startswith(begun)
        ]


def with_completion(command: click.Command) -> click.Command:
    """Return the command, its parameters offering what they take."""
    for parameter in command.params:
        form = parameter.metavar or ""
        file = ("dir" if form == "FOLDER" else "file") if _FILE.search(form) else ""
        names = NAMES.get(parameter.name or "", tuple)
        if file or parameter.name in NAMES:
            parameter.type = _Offered(parameter.type, names, file)
    if isinstance(command, click.Group):
        for one in command.commands.values():
            with_completion(one)
    return command


def file_item(incomplete: str) -> CompletionItem:
    """Return the word to the shell that a file is expected."""
    return CompletionItem(incomplete, type="file")
