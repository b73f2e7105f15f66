"""Instance sets and new boards: random ones, scrambles, and boards of a wanted length."""

from plansolve.instances.instance_set import write_instance_set
from plansolve.instances.predecessors import Predecessors
from plansolve.instances.random_boards import BoardSampler
from plansolve.instances.randomness import Randomness
from plansolve.instances.wanted_length import boards_of_length

__all__ = ["BoardSampler", "Predecessors", "Randomness", "boards_of_length", "write_instance_set"]
