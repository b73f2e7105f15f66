"""Work units: what a proof is made of, and who works on them: threads, processes, a cluster."""
