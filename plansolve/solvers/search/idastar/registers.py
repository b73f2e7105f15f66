"""What an IDA* kernel and its caller tell each other, by place in an array of int64."""

__all__ = [
    "COUNTING",
    "DEEPEST",
    "DEPTH",
    "EXHAUSTED",
    "EXPANDED",
    "FLOOR",
    "FOUND",
    "LEAF",
    "LEAF_REACHED",
    "LIMIT",
    "MOST_PENALTY",
    "NEXT_LIMIT",
    "NODES",
    "NO_LEAF",
    "NO_LIMIT",
    "PAUSED",
    "PLANS",
    "REGISTERS",
]

DEPTH, FLOOR, LEAF, LIMIT, NEXT_LIMIT, MOST_PENALTY, COUNTING = range(7)
"""The depth of the current node, that of the root of the subtree, and that from which the search
does not go on; the f-limit, and the least f above it that was met; the penalty that a path may
have; whether goals are only counted."""
NODES, EXPANDED, PLANS, DEEPEST = range(7, 11)
"""What the search has done: the nodes that it entered, and those whose children it generated (0
where a kernel does not count them); the goals that it counted; the largest depth of a node."""
REGISTERS = 11

PAUSED, EXHAUSTED, FOUND, LEAF_REACHED = range(4)
"""Why a slice ended: its nodes are done; nothing is left within the f-limit; the current path ends
in the goal, or at the depth LEAF. The search goes on after either of them."""

NO_LIMIT = 1 << 40
"""NEXT_LIMIT where no f was beyond it."""
NO_LEAF = 1 << 40
"""LEAF where the search goes down to the end."""
