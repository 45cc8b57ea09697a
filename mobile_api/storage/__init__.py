"""The biometric database: accounts, devices, enrolments, encrypted references, audit log.

Use cases take a ``Database`` and get a ``Transaction``, which makes each store of ``stores/``
when it is used. No store takes a picture or an unencrypted template; cipher.py and key_file.py
encrypt, database.py also creates the tables of schema.py.
"""
