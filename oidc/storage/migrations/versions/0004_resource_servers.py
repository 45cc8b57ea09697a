"""Clients that are resource servers and may introspect all access tokens.

Revision ID: 0004
Revises: 0003
"""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    column = sa.Column(
        "resource_server", sa.Boolean, nullable=False, server_default=sa.false()
    )
    op.add_column("clients", column)
