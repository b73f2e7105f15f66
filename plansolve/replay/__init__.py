"""Plans to look at and to play with: terminal, pictures, and a page that needs nothing else."""
