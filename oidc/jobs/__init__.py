"""TODO oidc/jobs."""
