"""Refresh tokens: an idle expiry beside the family's, and an encrypted successor.

Revision ID: 0003
Revises: 0002
"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    added = (
        # So far a token expired with its family.
        sa.Column("family_ends_at", sa.BigInteger, nullable=False, server_default="0"),
        sa.Column("sealed_successor", sa.LargeBinary),
        sa.Column("sealed_until", sa.BigInteger),
    )
    for column in added:
        op.add_column("refresh_tokens", column)
    op.execute("UPDATE refresh_tokens SET family_ends_at = expires_at")
    op.create_index("ix_refresh_tokens_sealed_until", "refresh_tokens", ["sealed_until"])
