"""The stores: each class reads and writes the rows of one kind of record.

The records are beside their store. Nothing else in the provider knows a table. ``clients`` are
the apps and their developers, ``logins`` what begins and ends in a browser.
"""
