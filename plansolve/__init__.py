"""plansolve finds provably shortest plans for tile puzzles."""
