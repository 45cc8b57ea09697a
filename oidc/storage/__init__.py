"""The protocol database: everything the provider stores.

Each module here is the interface of one store and its records. ``sql`` implements them,
``schema`` holds the tables, ``migrations`` creates them. ``transactions`` opens a
transaction with all stores in it. Stores never commit: the caller's transaction does.
"""
