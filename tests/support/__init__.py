"""Three shelves that tests share: reference implementations, fixtures, hostile input."""
