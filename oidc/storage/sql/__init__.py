"""The stores in SQL: SQLite for a first run, PostgreSQL in production.

``database`` opens engines and transactions. The ``postgres_*``, ``pipelined_*`` and
``greenlet_bridge`` modules let an event loop use PostgreSQL without threads;
``group_commit`` does the same for SQLite.
"""
