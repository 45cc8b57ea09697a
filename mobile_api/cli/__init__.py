"""Operator commands of the mobile side, as Typer applications.

gallery.py: keys, thresholds and copies of the gallery. audit.py: the audit logs. account.py:
deleting an account by its code, and disputes about a palm. error_messages.py prints an error in
one sentence.
``mobile_api/__main__.py`` adds them to ``thenar``.
"""
