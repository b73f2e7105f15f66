"""Drop-in replacements for well-known programs, with their names and signatures."""
