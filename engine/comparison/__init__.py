"""TODO engine/comparison."""
