"""Searches over states: one technique a module."""
