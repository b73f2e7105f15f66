"""The inner loops of the searches, compiled: they know arrays alone, no grid and no puzzle."""
