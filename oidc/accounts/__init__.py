"""What is stored about a person: pseudonyms, consents, browser sessions.

Only ``pseudonym`` links account and subject. ``logout_outbox`` enqueues for
``logout.delivery``.
"""
