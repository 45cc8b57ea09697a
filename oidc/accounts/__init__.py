"""The stored data about a person: pseudonyms, consents, browser sessions, known browsers.

Only ``pseudonym`` links account and subject. ``logout_outbox`` enqueues for
``logout``.
"""
