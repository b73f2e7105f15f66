"""Programs on top of the library; nothing of the core imports them."""
