"""TODO mobile_api/devices."""
