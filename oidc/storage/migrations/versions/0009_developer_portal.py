"""Portal developers, their clients and sessions, and recent client errors.

Revision ID: 0009
Revises: 0008
"""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "developers",
        sa.Column("developer_id", sa.String(64), primary_key=True),
        sa.Column("email", sa.Text, nullable=False),
        sa.Column("note", sa.Text, nullable=False),
        sa.Column("invited_at", sa.BigInteger, nullable=False),
        sa.Column("invitation_digest", sa.LargeBinary, unique=True),
        sa.Column("invitation_ends_at", sa.BigInteger, nullable=False),
        sa.Column("subject", sa.String(64), unique=True),
        sa.Column("joined_at", sa.BigInteger),
    )
    op.create_table(
        "developer_clients",
        sa.Column(
            "client_id",
            sa.String(64),
            sa.ForeignKey("clients.client_id", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column(
            "developer_id",
            sa.String(64),
            sa.ForeignKey("developers.developer_id", ondelete="CASCADE"),
            nullable=False,
        ),
    )
    op.create_index("ix_developer_clients_developer_id", "developer_clients", ["developer_id"])
    op.create_table(
        "portal_sessions",
        sa.Column("digest", sa.LargeBinary, primary_key=True),
        sa.Column(
            "developer_id",
            sa.String(64),
            sa.ForeignKey("developers.developer_id", ondelete="CASCADE"),
            nullable=False,
        ),
        sa.Column("expires_at", sa.BigInteger, nullable=False),
    )
    op.create_index("ix_portal_sessions_developer_id", "portal_sessions", ["developer_id"])
    op.create_index("ix_portal_sessions_expires_at", "portal_sessions", ["expires_at"])
    op.create_table(
        "client_errors",
        sa.Column("error_id", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column(
            "client_id",
            sa.String(64),
            sa.ForeignKey("clients.client_id", ondelete="CASCADE"),
            nullable=False,
        ),
        sa.Column("happened_at", sa.BigInteger, nullable=False),
        sa.Column("endpoint", sa.String(32), nullable=False),
        sa.Column("error", sa.String(64), nullable=False),
        sa.Column("description", sa.Text, nullable=False),
    )
    op.create_index("ix_client_errors_client_id", "client_errors", ["client_id", "error_id"])
