"""Independent oracles that the tests hold plansolve against; nothing here uses its engines."""
