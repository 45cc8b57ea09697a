"""TODO mobile_api/cli."""
