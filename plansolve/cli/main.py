"""The command `plansolve`: finds the subcommand, and turns every failure into one clear line."""

import os
import signal
import sys
from collections.abc import Mapping
from functools import partial
from importlib import import_module
from types import FrameType, MappingProxyType
from typing import TYPE_CHECKING, NoReturn

import click
from click.core import ParameterSource

from plansolve.errors import OptionError
from plansolve.program import exit_code_of

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from plansolve.solvers.processes.workers import Workers

# The line of each command in --help. Its module has its name, and is imported when it is used.
_COMMANDS: Mapping[str, str] = MappingProxyType(
    {
        "solve": "Find a plan; with --optimal a provably shortest one.",
        "batch": "Solve many boards; resumable with a store.",
        "report": "Tables, a page and a comparison of such stores.",
        "verify": "Check a plan: legal, reaches the goal, optimal?",
        "certify": "Write a plan and a proof that none is shorter.",
        "check": "Check such a certificate, trusting no solver.",
        "judge": "Run other people's solvers over boards and score them.",
        "replay": "Show a plan: a page, pictures, or in the terminal.",
        "web": "Serve a page to type boards in, solve them and watch.",
        "generate": "Make boards: random, scrambled, of a given length.",
        "convert": "Write a board or a plan in another form.",
        "puzzles": "List the puzzles, their parameters and formats.",
        "warm-up": "Compile and build beforehand what first searches would wait for.",
        "tables": "List, build, verify and clear pattern databases.",
        "engines": "List engines, back ends, encodings and lemmas.",
        "encode": "Write the DIMACS formula of one horizon.",
        "decode": "Turn a SAT solver's model back into a plan.",
    }
)
_MODULES = {
    "puzzles": "lists",
    "engines": "lists",
    "warm-up": "tables",
    "encode": "dimacs",
    "decode": "dimacs",
}
"""The modules of commands that share one."""


class _Commands(click.Group):
    """Imports commands when they are used; a first word that names none is a board for `solve`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        module = import_module(f"plansolve.cli.{_MODULES.get(cmd_name, cmd_name)}")
        name = cmd_name.replace("-", "_") if cmd_name in _MODULES else "command"
        command: click.Command = getattr(module, name)
        return command

    def shell_complete(self, ctx: click.Context, incomplete: str) -> "list[CompletionItem]":
        """Return the commands, and that a file may stand there too."""
        from click.shell_completion import CompletionItem

        return [CompletionItem(incomplete, type="file"), *super().shell_complete(ctx, incomplete)]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        own_options = {"--help", "-h", "--version"}
        if args and args[0] not in _COMMANDS and args[0] not in own_options:
            _refuse_misspelling(args[0])
            args = ["solve", *args]
        return super().parse_args(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        # Click would import every command for its summary.
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))


def _refuse_misspelling(word: str) -> None:
    """Raise `UsageError` for what is nearly the name of a command, and no file or option."""
    if word.startswith("-") or os.path.exists(word):
        return
    from difflib import get_close_matches

    if close := get_close_matches(word, _COMMANDS, n=1, cutoff=0.75):
        raise click.UsageError(f"there is no file or command {word!r}: did you mean {close[0]}?")


def _version(ctx: click.Context, parameter: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        from importlib.metadata import version

        click.echo(f"plansolve {version('plansolve')}")
        ctx.exit()


@click.group(
    cls=_Commands,
    invoke_without_command=True,
    context_settings={
        "help_option_names": ["-h", "--help"],
        "auto_envvar_prefix": "PLANSOLVE",
        "max_content_width": 100,
    },
    epilog="`plansolve FILE` is short for `plansolve solve FILE`, and - stands for standard input; "
    "`plansolve solve --help` lists its options.",
)
@click.option(
    "--version",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_version,
    help="Show the version and exit.",
)
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Find provably shortest plans for tile puzzles."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def main(workers: "Workers | None" = None) -> NoReturn:
    """Run the command line, and exit with the code that `exit_codes` gives.

    A board to solve is solved by the workers, where some have been started.
    """
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _interrupt)
    code = exit_code_of(partial(_run, workers), "plansolve: ")
    if workers is not None:
        workers.end()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        # A second signal must not kill a process that is about to end with its code.
        signal.signal(number, signal.SIG_IGN)
    sys.exit(code)


def _interrupt(number: int, frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt


def _run(workers: "Workers | None") -> int | None:
    """Run the command; raise errors of this package where click raises its own."""
    try:
        code = cli.main(prog_name="plansolve", standalone_mode=False, obj=workers)
    except SystemExit as ended:
        if not ended.code:
            return None  # what a shell asked for, to complete commands
        # Click's own answer to a reader that has had enough while there was more to write.
        raise BrokenPipeError from None
    except click.ClickException as error:
        raise OptionError(_one_line(error)) from None
    except OptionError as error:
        if variable := _variable_named(str(error)):
            raise OptionError(f"{error} (it comes from the variable {variable})") from None
        raise
    except click.Abort:
        raise KeyboardInterrupt from None
    return code if isinstance(code, int) else None


def _one_line(error: click.ClickException) -> str:
    """Return click's own message, and where to look for what would be right."""
    if isinstance(error, click.BadParameter) and (variable := _variable_of(error)):
        error.param_hint = f"the variable {variable}"
    message = " ".join(error.format_message().split()).rstrip(".")
    if isinstance(error, click.MissingParameter) and "'FILE'" in message:
        message += ": give its name, or - for standard input"
    context = getattr(error, "ctx", None)
    return f"{message}; see `{context.command_path} --help`" if context else message


def _variable_named(message: str) -> str:
    """Return the environment variable whose value a message quotes; empty where there is none."""
    return next(
        (
            name
            for name, value in os.environ.items()
            if name.startswith("PLANSOLVE_") and value and repr(value) in message
        ),
        "",
    )


def _variable_of(error: click.BadParameter) -> str:
    """Return the environment variable that held the wrong value; empty where it was none."""
    context, parameter = error.ctx, error.param
    if context is None or parameter is None or parameter.name is None:
        return ""
    if context.get_parameter_source(parameter.name) != ParameterSource.ENVIRONMENT:
        return ""
    return f"{context.auto_envvar_prefix}_{parameter.name.upper()}"
