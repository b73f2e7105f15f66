"""Lower bounds on the length of plans, and the promises that each declares."""
