"""Keep the key of the aliases that the provider knows accounts and phones by."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "alias_key",
        sa.Column("only", sa.SmallInteger, primary_key=True, autoincrement=False),
        sa.Column("sealed", sa.LargeBinary, nullable=False),
    )


def downgrade() -> None:
    op.drop_table("alias_key")
