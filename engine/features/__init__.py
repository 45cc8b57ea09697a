"""TODO engine/features."""
