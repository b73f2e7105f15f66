"""What was found out, kept in one SQLite file: attempts at boards, and finished units of proofs."""
