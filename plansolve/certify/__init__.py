"""The prover's side: writes certificates."""
