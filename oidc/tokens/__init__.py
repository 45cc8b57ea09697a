"""Codes and tokens: content, life, proofs.

``codes`` and ``refresh`` are stored as digests and used once; ``refresh.decide`` is the rule of
replay for both. ``claims`` fills access and ID
tokens, ``access`` checks them and DPoP proofs.
"""
