"""Relying parties: registration, secrets, keys, limits.

``registry`` registers and finds clients for operators, portal and ``registration`` (RFC 7591,
7592; ``metadata`` reads what they send). ``secrets``, ``jwks`` and ``assertions`` authenticate
them for ``token_endpoint``; ``rate_limits`` counts their calls; ``error_log`` keeps their
latest errors for the portal.
"""
