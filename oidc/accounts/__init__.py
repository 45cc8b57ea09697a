"""What the provider stores about a person: pseudonyms, consents, browser sessions.

``pseudonym`` is the only module that links account and subject. ``logout_outbox`` enqueues the
logout notices that ``logout.delivery`` posts when a session or pseudonym ends.
"""
