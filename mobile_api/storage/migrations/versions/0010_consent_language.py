"""Keep the language of the consent text that a person agreed to."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

TABLES = ("accounts", "enrolments")


def upgrade() -> None:
    for table in TABLES:
        language = sa.Column(
            "consent_language", sa.String(35), nullable=False, server_default="und"
        )
        op.add_column(table, language)


def downgrade() -> None:
    for table in TABLES:
        op.drop_column(table, "consent_language")
