"""What accounts and phones are called on their way to the provider, and back.

``keys`` keeps this side's key, in the biometric database, and reads the provider's. ``ports``
wraps what the provider offers: inside are our names, outside are aliases (``oidc.aliases``).
"""
