"""TODO oidc/clients."""
