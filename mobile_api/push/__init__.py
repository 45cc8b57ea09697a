"""Web Push: tells trusted phones that allowed it that somebody asks the account for trust.

``service`` stores subscriptions and sends; ``keys`` and ``message`` encrypt and sign. A message
says nothing of who asks, of the account, or of the app. RFC 8030, 8291, 8292.
"""
