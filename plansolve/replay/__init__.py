"""Plans to watch and to play: in the terminal, as pictures, and as a self-contained page."""
