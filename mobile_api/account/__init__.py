"""A person's own account: whose it is, what a phone may do with it, and how it ends.

``rules`` is the table of what each operation needs, ``gate`` asks it for every operation. It
also issues palm proofs: that a palm matched minutes ago. ``phones`` lists, approves and removes
phones, and lets a new one wait or use a recovery code. ``deletion`` deletes an account here,
then in the provider. ``disputes`` is what an operator decides.
"""
