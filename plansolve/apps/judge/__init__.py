"""A referee for other people's solver programs: runs them in a cage, and scores their plans."""
