"""Compare templates by every method, on all cores."""
