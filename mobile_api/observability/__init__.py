"""TODO mobile_api/observability."""
