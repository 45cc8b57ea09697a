"""Passkeys: a phone's screen lock confirms that its browser key is still its owner's.

``service`` creates and uses them, ``webauthn`` verifies what they sign, ``reauthentication``
tells the routes whether a phone must use its passkey again.
"""
