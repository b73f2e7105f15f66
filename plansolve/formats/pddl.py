"""Problems for planners in PDDL (McDermott and others, 1998), and the plans that planners write.

    (:action o7-u :parameters (?a - kind)
     :precondition (and (at k0 c2) (at ?a c5))
     :effect (and (not (at k0 c2)) (at ?a c2) (not (at ?a c5)) (at k0 c5)))

There is one action for each operator; its name begins with the operator's number. Its parameters
are the pieces in the cells that it changes if these are few; otherwise it has conditional effects,
which not all planners support. The cells are c0, c1, ..., and the kinds of pieces k0, the gap, k1,
...
"""

import re
from collections.abc import Iterator

from plansolve.errors import PlanError
from plansolve.model.problem import Problem
from plansolve.model.puzzle import OPEN, Operator, Plan, Puzzle

_MOST_PARAMETERS = 3
_NO_NAME = re.compile(r"[^a-z0-9]+")
_ACTION = re.compile(r"\(\s*o([0-9]{1,9})(?:-[^\s()]*)?(?:\s+[^\s()]+)*\s*\)", re.IGNORECASE)
_NO_COST = re.compile(r"\s*;\s*cost\s*=\s*0\b")
"""The empty plan as planners write it, for a task whose goal already holds."""


def pddl_of(problem: Problem) -> tuple[str, str]:
    """Return the texts of a domain and a problem for planners."""
    puzzle = problem.puzzle
    name = _NO_NAME.sub("-", puzzle.name.lower()).strip("-") or "puzzle"
    actions = [_action(number, operator) for number, operator in enumerate(puzzle.operators)]
    has_conditions = any("forall" in action for action in actions)
    domain = (
        f"(define (domain d-{name})",
        f" (:requirements :strips :typing{' :conditional-effects' * has_conditions})",
        " (:types cell kind)",
        f" (:constants {' '.join(f'c{cell}' for cell in range(puzzle.cells))} - cell",
        f"             {' '.join(f'k{kind}' for kind in puzzle.kinds)} - kind)",
        " (:predicates (at ?k - kind ?c - cell))",
        *actions,
        ")\n",
    )
    goal = ((cell, kind) for cell, kind in enumerate(puzzle.goal) if kind != OPEN)
    task = (
        f"(define (problem p-{name})",
        f" (:domain d-{name})",
        f" (:init {' '.join(f'(at k{kind} c{cell})' for cell, kind in enumerate(problem.start))})",
        f" (:goal (and {' '.join(f'(at k{kind} c{cell})' for cell, kind in goal)}))",
        ")\n",
    )
    return "\n".join(domain), "\n".join(task)


def read_pddl_plan(text: str, puzzle: Puzzle) -> Plan | None:
    """Return the plan that a planner wrote for a problem of `pddl_of`; None for other texts.

    Raise `PlanError` for an action whose number no operator has.
    """
    lines = [line.partition(";")[0].strip() for line in text.split("\n")]
    matches = [_ACTION.fullmatch(line) for line in lines if line]
    if not matches and _NO_COST.match(text):
        return ()
    found = [int(match[1]) for match in matches if match is not None]
    if not matches or len(found) < len(matches):
        return None
    for step, number in enumerate(found, start=1):
        if number >= len(puzzle.operators):
            raise PlanError(f"step {step}: {puzzle.short_name} has no action o{number}")
    return tuple(puzzle.operators[number].name for number in found)


def _action(number: int, operator: Operator) -> str:
    """Return one action, with the letters of the move in its name."""
    name = f"o{number}-{_NO_NAME.sub('-', operator.name.lower()).strip('-')}".rstrip("-")
    known = dict(operator.needs)
    tiles = [source for _, source in operator.moves if source not in known]
    needs = [f"(at k{kind} c{cell})" for cell, kind in operator.needs]
    if len(tiles) > _MOST_PARAMETERS:
        effects = list(_conditional_effects(operator))
        parameters = ""
    else:
        kind = {cell: f"?{chr(ord('a') + place)}" for place, cell in enumerate(tiles)}
        parameters = " ".join(f"{letter} - kind" for letter in kind.values())
        needs += [f"(at {letter} c{cell})" for cell, letter in kind.items()]
        kind |= {cell: f"k{there}" for cell, there in known.items()}
        # A planner deletes first, so a fact that is also added stays.
        effects = [f"(not (at {kind[cell]} c{cell}))" for cell, _ in operator.moves]
        effects += [f"(at {kind[source]} c{cell})" for cell, source in operator.moves]
    return (
        f" (:action {name} :parameters ({parameters})\n"
        f"  :precondition (and {' '.join(needs)})\n"
        f"  :effect (and {' '.join(effects)}))"
    )


def _conditional_effects(operator: Operator) -> Iterator[str]:
    for cell, source in operator.moves:
        yield f"(forall (?k - kind) (when (at ?k c{cell}) (not (at ?k c{cell}))))"
        yield f"(forall (?k - kind) (when (at ?k c{source}) (at ?k c{cell})))"
