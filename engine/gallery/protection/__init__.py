"""TODO engine/gallery/protection."""
