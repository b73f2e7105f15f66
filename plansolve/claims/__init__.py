"""Claims and their proofs: plans verified, certificates made and checked."""
