"""Signing keys: made and rotated, stored encrypted, used to sign and verify.

``rotation`` makes keys, ``encryption`` encrypts them; ``keyring`` serves everything that
signs or verifies, and publishes the JWKS.
"""
