"""Count the list of erasures: how many accounts are on it, and the digest of its chain."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "erasure_list",
        sa.Column("only", sa.SmallInteger, primary_key=True, autoincrement=False),
        sa.Column("count", sa.BigInteger, nullable=False),
        sa.Column("digest", sa.LargeBinary(32), nullable=False),
    )


def downgrade() -> None:
    op.drop_table("erasure_list")
