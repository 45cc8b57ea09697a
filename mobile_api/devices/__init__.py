"""Phones as devices with a key: registration and the proof that signs each request.

``request_proofs`` verifies a signature, ``nonces`` makes each proof valid once, ``service``
returns the device and its account. Every route starts here.
"""
