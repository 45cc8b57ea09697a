"""mobile_api."""
