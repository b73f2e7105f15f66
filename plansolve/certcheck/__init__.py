"""Optimality certificates, and their check, which trusts no solver."""
