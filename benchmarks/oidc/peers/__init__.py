"""Other providers, configured to do what ours does; each runs in a process of its own."""
