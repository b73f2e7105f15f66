"""Child processes that stay: started, given work, told to stop, and ended."""
