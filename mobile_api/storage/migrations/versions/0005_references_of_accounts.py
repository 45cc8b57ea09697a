"""Find the references of an account without reading everybody's: SQLite took the other index."""

from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

TABLE = "biometric_references"


def upgrade() -> None:
    op.create_index(
        "ix_biometric_references_account_extractor", TABLE, ["account", "extractor"]
    )
    op.drop_index("ix_biometric_references_account", TABLE)
    op.drop_index("ix_biometric_references_extractor", TABLE)


def downgrade() -> None:
    op.create_index("ix_biometric_references_account", TABLE, ["account"])
    op.create_index("ix_biometric_references_extractor", TABLE, ["extractor"])
    op.drop_index("ix_biometric_references_account_extractor", TABLE)
