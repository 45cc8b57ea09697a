"""Keep passkeys, and which phones they vouched for."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "passkeys",
        sa.Column("credential_id", sa.LargeBinary(1023), primary_key=True),
        sa.Column(
            "account",
            sa.Uuid,
            sa.ForeignKey("accounts.account", ondelete="CASCADE"),
            nullable=False,
        ),
        sa.Column("user_handle", sa.LargeBinary(32), nullable=False, unique=True),
        sa.Column("rp_id", sa.String(253), nullable=False),
        sa.Column("public_key", sa.LargeBinary, nullable=False),
        sa.Column("sign_count", sa.BigInteger, nullable=False),
        sa.Column("added_at", sa.BigInteger, nullable=False),
    )
    op.create_index("ix_passkeys_account", "passkeys", ["account"])
    op.create_table(
        "vouched_devices",
        sa.Column(
            "device_id",
            sa.String(43),
            sa.ForeignKey("devices.device_id", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column(
            "credential_id",
            sa.LargeBinary(1023),
            sa.ForeignKey("passkeys.credential_id", ondelete="CASCADE"),
            nullable=False,
        ),
        sa.Column("at", sa.BigInteger, nullable=False),
    )
    op.create_index("ix_vouched_devices_credential_id", "vouched_devices", ["credential_id"])


def downgrade() -> None:
    op.drop_table("vouched_devices")
    op.drop_table("passkeys")
