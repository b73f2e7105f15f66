"""What a store has, for people and programs: rows, figures, comparison, a page."""
