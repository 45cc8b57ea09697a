"""One Alembic history for the protocol database. Never edited once released."""
