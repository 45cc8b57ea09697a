"""What the provider remembers: one port per file, SQL beside them.

Stores never commit: whoever opens the transaction (``transactions.py``) does.
"""
