"""plansolve list: the engines, puzzles, formats and goals, by name."""

from importlib.metadata import version

import click

from plansolve.formats import FORMATS
from plansolve.formats.forms import FORMS
from plansolve.puzzles.family import LARGEST_SIDE
from plansolve.puzzles.registry import FAMILIES, make_puzzle


@click.group("list", invoke_without_command=True)
@click.pass_context
def command(context: click.Context) -> None:
    """List the names that other commands take."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


@command.command("puzzles")
def list_puzzles() -> None:
    """List the puzzles with their moves, goals and parameters.

    Parameters follow the name: `torus-ring:rings=none,rows=LRLR`.
    """
    for family in FAMILIES.values():
        click.echo(f"{family.name}: {family.summary}")
        rows = {"moves": family.moves, "goals": ", ".join(family.goals), **family.parameters}
        width = max(map(len, rows))
        for key, values in rows.items():
            click.echo(f"  {key:<{width}} {values}")
    click.echo(f"Boards may be 1x2 to {LARGEST_SIDE}x{LARGEST_SIDE}.")


@command.command("formats")
def list_formats() -> None:
    """List the board formats in the order of detection."""
    for name, known in FORMATS.items():
        click.echo(f"{name:<10}  {known.summary}")
    click.echo("\nYou may also write boards like this:")
    for form in FORMS:
        example = form.example.replace("\n", " ⏎ ")
        click.echo(f"  {form.name} ({form.writer}):\n    {example}")


@command.command("goals")
def list_goals() -> None:
    """List the goals of each puzzle, the default first."""
    for family in FAMILIES.values():
        click.echo(f"{family.name}:")
        for goal in family.goals:
            puzzle = make_puzzle(family.name, *family.default_size, goal=goal)
            click.echo(f"  {goal:<11}  {puzzle.line_text(puzzle.goal)}")


@command.command("engines")
def list_engines() -> None:
    """List engines, back ends, bounds, encodings and lemmas."""
    # The other lists need none of these modules.
    from plansolve.bounds.registry import BOUNDS
    from plansolve.encoders.lemmas.registry import LEMMAS
    from plansolve.encoders.registry import ENCODINGS
    from plansolve.solvers.engine.registry import ENGINES
    from plansolve.solvers.formula.backends import BACKENDS

    click.echo("Engines; auto chooses by the board")
    for engine in ENGINES.values():
        click.echo(f"  {engine.name:<14} {engine.summary}")
    click.echo("Back ends of cnf and cp-sat (DRUP: writes proofs)")
    for backend in BACKENDS.values():
        click.echo(
            f"  {backend.engine:<7} {backend.name:<12} {backend.package} "
            f"{version(backend.package):<12} {'DRUP' if backend.proof else '-':<5} "
            f"{backend.note}".rstrip()
        )
    click.echo("Bounds for --bound with astar and idastar")
    for bound in BOUNDS.values():
        promises = [word for word in ("admissible", "consistent") if getattr(bound, word)]
        click.echo(f"  {bound.name:<22} {', '.join(promises)} ({bound.needs})")
    click.echo("Encodings and their needs; the first that fits is used")
    for encoding in ENCODINGS.values():
        click.echo(f"  {encoding.name:<12} {encoding.needs}")
        click.echo(f"    lemmas: {', '.join(sorted(encoding.lemmas))}")
    click.echo("Lemmas and the plans they keep")
    for lemma in LEMMAS.values():
        click.echo(f"  {lemma.name:<19} {lemma.keeps}: {lemma.argument}")
