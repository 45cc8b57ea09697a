"""Other providers, configured to do what ours does; each runs in its own process."""
