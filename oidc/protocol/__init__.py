"""TODO oidc/protocol."""
