"""A person's own account: linked clients, deletion, and the palm that both require.

``verification`` compares a palm with the device's account; ``palm_proofs`` remembers that for a
few minutes. ``linked_clients`` lists and unlinks clients through ``oidc.linked_clients``.
``deletion`` erases an account here, then in the provider, and lists it for restored backups.
"""
