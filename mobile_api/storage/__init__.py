"""What the mobile API remembers: devices, pending enrolments, encrypted references.

One port per file, in words; one implementation in SQL for SQLite and PostgreSQL. No port takes
a picture, and none takes a template that is not encrypted.
"""
