"""TODO mobile_api/gallery."""
