"""Palm databases, one adapter each. The data itself stays outside git."""
