"""Pattern databases: which patterns, how they are built, verified and kept."""
