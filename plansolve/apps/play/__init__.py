"""Playing a board by hand: the game, its hints, and what is typed."""
