"""The audit log, and hourly counts of ended logins.

Revision ID: 0010
Revises: 0009
"""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "audit_entries",
        sa.Column("position", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Column("event", sa.String(48), nullable=False),
        sa.Column("details", sa.Text, nullable=False),
        sa.Column("digest", sa.LargeBinary, nullable=False),
    )
    op.create_index("ix_pseudonyms_withdrawn_at", "pseudonyms", ["withdrawn_at"])
    op.create_table(
        "login_tallies",
        sa.Column("hour", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("state", sa.String(16), primary_key=True),
        sa.Column("count", sa.Integer, nullable=False),
    )
