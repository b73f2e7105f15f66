"""Instance sets and new boards: random ones, scrambles, and boards of a wanted length."""
