"""Web Push: notifies trusted phones that allowed it when a new phone asks for trust.

``service`` stores subscriptions and sends; ``keys`` and ``message`` encrypt and sign. A message
says nothing of who asks, of the account, or of the app. RFC 8030, 8291, 8292.
"""
