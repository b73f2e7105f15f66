"""Words that people read in many places."""

__all__ = ["counted"]


def counted(count: int, noun: str) -> str:
    """1 move, 2 moves; for nouns that only take an s."""
    return f"{count} {noun}{'s' * (count != 1)}"
