"""What the release after 0.2.0 stores beside it: teams of developers, and logos of clients.

Revision ID: 0017
Revises: 0015
"""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "client_members",
        _owned_by("clients", "client_id", primary_key=True),
        _owned_by("developers", "developer_id", primary_key=True, index=True),
    )
    op.create_table(
        "client_invitations",
        sa.Column("digest", sa.LargeBinary, primary_key=True),
        _owned_by("clients", "client_id", index=True),
        _owned_by("developers", "developer_id", index=True),
        sa.Column("ends_at", sa.BigInteger, nullable=False, index=True),
    )
    op.create_table(
        "client_logos",
        _owned_by("clients", "client_id", primary_key=True),
        sa.Column("version", sa.String(16), nullable=False),
        sa.Column("png", sa.LargeBinary, nullable=False),
    )


def _owned_by(table: str, column: str, **options: Any) -> "sa.Column[str]":
    """Return a column that names the row that this one is deleted with."""
    key = sa.ForeignKey(f"{table}.{column}", ondelete="CASCADE")
    return sa.Column(column, sa.String(64), key, nullable=False, **options)
