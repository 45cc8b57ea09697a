"""Note under which key of the ring each template is sealed."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

TABLES = ("biometric_references", "enrolment_samples")


def upgrade() -> None:
    # Null: sealed before there was a ring; such a seal does not say which key it is of.
    for table in TABLES:
        op.add_column(table, sa.Column("key_id", sa.String(8), nullable=True))
        op.create_index(f"ix_{table}_key_id", table, ["key_id"])


def downgrade() -> None:
    for table in TABLES:
        op.drop_index(f"ix_{table}_key_id", table)
        op.drop_column(table, "key_id")
