"""Tile puzzles as planners and twsearch read them, and the plans that these write."""

import re

from plansolve.model.problem import Problem
from plansolve.model.puzzle import Operator, Plan, Puzzle

__all__ = ["pddl", "plan_of_planner", "plan_of_twsearch", "tws"]

_TILES = """\
(define (domain tiles)
  (:requirements :strips :typing)
  (:types tile cell)
  (:predicates (at ?t - tile ?c - cell) (blank ?c - cell) (link ?from - cell ?to - cell))
  (:action move
    :parameters (?t - tile ?from - cell ?to - cell)
    :precondition (and (at ?t ?from) (blank ?to) (link ?from ?to))
    :effect (and (at ?t ?to) (blank ?from) (not (at ?t ?from)) (not (blank ?to)))))
"""


def pddl(problem: Problem) -> tuple[str, str]:
    """Return domain and problem in PDDL: STRIPS where a blank moves, else conditional effects."""
    puzzle, graph = problem.puzzle, problem.structure.blank_graph
    objects = [f"t{tile} - tile" for tile in puzzle.tiles]
    facts = [f"(at t{tile} c{cell})" for cell, tile in enumerate(problem.start) if tile]
    goal = [f"(at t{tile} c{cell})" for cell, tile in enumerate(problem.goal) if tile]
    if graph is None:
        domain = _turns(puzzle)
    else:
        domain = _TILES
        objects += [f"c{cell} - cell" for cell in range(puzzle.cells)]
        facts.append(f"(blank c{problem.start.index(0)})")
        facts += [
            f"(link c{tile} c{blank})"
            for blank, neighbours in enumerate(graph.names)
            for tile in neighbours
        ]
    text = (
        f"(define (problem board) (:domain tiles)\n(:objects {' '.join(objects)})\n"
        f"(:init {' '.join(facts)})\n(:goal (and {' '.join(goal)})))\n"
    )
    return domain, text


def _turns(puzzle: Puzzle) -> str:
    actions = "".join(
        f"  (:action {operator.name.lower()} :parameters () :precondition ()\n"
        f"    :effect (and {' '.join(_carried(operator))}))\n"
        for operator in puzzle.operators
    )
    cells = " ".join(f"c{cell}" for cell in range(puzzle.cells))
    return (
        "(define (domain tiles)\n"
        "  (:requirements :adl :typing :conditional-effects)\n  (:types tile cell)\n"
        f"  (:constants {cells} - cell)\n  (:predicates (at ?t - tile ?c - cell))\n{actions})\n"
    )


def _carried(operator: Operator) -> list[str]:
    return [
        f"(forall (?t - tile) (when (at ?t c{source})"
        f" (and (at ?t c{cell}) (not (at ?t c{source})))))"
        for cell, source in operator.moves
    ]


def plan_of_planner(text: str, problem: Problem) -> Plan:
    """Return the plan that a planner has written, one action in brackets a line."""
    graph = problem.structure.blank_graph
    names = {operator.name.lower(): operator.name for operator in problem.puzzle.operators}
    plan = []
    for action in re.findall(r"^\(([^)]*)\)", text, re.MULTILINE):
        words = action.lower().split()
        if graph is None:
            plan.append(names[words[0]])
        else:
            source, blank = (int(word[1:]) for word in words[2:])
            plan.append(graph.names[blank][source])
    return tuple(plan)


def tws(problem: Problem) -> tuple[str, str]:
    """Return the definition and the scramble of a puzzle without a blank; inverses are implied."""
    puzzle, cells = problem.puzzle, problem.puzzle.cells

    def block(head: str, row: list[int]) -> str:
        return f"{head}\nTILE\n{' '.join(map(str, row))}\nEnd\n"

    definition = f"Name board\nSet TILE {cells} 1\n" + block("Solved", [*range(1, cells + 1)])
    for operator in _turned_one_way(puzzle):
        sources = dict(operator.moves)
        row = [sources.get(cell, cell) + 1 for cell in range(cells)]
        definition += block(f"Move {operator.name}", row)
    number = {tile: cell + 1 for cell, tile in enumerate(problem.goal)}
    return definition, block("Scramble board", [number[tile] for tile in problem.start])


def plan_of_twsearch(text: str, problem: Problem) -> Plan | None:
    """Return the plan on the last line that consists of moves; None without one."""
    puzzle = problem.puzzle
    names = {}
    for operator in _turned_one_way(puzzle):
        names[operator.name] = operator.name
        back = _inverse(operator)
        names[f"{operator.name}'"] = next(
            other.name for other in puzzle.operators if {*other.moves} == back
        )
    plans = [line.split() for line in text.splitlines() if line.startswith(" ")]
    found = [tuple(map(names.get, words)) for words in plans if {*words} <= names.keys()]
    return tuple(name for name in found[-1] if name) if found else None


def _inverse(operator: Operator) -> set[tuple[int, int]]:
    return {(source, cell) for cell, source in operator.moves}


def _turned_one_way(puzzle: Puzzle) -> list[Operator]:
    """Return the operators of which no inverse stands before them."""
    kept: list[Operator] = []
    for operator in puzzle.operators:
        if not any({*other.moves} == _inverse(operator) for other in kept):
            kept.append(operator)
    return kept
