"""Instance sets: many boards at once, with what is known about them."""
