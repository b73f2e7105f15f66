"""plansolve puzzles: the puzzles that can be named, their parameters, goals and file formats."""

from json import dumps

import click

from plansolve.formats import FORMATS
from plansolve.puzzles.registry import FAMILIES, LARGEST_SIDE

__all__ = ["command"]


@click.command("puzzles")
@click.option("--json", is_flag=True, help="Print one JSON object.")
def command(json: bool) -> None:
    """List the puzzles, their parameters and goals, and the file formats.

    A puzzle with parameters is named like `torus-ring:rings=none,rows=LRLR`.
    """
    if json:
        click.echo(
            dumps(
                {
                    "schema": "plansolve.puzzles/1",
                    "puzzles": [
                        {
                            "name": family.name,
                            "summary": family.summary,
                            "moves": family.moves,
                            "goals": list(family.goals),
                            "parameters": dict(family.parameters),
                        }
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
