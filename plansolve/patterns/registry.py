"""Build the tables that fit a problem into the store."""

import os

from plansolve.errors import OptionError
from plansolve.model.problem import Problem
from plansolve.model.puzzle import WORD_CELLS
from plansolve.patterns.additive import goal_sets
from plansolve.patterns.choose import ReachChooser, permutation_chooser
from plansolve.patterns.partition import table_choice
from plansolve.patterns.placement_rules import placement_rules
from plansolve.storage.store import Store, Tell
from plansolve.text import counted


def build_for(problem: Problem, size: int | None, store: Store, tell: Tell) -> None:
    """Put the tables of a problem's goal into the store, of the first kind that fits.

    Patterns have at most `size` tiles, or the default for None. Raise `OptionError` where no kind
    fits, or nothing can move.
    """
    puzzle, threads = problem.puzzle, os.cpu_count() or 1
    if not puzzle.operators:
        raise OptionError(f"no tables: {puzzle.name} has no moves")
    if problem.structure.blank_graph is not None:
        goal_sets(problem, size=size, store=store, tell=tell)
    elif problem.structure.is_free:
        chooser = permutation_chooser(puzzle)
        reached = chooser.built(store) if size is None else size
        chooser.lookups(reached, store=store, tell=tell, threads=threads)
        if size is not None:
            ReachChooser(chooser).lookups(size, store=store, tell=tell, threads=threads)
    elif puzzle.cells > WORD_CELLS:
        raise OptionError(f"there are no pattern databases for puzzles like {puzzle.name}")
    elif (rules := placement_rules(puzzle)) is None:
        raise OptionError("no tables: the goal places no piece")
    else:
        choice = table_choice(puzzle, rules)
        chosen = choice.usual if size is None else size
        if not choice.patterns(chosen):
            raise OptionError(
                f"no tables of {counted(chosen, 'piece')}: all those of one kind take more, try "
                f"{choice.usual}"
            )
        choice.lookups(chosen, store=store, tell=tell, threads=threads)
