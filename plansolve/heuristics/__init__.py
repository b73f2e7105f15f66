"""Lower bounds on the length of a plan, each declaring what it guarantees."""
