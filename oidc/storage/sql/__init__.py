"""The ports on SQLAlchemy Core: SQLite for a first run, PostgreSQL in production."""
