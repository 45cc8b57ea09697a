"""Rotating tickets, origins of logins, confirmation codes and known browsers.

RFC 10027. Logins open during this migration can no longer be scanned and expire.

Revision ID: 0008
Revises: 0007
"""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE logins RENAME COLUMN ticket_digest TO ticket_anchor")
    of_logins = (
        sa.Column("opened_at", sa.BigInteger, nullable=False, server_default="0"),
        sa.Column("asked_at", sa.BigInteger, nullable=False, server_default="0"),
        sa.Column("origin", sa.Text, nullable=False, server_default="{}"),
        sa.Column("network", sa.String(16), nullable=False, server_default="unknown"),
        sa.Column("browser_mark", sa.LargeBinary),
        sa.Column("confirmation_code", sa.String(8)),
        sa.Column("code_attempts", sa.Integer, nullable=False, server_default="0"),
        sa.Column("grant_id", sa.String(64)),
    )
    for column in of_logins:
        op.add_column("logins", column)
    op.create_index("ix_logins_claimant", "logins", ["claimant"])
    op.add_column(
        "clients",
        sa.Column("confirm_code", sa.String(16), nullable=False, server_default="on-risk"),
    )
    op.create_table(
        "known_browsers",
        sa.Column("digest", sa.LargeBinary, primary_key=True),
        sa.Column("expires_at", sa.BigInteger, nullable=False),
    )
    op.create_index("ix_known_browsers_expires_at", "known_browsers", ["expires_at"])
