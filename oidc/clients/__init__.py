"""Relying parties: registration, secrets, keys, limits.

``registry`` registers and finds clients for operators, portal and ``registration`` (RFC 7591,
7592). ``secrets``, ``jwks`` and ``assertions`` authenticate them for ``token_endpoint``.
"""
