"""TODO engine/gallery/search."""
