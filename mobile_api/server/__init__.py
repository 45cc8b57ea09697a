"""TODO mobile_api/server."""
