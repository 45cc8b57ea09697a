"""TODO engine/hand."""
