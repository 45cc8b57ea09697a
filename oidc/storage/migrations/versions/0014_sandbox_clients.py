"""Sandbox clients, which sign in scripted people only.

Revision ID: 0014
Revises: 0013
"""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    sandbox = sa.Column("sandbox", sa.Boolean, nullable=False, server_default=sa.false())
    op.add_column("clients", sandbox)
