"""The directive `public-api KIND`: documents the public names of `plansolve`, a kind at a time.

The names come from `plansolve.__all__`, so that a new one is in the reference without another line.
"""

import inspect
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import Directive
from docutils.statemachine import StringList
from sphinx.application import Sphinx

import plansolve

KINDS = ("functions", "results", "puzzles", "errors", "processes", "others")
_CLASSES = {
    "puzzles": {"BoardLike", "Operator", "Plan", "Problem", "Puzzle", "State"},
    "processes": {"Event", "Workers"},
}


def kind_of(name: str) -> str:
    """Return under which of `KINDS` the reference lists a public name."""
    value = getattr(plansolve, name)
    if inspect.isclass(value) and issubclass(value, BaseException):
        return "errors"
    if inspect.isfunction(value):
        return "functions"
    for kind, names in _CLASSES.items():
        if name in names:
            return kind
    return "results" if inspect.isclass(value) else "others"


def lines_about(name: str) -> list[str]:
    """Return the autodoc directive that documents a public name."""
    value = getattr(plansolve, name)
    if inspect.isfunction(value):
        return [f".. autofunction:: plansolve.{name}", ""]
    if inspect.isclass(value):
        has_members = kind_of(name) in ("puzzles", "results")
        options = ["   :members:"] if has_members else []
        directive = "autoexception" if issubclass(value, BaseException) else "autoclass"
        return [f".. {directive}:: plansolve.{name}", *options, ""]
    return [f".. autodata:: plansolve.{name}", "   :no-value:", ""]


class PublicApi(Directive):
    """Documents the public names of one kind."""

    required_arguments = 1
    option_spec: ClassVar[dict[str, object]] = {}

    def run(self) -> list[nodes.Node]:
        (kind,) = self.arguments
        if kind not in KINDS:
            raise self.error(f"{kind!r} is none of {', '.join(KINDS)}")
        lines = [
            line
            for name in plansolve.__all__
            if kind_of(name) == kind
            for line in lines_about(name)
        ]
        holder = nodes.container()
        source = f"public-api {kind}"
        self.state.nested_parse(StringList(lines, source), self.content_offset, holder)
        return holder.children


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("public-api", PublicApi)
    return {"parallel_read_safe": True}
