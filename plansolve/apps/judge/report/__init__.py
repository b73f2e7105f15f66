"""A judgement for people and for machines: terminal, JSON and CSV, and an HTML page."""
