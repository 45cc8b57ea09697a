"""What the release after 0.2.0 stores beside it.

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
    known = sa.Column("known", sa.Boolean, nullable=False, server_default=sa.false())
    op.add_column("attempts", known)
    op.create_table(
        "push_subscriptions",
        sa.Column(
            "device_id",
            sa.String(43),
            sa.ForeignKey("devices.device_id", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column("encrypted", sa.LargeBinary, nullable=False),
        sa.Column("due_at", sa.BigInteger, index=True),
    )
    with op.batch_alter_table("disputes") as disputes:
        disputes.add_column(sa.Column("claimant", sa.String(43)))
        disputes.add_column(
            sa.Column("is_contrary", sa.Boolean, nullable=False, server_default=sa.false())
        )
        disputes.add_column(sa.Column("suspended_on", sa.BigInteger))
        disputes.create_foreign_key(
            "fk_disputes_claimant", "devices", ["claimant"], ["device_id"], ondelete="SET NULL"
        )
        disputes.create_index("ix_disputes_claimant", ["claimant"])
    op.execute("UPDATE disputes SET opened_at = opened_at - opened_at % 86400000")
    op.create_table(
        "stations",
        sa.Column("name", sa.String(64), primary_key=True),
        sa.Column("networks", sa.Text, nullable=False),
        sa.Column("challenge", sa.String(16), nullable=False),
        sa.Column("used_on", sa.BigInteger),
        sa.Column("code_digest", sa.LargeBinary(32), unique=True),
        sa.Column("code_ends_at", sa.BigInteger, index=True),
        sa.Column("device_id", sa.String(43), sa.ForeignKey("devices.device_id"), unique=True),
        sa.Column("cookie_digest", sa.LargeBinary(32)),
    )
