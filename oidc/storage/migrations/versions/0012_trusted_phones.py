"""Clients may require a trusted phone; sign-ins are kept for their owners.

Revision ID: 0012
Revises: 0011
"""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    required = sa.Column(
        "require_trusted_phone", sa.Boolean, nullable=False, server_default=sa.false()
    )
    op.add_column("clients", required)
    client = sa.ForeignKey("clients.client_id", ondelete="CASCADE")
    op.create_table(
        "sign_ins",
        sa.Column("grant_id", sa.String(64), primary_key=True),
        sa.Column("client_id", sa.String(64), client, nullable=False),
        sa.Column("subject", sa.String(64), nullable=False),
        sa.Column("claimant", sa.Text, nullable=False),
        sa.Column("amr", sa.Text, nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
    )
    op.create_index("ix_sign_ins_client_id", "sign_ins", ["client_id"])
    op.create_index("ix_sign_ins_at", "sign_ins", ["at"])
    op.create_index("ix_sign_ins_subject_at", "sign_ins", ["subject", "at"])
