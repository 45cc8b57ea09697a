"""The stores: each class reads and writes the rows of one kind of record.

The records are beside their store. Nothing else in the provider knows a table. ``logins``
are under way, ``sessions`` follow; ``operation`` is about the service itself.
"""
