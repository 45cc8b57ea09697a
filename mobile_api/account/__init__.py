"""TODO mobile_api/account."""
