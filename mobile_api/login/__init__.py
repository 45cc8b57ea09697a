"""Login: the palm that answers a pending login of the provider.

``service`` verifies or identifies the palm and reports the account to ``oidc.handoff`` through
``counted_door``. Only the provider turns that account into a pseudonym.
"""
