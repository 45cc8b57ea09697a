"""Phones as devices with a key: registration, account, and the proof that signs each request.

``request_proofs`` verifies a signature, ``nonces`` makes each proof valid once, ``service``
returns the device and its account. Every route starts here. ``binding`` gives phones to
accounts, as new or as trusted.
"""
