"""The protocol database: everything the provider stores.

``stores`` has a class for each kind of record, with its SQL; ``transactions`` makes those that
a transaction uses, ``database`` opens transactions. Stores never commit: the caller's
transaction does. ``schema`` holds the tables, ``migrations`` creates them, ``sql`` lets an
event loop wait for a database without a thread.
"""
