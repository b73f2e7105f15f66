"""Drop-ins for well-known programs, under their names and signatures, thin on the engines."""
