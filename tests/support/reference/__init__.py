"""Slow and plain second implementations that tests compare the package with.

They import the model at the most, and one another: nothing that they are compared with.
"""
