"""Relying parties: registration, secrets, keys, limits.

``options`` is the table of what may be chosen, ``rules`` judges it. ``registry`` registers and
finds clients for operators, portal and ``registration`` (RFC 7591, 7592). It and ``assertions``
authenticate them for ``token_endpoint``.
"""
