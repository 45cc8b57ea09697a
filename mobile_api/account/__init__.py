"""A person's own account: whose it is, what a phone may do with it, and how it ends.

``rules`` is the table of what each operation needs, ``gate`` asks it for every route.
``phones`` lists, approves and removes phones; ``phone_trust`` lets a new one wait or
use a recovery code. ``palm_proofs`` remembers for minutes that a palm matched. ``deletion``
deletes an account here, then in the provider.
"""
