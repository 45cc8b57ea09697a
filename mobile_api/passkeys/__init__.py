"""TODO mobile_api/passkeys."""
