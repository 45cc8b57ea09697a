"""Signing keys: made and rotated, stored encrypted, used to sign and verify.

``rotation`` makes keys for the CLI and at migration, ``encryption`` encrypts them, ``keyring``
serves every room that signs or verifies and publishes the JWKS; ``verified_cache`` saves
repeated verification of access tokens.
"""
