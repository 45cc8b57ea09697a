"""TODO engine/decision."""
