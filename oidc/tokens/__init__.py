"""Codes and tokens: content, life, proofs.

``codes`` and ``refresh`` are stored as digests and consumed once; ``replay`` ends the grant of
one used twice. ``claims`` fills access and ID tokens, ``access`` checks them, ``dpop`` checks
proofs.
"""
