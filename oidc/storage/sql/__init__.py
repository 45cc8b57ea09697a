"""Lets an event loop use a database without a thread for each request.

``group_commit`` does so for SQLite, the other modules for PostgreSQL.
"""
