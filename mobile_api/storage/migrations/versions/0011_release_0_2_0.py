"""The biometric database of 0.2.0."""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = None
branch_labels = None
depends_on = None

# Integer on SQLite, where only an INTEGER PRIMARY KEY numbers its rows itself.
SERIAL = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    _create_tables()
    op.execute("INSERT INTO gallery_head VALUES (1, 0)")


def _owned_by(owner: str, column_type: Any, **options: Any) -> "sa.Column[Any]":
    """Return a column that names the row that this one is deleted with."""
    key = sa.ForeignKey(owner, ondelete="CASCADE")
    return sa.Column(owner.partition(".")[2], column_type, key, **options)


def _create_tables() -> None:
    op.create_table(
        "accounts",
        sa.Column("account", sa.Uuid, primary_key=True),
        sa.Column("consent_version", sa.String(32), nullable=False),
        sa.Column("consent_sha256", sa.String(64), nullable=False),
        sa.Column("consented_at", sa.BigInteger, nullable=False),
        sa.Column("consent_language", sa.String(35), nullable=False, server_default="und"),
    )
    op.create_table(
        "alias_key",
        sa.Column("only", sa.SmallInteger, primary_key=True, autoincrement=False),
        sa.Column("sealed", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "audit_entries",
        sa.Column("position", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Column("event", sa.String(48), nullable=False),
        sa.Column("details", sa.Text, nullable=False),
        sa.Column("digest", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "departures",
        sa.Column("account", sa.Uuid, primary_key=True),
        sa.Column("erased_at", sa.BigInteger, nullable=False),
        sa.Column("phones", sa.Text, nullable=False, server_default=""),
    )
    op.create_table(
        "erasure_list",
        sa.Column("only", sa.SmallInteger, primary_key=True, autoincrement=False),
        sa.Column("count", sa.BigInteger, nullable=False),
        sa.Column("digest", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "gallery_changes",
        sa.Column("sequence", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("mark", sa.Uuid, nullable=False),
        sa.Column("account", sa.Uuid),
        sa.Column("at", sa.BigInteger, nullable=False, index=True),
    )
    op.create_table(
        "gallery_head",
        sa.Column("only", sa.SmallInteger, primary_key=True, autoincrement=False),
        sa.Column("sequence", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "spent_nonces",
        sa.Column("digest", sa.LargeBinary, primary_key=True),
        sa.Column("expires_at", sa.BigInteger, nullable=False, index=True),
    )
    op.create_table(
        "biometric_references",
        sa.Column("reference_id", sa.Uuid, primary_key=True),
        sa.Column("account", sa.Uuid, sa.ForeignKey("accounts.account"), nullable=False),
        sa.Column("extractor", sa.String(64), nullable=False),
        sa.Column("sealed", sa.LargeBinary, nullable=False),
        sa.Column("enrolled_at", sa.BigInteger, nullable=False),
        sa.Column("key_id", sa.String(8), index=True),
        sa.Index("ix_biometric_references_account_extractor", "account", "extractor"),
    )
    op.create_table(
        "deletion_codes",
        sa.Column("digest", sa.LargeBinary, primary_key=True),
        _owned_by("accounts.account", sa.Uuid, nullable=False, unique=True),
    )
    op.create_table(
        "devices",
        sa.Column("device_id", sa.String(43), primary_key=True),
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("account", sa.Uuid, sa.ForeignKey("accounts.account"), index=True),
        sa.Column("registered_at", sa.BigInteger, nullable=False),
        sa.Column("bound_at", sa.BigInteger),
        sa.Column("used_on", sa.BigInteger),
        sa.Column("trusted_at", sa.BigInteger),
        sa.Column("asked_at", sa.BigInteger),
        sa.Column("due_at", sa.BigInteger),
        sa.Column("request_ends_at", sa.BigInteger),
    )
    op.create_table(
        "disputes",
        sa.Column("digest", sa.LargeBinary, primary_key=True),
        _owned_by("accounts.account", sa.Uuid, nullable=False, index=True),
        sa.Column("hand", sa.String(5), nullable=False),
        sa.Column("opened_at", sa.BigInteger, nullable=False, index=True),
    )
    op.create_table(
        "passkeys",
        sa.Column("credential_id", sa.LargeBinary, primary_key=True),
        _owned_by("accounts.account", sa.Uuid, nullable=False, index=True),
        sa.Column("user_handle", sa.LargeBinary, nullable=False, unique=True),
        sa.Column("rp_id", sa.String(253), nullable=False),
        sa.Column("public_key", sa.LargeBinary, nullable=False),
        sa.Column("sign_count", sa.BigInteger, nullable=False),
        sa.Column("added_at", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "recovery_codes",
        sa.Column("digest", sa.LargeBinary, primary_key=True),
        _owned_by("accounts.account", sa.Uuid, nullable=False, unique=True),
    )
    op.create_table(
        "attempts",
        sa.Column("attempt", SERIAL, primary_key=True),
        sa.Column(
            "device_id", sa.String(43), sa.ForeignKey("devices.device_id"), nullable=False
        ),
        sa.Column("at", sa.BigInteger, nullable=False, index=True),
        sa.Column("failed", sa.SmallInteger, nullable=False),
        sa.Column("network", sa.String(43)),
        sa.Column("network_wide", sa.String(43)),
        sa.Column("network_widest", sa.String(43)),
        sa.Index("ix_attempts_device_id_at", "device_id", "at"),
        sa.Index("ix_attempts_failed_at", "failed", "at"),
        sa.Index("ix_attempts_network_at", "network", "at"),
        sa.Index("ix_attempts_network_wide_failed_at", "network_wide", "failed", "at"),
        sa.Index("ix_attempts_network_widest_failed_at", "network_widest", "failed", "at"),
    )
    op.create_table(
        "challenges",
        _owned_by("devices.device_id", sa.String(43), primary_key=True),
        sa.Column("challenge_id", sa.Uuid, nullable=False),
        sa.Column("purpose", sa.String(16), nullable=False),
        sa.Column("attempt_id", sa.String(64), nullable=False),
        sa.Column("hand", sa.String(5)),
        sa.Column("step", sa.SmallInteger, nullable=False),
        sa.Column("sent_at", sa.BigInteger, nullable=False),
        sa.Column("expires_at", sa.BigInteger, nullable=False, index=True),
        sa.Column("charge", sa.BigInteger, nullable=False),
        sa.Column("sealed", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "enrolments",
        sa.Column("enrolment_id", sa.String(43), primary_key=True),
        sa.Column(
            "device_id", sa.String(43), sa.ForeignKey("devices.device_id"), nullable=False, index=True
        ),
        sa.Column("consent_version", sa.String(32), nullable=False),
        sa.Column("consent_sha256", sa.String(64), nullable=False),
        sa.Column("consented_at", sa.BigInteger, nullable=False),
        sa.Column("expires_at", sa.BigInteger, nullable=False, index=True),
        sa.Column("enrolled_left", sa.SmallInteger),
        sa.Column("enrolled_right", sa.SmallInteger),
        sa.Column("consent_language", sa.String(35), nullable=False, server_default="und"),
    )
    op.create_table(
        "notices",
        sa.Column("position", SERIAL, primary_key=True),
        _owned_by("devices.device_id", sa.String(43), nullable=False, index=True),
        sa.Column("kind", sa.String(32), nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False, index=True),
    )
    op.create_table(
        "vouched_devices",
        _owned_by("devices.device_id", sa.String(43), primary_key=True),
        _owned_by("passkeys.credential_id", sa.LargeBinary, nullable=False, index=True),
        sa.Column("at", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "enrolment_samples",
        sa.Column("position", SERIAL, primary_key=True),
        sa.Column("sample_id", sa.Uuid, nullable=False, unique=True),
        _owned_by("enrolments.enrolment_id", sa.String(43), nullable=False, index=True),
        sa.Column("hand", sa.String(5), nullable=False),
        sa.Column("sealed", sa.LargeBinary, nullable=False),
        sa.Column("key_id", sa.String(8), index=True),
        sa.Column("attempt", sa.BigInteger),
    )
