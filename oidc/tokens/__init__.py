"""TODO oidc/tokens."""
