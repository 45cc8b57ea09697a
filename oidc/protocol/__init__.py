"""Protocol values without storage: parameters, URIs, addresses, identifiers, responses.

Every room uses these; they use only ``types`` and ``errors``.
"""
