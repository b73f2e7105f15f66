"""plansolve engines: what can solve and prove, and what each part can do."""

from importlib.metadata import PackageNotFoundError, version
from json import dumps
from typing import Any

import click

from plansolve.bounds.registry import BOUNDS
from plansolve.encoders.lemmas.registry import LEMMAS
from plansolve.encoders.registry import ENCODINGS
from plansolve.model.structure import PuzzleKind
from plansolve.solvers.engine.registry import ENGINES, Engine
from plansolve.solvers.formula.backends import BACKENDS

__all__ = ["command"]


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _needs(engine: Engine) -> list[PuzzleKind]:
    """Return the kinds of puzzle that an engine works on; any, without those that it prefers."""
    return [PuzzleKind.ANY] if PuzzleKind.ANY in engine.searches else sorted(engine.searches)


def _document() -> dict[str, Any]:
    return {
        "schema": "plansolve.engines/1",
        "engines": [
            {
                "name": engine.name,
                "proves": engine.proves,
                "needs": _needs(engine),
                "summary": engine.summary,
            }
            for engine in ENGINES.values()
        ],
        "backends": [
            {
                "name": backend.name,
                "engine": backend.engine,
                "package": backend.package,
                "version": _version(backend.package),
                "proof": backend.proof,
                "note": backend.note,
            }
            for backend in BACKENDS.values()
        ],
        "encodings": [
            {
                "name": encoding.name,
                "needs": encoding.needs,
                "lemmas": sorted(encoding.lemmas),
                "default": sorted(encoding.default),
                "large_default": sorted(encoding.large_default),
                "cpsat_default": sorted(encoding.cpsat_default),
                "cpsat_large_default": sorted(encoding.cpsat_large_default),
            }
            for encoding in ENCODINGS.values()
        ],
        "bounds": [
            {
                "name": bound.name,
                "needs": bound.needs,
                "admissible": bound.admissible,
                "consistent": bound.consistent,
            }
            for bound in BOUNDS.values()
        ],
        "lemmas": [
            {"name": lemma.name, "keeps": lemma.keeps, "argument": lemma.argument}
            for lemma in LEMMAS.values()
        ],
    }


@click.command("engines")
@click.option("--json", is_flag=True, help="Print one JSON object.")
def command(json: bool) -> None:
    """List engines and back ends with versions, encodings and lemmas."""
    document = _document()
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
