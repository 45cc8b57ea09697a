"""Pushed authorization requests (RFC 9126), and clients that require them.

Revision ID: 0005
Revises: 0004
"""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    column = sa.Column("require_par", sa.Boolean, nullable=False, server_default=sa.false())
    op.add_column("clients", column)
    op.create_table(
        "pushed_requests",
        sa.Column("digest", sa.LargeBinary, primary_key=True),
        sa.Column(
            "client_id",
            sa.String(64),
            sa.ForeignKey("clients.client_id", ondelete="CASCADE"),
            nullable=False,
        ),
        sa.Column("parameters", sa.Text, nullable=False),
        sa.Column("expires_at", sa.BigInteger, nullable=False),
    )
    op.create_index("ix_pushed_requests_client_id", "pushed_requests", ["client_id"])
    op.create_index("ix_pushed_requests_expires_at", "pushed_requests", ["expires_at"])
