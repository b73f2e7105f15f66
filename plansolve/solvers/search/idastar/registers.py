"""What an IDA* kernel and its caller tell each other, by place in an array of int64."""

__all__ = [
    "BOUND",
    "COUNTING",
    "DEEPEST",
    "DEPTH",
    "EXHAUSTED",
    "EXPANDED",
    "FLOOR",
    "FOUND",
    "LEAF",
    "LEAF_REACHED",
    "MOST_PENALTY",
    "NEXT_BOUND",
    "NODES",
    "NO_BOUND",
    "NO_LEAF",
    "PAUSED",
    "PLANS",
    "REGISTERS",
]

DEPTH, FLOOR, LEAF, BOUND, NEXT_BOUND, MOST_PENALTY, COUNTING = range(7)
"""The depth of the current node, that of the root of the subtree, and that from which the search
does not go on; the bound, and the least f above it that was met; the penalty that a path may have;
whether goals are only counted."""
NODES, EXPANDED, PLANS, DEEPEST = range(7, 11)
"""What the search has done: the nodes that it entered, and those whose children it generated (0
where a kernel does not count them); the goals that it counted; the largest depth of a node."""
REGISTERS = 11

PAUSED, EXHAUSTED, FOUND, LEAF_REACHED = range(4)
"""Why a slice ended: its nodes are done; nothing is left within the bound; the current path ends in
the goal, or at the depth LEAF. The search goes on after either of them."""

NO_BOUND = 1 << 40
"""NEXT_BOUND where nothing was cut off."""
NO_LEAF = 1 << 40
"""LEAF where the search goes down to the end."""
