"""TODO oidc/authorization."""
