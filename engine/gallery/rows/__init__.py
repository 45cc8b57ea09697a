"""TODO engine/gallery/rows."""
