"""TODO mobile_api/login."""
