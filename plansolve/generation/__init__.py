"""New boards: random ones, scrambles, and boards whose shortest plan has a wanted length."""

from plansolve.generation.instance_set_writer import write_instance_set
from plansolve.generation.predecessors import Predecessors
from plansolve.generation.random_boards import BoardSampler
from plansolve.generation.randomness import Randomness
from plansolve.generation.wanted_length import GaveUp, Step, boards_of_length

__all__ = [
    "BoardSampler",
    "GaveUp",
    "Predecessors",
    "Randomness",
    "Step",
    "boards_of_length",
    "write_instance_set",
]
