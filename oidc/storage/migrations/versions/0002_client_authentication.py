"""Client authentication methods, required PKCE, and single-use identifiers.

Revision ID: 0002
Revises: 0001
"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    added = (
        sa.Column(
            "authentication", sa.String(24), nullable=False, server_default="client_secret"
        ),
        sa.Column("jwks", sa.Text),
        sa.Column("require_pkce", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column(
            "id_token_algorithm", sa.String(16), nullable=False, server_default="RS256"
        ),
    )
    for column in added:
        op.add_column("clients", column)
    op.create_table(
        "used_identifiers",
        sa.Column("digest", sa.LargeBinary, primary_key=True),
        sa.Column("expires_at", sa.BigInteger, nullable=False),
    )
    op.create_index("ix_used_identifiers_expires_at", "used_identifiers", ["expires_at"])
