"""What the sceptic's kernels tell their callers."""

__all__ = ["BEGINNING", "DEPTH", "DONE", "GOAL", "LEAF", "NODES", "NUMBERS", "PAUSED"]

DONE, PAUSED, GOAL, LEAF = range(4)
"""Why a kernel has ended: nothing is left; it has entered as many boards as it was to; the current
path ends in the goal; it is as long as a path may get here. It goes on after each but the first."""

DEPTH, BEGINNING, NODES, NUMBERS = range(4)
"""The places of numbers: of moves that the current path has, and of those where the search began;
of boards that were entered; and how many places there are."""
