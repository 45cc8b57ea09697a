"""Palms in, answers out: a picture becomes a template, templates are compared and searched.

The engine knows palms and no people. It has no web, no database and no account: whoever calls
it groups references under an opaque ``GroupId``. Start reading in ``engine/pipeline.py``.
"""
