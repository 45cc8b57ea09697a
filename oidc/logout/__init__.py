"""TODO oidc/logout."""
