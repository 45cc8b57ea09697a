"""TODO oidc/accounts."""
