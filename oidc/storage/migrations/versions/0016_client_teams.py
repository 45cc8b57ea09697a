"""Several developers of one client, and the invitations to it.

Revision ID: 0016
Revises: 0015
"""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "client_members",
        _owned("client_id", "clients", primary_key=True),
        _owned("developer_id", "developers", primary_key=True),
    )
    op.create_index("ix_client_members_developer_id", "client_members", ["developer_id"])
    op.create_table(
        "client_invitations",
        sa.Column("digest", sa.LargeBinary, primary_key=True),
        _owned("client_id", "clients"),
        _owned("developer_id", "developers"),
        sa.Column("ends_at", sa.BigInteger, nullable=False),
    )
    for column in ("client_id", "developer_id", "ends_at"):
        op.create_index(f"ix_client_invitations_{column}", "client_invitations", [column])


def _owned(column: str, owner: str, *, primary_key: bool = False) -> sa.Column[str]:
    key = sa.ForeignKey(f"{owner}.{column}", ondelete="CASCADE")
    return sa.Column(column, sa.String(64), key, primary_key=primary_key, nullable=False)
