"""A person's own account: whose it is, what a phone may do with it, and how it ends.

``rules`` is the table of what each operation needs, ``gate`` asks it for every route.
``phones`` lists, approves and removes phones; ``phone_trust`` lets a new one wait or
use a recovery code. ``verification`` compares a palm with the device's account; ``palm_proofs``
remembers that for minutes. ``linked_clients`` lists and unlinks clients through
``oidc.linked_clients``. ``deletion`` erases an account here, then in the provider.
"""
