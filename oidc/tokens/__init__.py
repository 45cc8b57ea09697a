"""Codes and tokens: content, life, proofs.

``codes`` and ``refresh`` are stored as digests and used once; ``replay`` decides what one that
is presented is worth. ``claims`` fills access and ID tokens, ``access`` checks them, ``dpop``
checks proofs.
"""
