"""TODO engine/networks."""
