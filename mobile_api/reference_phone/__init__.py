"""TODO mobile_api/reference_phone."""
