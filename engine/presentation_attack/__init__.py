"""TODO engine/presentation_attack."""
