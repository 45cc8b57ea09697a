"""Tell trusted phones from new ones; graded networks; recovery codes, disputes, notices.

Of the phones that an account has, the one registered before its consent enrolled it and is
trusted, if there is exactly one. Others are new. A passkey stays if it confirmed that phone:
any other may have been added by whoever had a photo of the palm.
"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

TIMES = ("bound_at", "used_on", "trusted_at", "asked_at", "due_at", "request_ends_at")
NETWORKS = ("network_wide", "network_widest")

ENROLLED_BY = """
UPDATE devices SET trusted_at = registered_at WHERE device_id IN (
  SELECT min(d.device_id) FROM devices d JOIN accounts a ON a.account = d.account
  WHERE d.registered_at <= a.consented_at GROUP BY d.account HAVING count(*) = 1)
"""

UNSURE_PASSKEYS = """
SELECT credential_id FROM passkeys WHERE credential_id NOT IN (
  SELECT v.credential_id FROM vouched_devices v JOIN devices d ON d.device_id = v.device_id
  WHERE d.trusted_at IS NOT NULL)
"""


def upgrade() -> None:
    for name in TIMES:
        op.add_column("devices", sa.Column(name, sa.BigInteger))
    op.execute("UPDATE devices SET bound_at = registered_at WHERE account IS NOT NULL")
    op.execute(ENROLLED_BY)
    op.execute(f"DELETE FROM vouched_devices WHERE credential_id IN ({UNSURE_PASSKEYS})")
    op.execute(f"DELETE FROM passkeys WHERE credential_id IN ({UNSURE_PASSKEYS})")
    for name in NETWORKS:
        op.add_column("attempts", sa.Column(name, sa.String(43)))
        op.create_index(
            f"ix_attempts_{name}_failed_at", "attempts", [name, "failed", "at"]
        )
    op.add_column("enrolment_samples", sa.Column("attempt", sa.BigInteger))
    _create_notices()
    _create_codes("recovery_codes", unique=True)
    _create_codes(
        "disputes",
        sa.Column("hand", sa.String(5), nullable=False),
        sa.Column("opened_at", sa.BigInteger, nullable=False),
    )
    op.create_index("ix_disputes_account", "disputes", ["account"])
    op.create_index("ix_disputes_opened_at", "disputes", ["opened_at"])


def _create_notices() -> None:
    serial = sa.BigInteger().with_variant(sa.Integer, "sqlite")
    phone = sa.ForeignKey("devices.device_id", ondelete="CASCADE")
    op.create_table(
        "notices",
        sa.Column("position", serial, primary_key=True, autoincrement=True),
        sa.Column("device_id", sa.String(43), phone, nullable=False),
        sa.Column("kind", sa.String(32), nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
    )
    op.create_index("ix_notices_device_id", "notices", ["device_id"])
    op.create_index("ix_notices_at", "notices", ["at"])


def _create_codes(name: str, *columns: "sa.Column[object]", unique: bool = False) -> None:
    account = sa.ForeignKey("accounts.account", ondelete="CASCADE")
    op.create_table(
        name,
        sa.Column("digest", sa.LargeBinary(32), primary_key=True),
        sa.Column("account", sa.Uuid, account, nullable=False, unique=unique),
        *columns,
    )


def downgrade() -> None:
    for name in ("disputes", "recovery_codes", "notices"):
        op.drop_table(name)
    op.drop_column("enrolment_samples", "attempt")
    for name in NETWORKS:
        op.drop_index(f"ix_attempts_{name}_failed_at", "attempts")
        op.drop_column("attempts", name)
    for name in TIMES:
        op.drop_column("devices", name)
