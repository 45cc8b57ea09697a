"""The protocol database: everything the provider stores.

``stores`` has a class for each kind of record, with its SQL; ``transactions`` makes those that
a transaction uses, ``database`` opens transactions. Stores never commit: the caller's
transaction does. ``schema`` holds the tables, ``migrations`` creates them. On SQLite
``group_commit`` lets concurrent writes of tokens share one commit.
"""
