"""Begin the biometric database."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

# Integer on SQLite, where only an INTEGER PRIMARY KEY numbers its rows itself.
SERIAL = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TIME_MS = sa.BigInteger


def upgrade() -> None:
    _accounts()
    _devices()
    _enrolments()
    _gallery()


def _accounts() -> None:
    op.create_table(
        "accounts",
        sa.Column("account", sa.Uuid(), nullable=False),
        sa.Column("consent_version", sa.String(32), nullable=False),
        sa.Column("consent_sha256", sa.String(64), nullable=False),
        sa.Column("consented_at", TIME_MS(), nullable=False),
        sa.PrimaryKeyConstraint("account", name="pk_accounts"),
    )
    op.create_table(
        "departures",
        sa.Column("account", sa.Uuid(), nullable=False),
        sa.Column("erased_at", TIME_MS(), nullable=False),
        sa.PrimaryKeyConstraint("account", name="pk_departures"),
    )
    op.create_table(
        "biometric_references",
        sa.Column("reference_id", sa.Uuid(), nullable=False),
        sa.Column("account", sa.Uuid(), nullable=False),
        sa.Column("extractor", sa.String(64), nullable=False),
        sa.Column("sealed", sa.LargeBinary(), nullable=False),
        sa.Column("enrolled_at", TIME_MS(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account"], ["accounts.account"], name="fk_biometric_references_account"
        ),
        sa.PrimaryKeyConstraint("reference_id", name="pk_biometric_references"),
    )
    op.create_index("ix_biometric_references_account", "biometric_references", ["account"])
    op.create_index("ix_biometric_references_extractor", "biometric_references", ["extractor"])


def _devices() -> None:
    op.create_table(
        "devices",
        sa.Column("device_id", sa.String(43), nullable=False),
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("account", sa.Uuid(), nullable=True),
        sa.Column("registered_at", TIME_MS(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account"], ["accounts.account"], name="fk_devices_account"
        ),
        sa.PrimaryKeyConstraint("device_id", name="pk_devices"),
    )
    op.create_index("ix_devices_account", "devices", ["account"])
    op.create_table(
        "attempts",
        sa.Column("attempt", SERIAL, autoincrement=True, nullable=False),
        sa.Column("device_id", sa.String(43), nullable=False),
        sa.Column("at", TIME_MS(), nullable=False),
        sa.Column("failed", sa.SmallInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["device_id"], ["devices.device_id"], name="fk_attempts_device_id"
        ),
        sa.PrimaryKeyConstraint("attempt", name="pk_attempts"),
    )
    op.create_index("ix_attempts_device_id_at", "attempts", ["device_id", "at"])
    op.create_index("ix_attempts_at", "attempts", ["at"])
    op.create_table(
        "spent_nonces",
        sa.Column("digest", sa.LargeBinary(32), nullable=False),
        sa.Column("expires_at", TIME_MS(), nullable=False),
        sa.PrimaryKeyConstraint("digest", name="pk_spent_nonces"),
    )
    op.create_index("ix_spent_nonces_expires_at", "spent_nonces", ["expires_at"])


def _enrolments() -> None:
    op.create_table(
        "enrolments",
        sa.Column("enrolment_id", sa.String(43), nullable=False),
        sa.Column("device_id", sa.String(43), nullable=False),
        sa.Column("consent_version", sa.String(32), nullable=False),
        sa.Column("consent_sha256", sa.String(64), nullable=False),
        sa.Column("consented_at", TIME_MS(), nullable=False),
        sa.Column("expires_at", TIME_MS(), nullable=False),
        sa.Column("enrolled_left", sa.SmallInteger(), nullable=True),
        sa.Column("enrolled_right", sa.SmallInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["device_id"], ["devices.device_id"], name="fk_enrolments_device_id"
        ),
        sa.PrimaryKeyConstraint("enrolment_id", name="pk_enrolments"),
    )
    op.create_index("ix_enrolments_device_id", "enrolments", ["device_id"])
    op.create_index("ix_enrolments_expires_at", "enrolments", ["expires_at"])
    op.create_table(
        "enrolment_samples",
        sa.Column("position", SERIAL, autoincrement=True, nullable=False),
        sa.Column("sample_id", sa.Uuid(), nullable=False),
        sa.Column("enrolment_id", sa.String(43), nullable=False),
        sa.Column("hand", sa.String(5), nullable=False),
        sa.Column("sealed", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["enrolment_id"],
            ["enrolments.enrolment_id"],
            name="fk_enrolment_samples_enrolment_id",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("position", name="pk_enrolment_samples"),
        sa.UniqueConstraint("sample_id", name="uq_enrolment_samples_sample_id"),
    )
    op.create_index("ix_enrolment_samples_enrolment_id", "enrolment_samples", ["enrolment_id"])


def _gallery() -> None:
    head = op.create_table(
        "gallery_head",
        sa.Column("only", sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.Column("sequence", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("only", name="pk_gallery_head"),
    )
    op.bulk_insert(head, [{"only": 1, "sequence": 0}])
    op.create_table(
        "gallery_changes",
        sa.Column("sequence", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("account", sa.Uuid(), nullable=False),
        sa.Column("at", TIME_MS(), nullable=False),
        sa.PrimaryKeyConstraint("sequence", name="pk_gallery_changes"),
    )
    op.create_index("ix_gallery_changes_at", "gallery_changes", ["at"])


def downgrade() -> None:
    for table in (
        "gallery_changes", "gallery_head", "enrolment_samples", "enrolments", "spent_nonces",
        "attempts", "devices", "biometric_references", "departures", "accounts",
    ):
        op.drop_table(table)
