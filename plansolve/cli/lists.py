"""plansolve puzzles and engines: what there is, by name."""

import sys
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from json import dumps
from typing import Any

import click

from plansolve.cli import options
from plansolve.formats import FORMATS
from plansolve.model.structure import PuzzleKind
from plansolve.puzzles.family import LARGEST_SIDE
from plansolve.puzzles.registry import FAMILIES


@click.command("puzzles")
@options.json
def puzzles(json: bool) -> None:
    """List the puzzles, their parameters and goals, and the file formats.

    A puzzle with parameters is named like `torus-ring:rings=none,rows=LRLR`.
    """
    if json:
        click.echo(
            dumps(
                {
                    "schema": "plansolve.puzzles/1",
                    "puzzles": [
                        _fields(family, "name", "summary", "moves")
                        | {"goals": list(family.goals), "parameters": dict(family.parameters)}
                        for family in FAMILIES.values()
                    ],
                    "formats": {name: known.summary for name, known in FORMATS.items()},
                }
            )
        )
        return
    for family in FAMILIES.values():
        click.echo(f"{family.name}: {family.summary}")
        rows = {"moves": family.moves, "goals": ", ".join(family.goals), **family.parameters}
        width = max(map(len, rows))
        for key, values in rows.items():
            click.echo(f"  {key:<{width}} {values}")
    click.echo(f"Boards go from 1x2 to {LARGEST_SIDE}x{LARGEST_SIDE}. File formats:")
    for name, known in FORMATS.items():
        click.echo(f"  {name:<10} {known.summary}")


@click.command("engines")
@options.json
def engines(json: bool) -> None:
    """List engines and back ends with versions, encodings and lemmas."""
    document = _engines()
    if json:
        click.echo(dumps(document))
        return
    click.echo("Engines, and what they work on; auto chooses among them by the board")
    for engine in document["engines"]:
        needs = " or ".join(engine["needs"])
        click.echo(f"  {engine['name']:<14} {engine['summary']} ({needs})")
    click.echo("Back ends of cnf and cp-sat (DRUP: can write a proof of what it refutes)")
    for backend in document["backends"]:
        found = backend["version"] or "not installed"
        proof = "DRUP" if backend["proof"] else "-"
        click.echo(
            f"  {backend['engine']:<7} {backend['name']:<12} {backend['package']} {found:<12} "
            f"{proof:<5} {backend['note']}".rstrip()
        )
    click.echo("Bounds that astar and idastar take with --bound")
    for bound in document["bounds"]:
        promises = [word for word in ("admissible", "consistent") if bound[word]]
        click.echo(f"  {bound['name']:<22} {', '.join(promises)} ({bound['needs']})")
    click.echo("Encodings, by what they need; the first that fits is taken")
    for encoding in document["encodings"]:
        click.echo(f"  {encoding['name']:<12} {encoding['needs']}")
        click.echo(f"    lemmas: {', '.join(encoding['lemmas'])}")
    click.echo("Lemmas, and which plans they keep")
    for lemma in document["lemmas"]:
        click.echo(f"  {lemma['name']:<16} {lemma['keeps']}: {lemma['argument']}")


def _engines() -> dict[str, Any]:
    # A list of puzzles needs none of it.
    from plansolve.bounds.registry import BOUNDS
    from plansolve.encoders.lemmas.registry import LEMMAS
    from plansolve.encoders.registry import ENCODINGS
    from plansolve.solvers.engine.registry import ENGINES
    from plansolve.solvers.formula.backends import BACKENDS

    return {
        "schema": "plansolve.engines/1",
        "engines": [
            _fields(engine, "name", "proves", "summary") | {"needs": _needs(engine.searches)}
            for engine in ENGINES.values()
        ],
        "backends": [
            _fields(backend, "name", "engine", "package", "proof", "note")
            | {"version": _version(backend.package)}
            for backend in BACKENDS.values()
        ],
        "encodings": [
            _fields(encoding, "name", "needs")
            | {
                "lemmas": sorted(encoding.lemmas),
                "default": sorted(encoding.default()),
                "large_default": sorted(encoding.default(sys.maxsize) - encoding.default()),
                "cpsat_default": sorted(encoding.default(0, "cp-sat")),
                "cpsat_large_default": sorted(
                    encoding.default(sys.maxsize, "cp-sat") - encoding.default(0, "cp-sat")
                ),
            }
            for encoding in ENCODINGS.values()
        ],
        "bounds": [
            _fields(bound, "name", "needs", "admissible", "consistent") for bound in BOUNDS.values()
        ],
        "lemmas": [_fields(lemma, "name", "keeps", "argument") for lemma in LEMMAS.values()],
    }


def _fields(thing: object, *names: str) -> dict[str, Any]:
    return {name: getattr(thing, name) for name in names}


def _needs(kinds: Mapping[PuzzleKind, object]) -> list[PuzzleKind]:
    """Return the kinds of puzzle that an engine works on; any, without those that it prefers."""
    return [PuzzleKind.ANY] if PuzzleKind.ANY in kinds else sorted(kinds)


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
