"""The command `plansolve`: finds the subcommand, and turns every failure into one clear line."""

import os
import re
import sys
from collections.abc import Mapping
from functools import partial
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, NoReturn

import click
from click.core import ParameterSource

from plansolve.cli.files import is_piped
from plansolve.errors import OptionError
from plansolve.program import exit_code_of, ignore_signals, take_signals

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from plansolve.solvers.processes.workers import Workers

_GROUPS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "Everyday": {
            "solve": "Find a plan; with --optimal a provably shortest one.",
            "verify": "Check a plan: is it legal, does it reach the goal, is it shortest?",
            "replay": "Show a plan: as a page, as pictures, or in the terminal.",
            "web": "Serve a web page to enter boards, solve them and watch the plans.",
            "generate": "Make boards: random, scrambled, or of a given length.",
            "convert": "Write a board or a plan in another form.",
        },
        "Many boards": {
            "batch": "Solve many boards; a store lets you resume.",
            "report": "Turn the results in a store into tables or a page.",
            "judge": "Run other people's solvers on boards, and rank them.",
        },
        "Proofs": {
            "certify": "Write a plan and a proof that none is shorter.",
            "check": "Check the proof that certify wrote, without trusting a solver.",
        },
        "Expert": {
            "encode": "Write the DIMACS formula of one horizon.",
            "decode": "Turn a SAT solver's model back into a plan.",
            "tables": "Build, list, verify and clear pattern databases.",
            "list": "List engines, puzzles, formats or goals.",
        },
    }
)
"""The line of each command in --help. Its module has its name, and is imported when it is used."""

_COMMANDS = tuple(name for group in _GROUPS.values() for name in group)
_MODULES = {"encode": "dimacs", "decode": "dimacs", "list": "lists"}
"""The modules whose names differ from the command's."""
_FORMER = {
    "engines": "list engines",
    "play": "web",
    "puzzles": "list puzzles",
    "warm-up": "tables warm",
}
"""The commands that replaced former ones."""


class _Commands(click.Group):
    """Imports commands when they are used; a first word that names none is a board for `solve`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        module = import_module(f"plansolve.cli.{_MODULES.get(cmd_name, cmd_name)}")
        name = cmd_name if _MODULES.get(cmd_name) == "dimacs" else "command"
        command: click.Command = getattr(module, name)
        for option in command.params:
            # Some have another name in Python, such as every for --all.
            long = next((o for o in option.opts if o.startswith("--")), "")
            if long and option.name != (own := long[2:].replace("-", "_")):
                option.envvar = f"PLANSOLVE_{cmd_name}_{own}".upper()
        return command

    def shell_complete(self, ctx: click.Context, incomplete: str) -> "list[CompletionItem]":
        """Return the commands, and the completion for a file."""
        from click.shell_completion import CompletionItem

        return [CompletionItem(incomplete, type="file"), *super().shell_complete(ctx, incomplete)]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        own_options = {"--help", "-h", "--version"}
        if not args and is_piped():
            args = ["solve"]
        elif args and args[0] not in _COMMANDS and args[0] not in own_options:
            _refuse_other_command(args[0])
            args = ["solve", *args]
        return super().parse_args(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        # Click would import every command for its summary.
        width = max(map(len, _COMMANDS))
        for title, commands in _GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(f"{name:{width}}", line) for name, line in commands.items()])


def _refuse_other_command(word: str) -> None:
    """Raise `UsageError` for a former command or a misspelled one, unless it is a file."""
    if word.startswith("-") or os.path.exists(word):
        return
    if word in _FORMER:
        raise click.UsageError(f"`plansolve {word}` is now `plansolve {_FORMER[word]}`")
    from difflib import get_close_matches

    if close := get_close_matches(word, _COMMANDS, n=1, cutoff=0.75):
        raise click.UsageError(f"there is no file or command {word!r}: did you mean {close[0]}?")


@click.group(
    cls=_Commands,
    invoke_without_command=True,
    context_settings={
        "help_option_names": ["-h", "--help"],
        "auto_envvar_prefix": "PLANSOLVE",
        "max_content_width": 100,
    },
    epilog="`plansolve BOARD` is short for `plansolve solve BOARD`. BOARD is a file, - for "
    "standard input, or the board itself: `plansolve 867254301`.",
)
@click.version_option(package_name="plansolve", message="%(prog)s %(version)s")
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Find provably shortest plans for tile puzzles."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def main(workers: "Workers | None" = None) -> NoReturn:
    """Run the command line, perhaps with workers that were started, and exit with its code."""
    code = exit_code_of(partial(_run, workers), "plansolve: ")
    if workers is not None:
        workers.end()
    ignore_signals()
    sys.exit(code)


def _run(workers: "Workers | None") -> int | None:
    """Run the command; raise errors of this package instead of click's."""
    take_signals()
    try:
        code = cli.main(prog_name="plansolve", standalone_mode=False, obj=workers)
    except SystemExit as ended:
        if not ended.code:
            return None  # a shell's request to complete commands
        # How click ends if the reader of the output has gone.
        raise BrokenPipeError from None
    except click.ClickException as error:
        raise OptionError(_one_line(error)) from None
    except OptionError as error:
        if variable := _variable_named(str(error)):
            raise OptionError(f"{error} (from the environment variable {variable})") from None
        raise
    except click.Abort:
        raise KeyboardInterrupt from None
    return code if isinstance(code, int) else None


def _one_line(error: click.ClickException) -> str:
    """Return click's message, and the --help that says what would be right."""
    if isinstance(error, click.BadParameter) and (variable := _variable_of(error)):
        error.param_hint = f"the variable {variable}"
    message = " ".join(error.format_message().split()).rstrip(".")
    if re.search(r"extra arguments? \([\d /.]+\)", message):
        message += ": put a board in quotes"
    context = getattr(error, "ctx", None)
    return f"{message}; see `{context.command_path} --help`" if context else message


def _variable_named(message: str) -> str:
    """Return the environment variable whose value a message quotes; empty if there is none."""
    return next(
        (
            name
            for name, value in os.environ.items()
            if name.startswith("PLANSOLVE_") and value and repr(value) in message
        ),
        "",
    )


def _variable_of(error: click.BadParameter) -> str:
    """Return the environment variable that held the wrong value; empty if none did."""
    context, parameter = error.ctx, error.param
    if context is None or parameter is None or parameter.name is None:
        return ""
    if context.get_parameter_source(parameter.name) != ParameterSource.ENVIRONMENT:
        return ""
    return str(parameter.envvar or f"{context.auto_envvar_prefix}_{parameter.name.upper()}")
