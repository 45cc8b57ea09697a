"""Speed of the provider, beside two others: see ``command``."""
