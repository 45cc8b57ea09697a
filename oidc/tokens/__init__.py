"""Codes and tokens: content, life, proofs.

``codes`` and ``refresh`` are stored as digests and used once. ``claims`` fills access and ID
tokens, ``access`` checks them and DPoP proofs.
"""
