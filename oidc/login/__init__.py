"""TODO oidc/login."""
