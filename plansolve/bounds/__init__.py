"""Lower bounds on the length of plans, each declaring what it promises."""
