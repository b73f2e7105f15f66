"""The directive `schema-table NAME`: the fields of a JSON schema of the reference, as a table."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.parsers.rst import Directive
from docutils.statemachine import StringList
from sphinx.application import Sphinx

FOLDER = Path(__file__).parents[1] / "reference" / "schemas"
Schema = dict[str, Any]


def kind(schema: Schema) -> str:
    """Return what values a schema allows, in a few words."""
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2].replace("_", " ")
    if "const" in schema:
        return f"`{json.dumps(schema['const'])}`"
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    if "anyOf" in schema:
        return " or ".join(map(kind, schema["anyOf"]))
    types = schema.get("type", "any value")
    words = [types] if isinstance(types, str) else list(types)
    if "array" in words and (items := schema.get("items")):
        words[words.index("array")] = f"list of {kind(items)}"
    return " or ".join(words)


def rows(schema: Schema, before: str = "") -> Iterator[tuple[str, str, str]]:
    """Yield path, kind and meaning of each field, those of nested objects after their own."""
    for name, field in schema.get("properties", {}).items():
        yield f"{before}{name}", kind(field), field.get("description", "")
        for inner, mark in _nested(field):
            yield from rows(inner, f"{before}{name}{mark}.")


def _nested(field: Schema) -> Iterator[tuple[Schema, str]]:
    for choice in (field, *field.get("anyOf", [])):
        if "properties" in choice:
            yield choice, ""
        elif "properties" in choice.get("items", {}):
            yield choice["items"], "[]"


class SchemaTable(Directive):
    """A schema's own description, a link to its file, and a table of its fields."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        (name,) = self.arguments
        schema = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
        lines = [
            f"{schema['description']} Schema: [`{name}.json`](schemas/{name}.json)",
            "",
            "| field | value | meaning |",
            "|---|---|---|",
            *(f"| `{path}` | {allowed} | {meaning} |" for path, allowed, meaning in rows(schema)),
        ]
        holder = nodes.container()
        self.state.nested_parse(StringList(lines, f"schema {name}"), self.content_offset, holder)
        return holder.children


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("schema-table", SchemaTable)
    return {"parallel_read_safe": True}
