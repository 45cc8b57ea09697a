"""Logos of clients, shown on the consent page.

Revision ID: 0017
Revises: 0016
"""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    client = sa.ForeignKey("clients.client_id", ondelete="CASCADE")
    op.create_table(
        "client_logos",
        sa.Column("client_id", sa.String(64), client, primary_key=True),
        sa.Column("version", sa.String(16), nullable=False),
        sa.Column("png", sa.LargeBinary, nullable=False),
    )
