"""TODO oidc/keys."""
