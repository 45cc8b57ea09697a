"""Codes and tokens: their content, life and proofs.

``codes`` and ``refresh`` are stored by digest and consumed once (``replay`` ends the grant of
one used twice); ``claims`` fills access and ID tokens, ``access`` checks them. ``dpop`` checks
proofs, ``introspection`` and ``userinfo`` answer for tokens, ``id_token_hint`` reads an ID
token that comes back.
"""
