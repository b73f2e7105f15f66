"""A page on this machine: type a board, watch the bounds meet, watch the plan."""
