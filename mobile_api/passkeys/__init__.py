"""Passkeys: a phone's screen lock confirms that its browser key is still its owner's.

``service`` creates and uses them, ``webauthn`` verifies what they sign. ``account.rules`` says
when a phone must use its passkey again.
"""
