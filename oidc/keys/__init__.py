"""Signing keys: made and rotated, stored encrypted, used to sign and verify.

``rotation`` makes keys, ``encryption`` encrypts them; ``signing_keys`` serves everything that
signs or verifies, and publishes the JWKS.
"""
