"""The biometric database: accounts, devices, enrolments, encrypted references, audit log.

Use cases take a ``Storage`` (transaction.py) and get a ``Transaction`` with every store. Each
store is a port (``references.py``) with one SQL implementation for SQLite and PostgreSQL
(``sql_references.py``). No store takes a picture or an unencrypted template; cipher.py and
key_ring.py encrypt, migrate.py creates the tables of schema.py.
"""
