"""Say whose aliases accounts and phones are; ``thenar migrate`` then makes them.

Revision ID: 0015
Revises: 0014
"""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "account_aliases",
        sa.Column("only", sa.SmallInteger, primary_key=True, autoincrement=False),
        sa.Column("proof", sa.String(36), nullable=False),
    )
