"""TODO mobile_api/doctor."""
