"""Note networks of attempts and codes of deletion; keep an audit chain."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("attempts", sa.Column("network", sa.String(43), nullable=True))
    op.create_index("ix_attempts_network_at", "attempts", ["network", "at"])
    op.create_index("ix_attempts_failed_at", "attempts", ["failed", "at"])
    op.create_table(
        "deletion_codes",
        sa.Column("digest", sa.LargeBinary(32), primary_key=True),
        sa.Column(
            "account",
            sa.Uuid,
            sa.ForeignKey("accounts.account", ondelete="CASCADE"),
            nullable=False,
            unique=True,
        ),
    )
    op.create_table(
        "audit_entries",
        sa.Column("position", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Column("event", sa.String(48), nullable=False),
        sa.Column("details", sa.Text, nullable=False),
        sa.Column("digest", sa.LargeBinary(32), nullable=False),
    )


def downgrade() -> None:
    op.drop_table("audit_entries")
    op.drop_table("deletion_codes")
    op.drop_index("ix_attempts_failed_at", "attempts")
    op.drop_index("ix_attempts_network_at", "attempts")
    op.drop_column("attempts", "network")
