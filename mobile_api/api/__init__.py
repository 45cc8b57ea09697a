"""TODO mobile_api/api."""
