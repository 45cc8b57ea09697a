"""DPoP-bound tokens, overlapping client secrets and dynamic registration.

RFC 9449, RFC 7591, RFC 7592.

Revision ID: 0006
Revises: 0005
"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    of_clients = (
        sa.Column("require_dpop", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column("profile", sa.String(16), nullable=False, server_default="standard"),
        sa.Column("former_secret_digest", sa.LargeBinary),
        sa.Column("former_secret_ends_at", sa.BigInteger),
    )
    for column in of_clients:
        op.add_column("clients", column)
    op.add_column("codes", sa.Column("dpop_jkt", sa.String(64)))
    op.add_column("refresh_tokens", sa.Column("dpop_jkt", sa.String(64)))
    op.create_table(
        "initial_access_tokens",
        sa.Column("token_id", sa.String(64), primary_key=True),
        sa.Column("digest", sa.LargeBinary, nullable=False, unique=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("expires_at", sa.BigInteger, nullable=False),
        sa.Column("revoked_at", sa.BigInteger),
    )
    op.create_table(
        "registrations",
        sa.Column(
            "client_id",
            sa.String(64),
            sa.ForeignKey("clients.client_id", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column("digest", sa.LargeBinary, nullable=False),
        sa.Column("token_id", sa.String(64), nullable=False),
        sa.Column("registered_at", sa.BigInteger, nullable=False),
    )
    op.create_index(
        "ix_registrations_token_id_registered_at", "registrations", ["token_id", "registered_at"]
    )
