"""The protocol database: everything the provider stores.

``stores`` has a class for each kind of record, with its SQL; ``database`` opens transactions
and makes the stores that each uses. Stores never commit: the caller's transaction does.
``schema`` holds the tables, ``migrations`` creates them.
"""
