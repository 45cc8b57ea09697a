"""Add pending challenges: one for each phone, sealed, for a minute."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "challenges",
        sa.Column(
            "device_id",
            sa.String(43),
            sa.ForeignKey("devices.device_id", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column("challenge_id", sa.Uuid, nullable=False),
        sa.Column("purpose", sa.String(16), nullable=False),
        sa.Column("attempt_id", sa.String(64), nullable=False),
        sa.Column("hand", sa.String(5)),
        sa.Column("step", sa.SmallInteger, nullable=False),
        sa.Column("sent_at", sa.BigInteger, nullable=False),
        sa.Column("expires_at", sa.BigInteger, nullable=False),
        sa.Column("charge", sa.BigInteger, nullable=False),
        sa.Column("sealed", sa.LargeBinary, nullable=False),
    )
    op.create_index("ix_challenges_expires_at", "challenges", ["expires_at"])


def downgrade() -> None:
    op.drop_table("challenges")
