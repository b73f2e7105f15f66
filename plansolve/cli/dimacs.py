"""The formula of one horizon on the command line: the options, and the encoding they name."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from plansolve.cli.values import names
from plansolve.encoders.builder import Decoder
from plansolve.encoders.cnf import CnfBuilder
from plansolve.encoders.registry import choose_encoding, choose_lemmas
from plansolve.model.problem import Problem

__all__ = ["LARGEST_HORIZON", "encode", "horizon_options"]

LARGEST_HORIZON = 10_000

Command = TypeVar("Command", bound=Callable[..., Any])


def horizon_options(command: Command) -> Command:
    """Adds --horizon, --encoding and --lemmas."""
    for decorate in (
        click.option(
            "--lemmas",
            type=names,
            metavar="LIST",
            help="Lemmas, separated by commas; `none` for the plain encoding.",
        ),
        click.option(
            "--encoding",
            metavar="NAME",
            help="The encoding; by default chosen by the puzzle's structure.",
        ),
        click.option(
            "--horizon",
            type=click.IntRange(0, LARGEST_HORIZON),
            required=True,
            metavar="T",
            help="The number of moves.",
        ),
    ):
        command = decorate(command)
    return command


def encode(
    problem: Problem, horizon: int, encoding: str | None, lemmas: tuple[str, ...] | None
) -> tuple[CnfBuilder, Decoder, str]:
    """The formula, the decoder of its models, and the names of the encoding and its lemmas."""
    chosen = choose_encoding(problem.structure, encoding)
    names = choose_lemmas(chosen, lemmas)
    builder = CnfBuilder()
    decode = chosen.prepare(problem, names).encode(builder, horizon)
    return builder, decode, f"{chosen.name} ({', '.join(sorted(names)) or 'plain'})"
