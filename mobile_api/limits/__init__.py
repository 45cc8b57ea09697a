"""TODO mobile_api/limits."""
