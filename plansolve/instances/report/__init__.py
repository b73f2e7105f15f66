"""Reports on a store: its contents, tables of them, a page, a comparison with another store."""
