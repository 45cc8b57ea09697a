"""TODO mobile_api/recognition."""
