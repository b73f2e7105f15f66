"""Check certificates of optimality, and trust no solver."""
