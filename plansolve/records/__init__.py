"""One SQLite file of results: attempts at boards, and finished units of proofs."""
