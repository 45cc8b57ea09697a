"""Enrolment: consent, samples of a palm, duplicate check, then an account with references.

``service`` is the use case, ``rules`` the conditions: they open disputes, too. New references
reach the gallery through the database, not from here.
"""
