"""Keep no withdrawn pseudonym, days instead of times of revocation, notices in no order.

Revision ID: 0013
Revises: 0012
"""

import sqlalchemy as sa
from alembic import op

from oidc.plumbing.schema_version import rewrite_later

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

DAY_US = 86_400_000_000


def upgrade() -> None:
    op.execute("DELETE FROM pseudonyms WHERE account IS NULL")
    op.drop_index("ix_pseudonyms_withdrawn_at", "pseudonyms")
    op.drop_column("pseudonyms", "withdrawn_at")
    op.execute(
        "DELETE FROM grants WHERE revoked_at IS NOT NULL"
        " AND subject NOT IN (SELECT subject FROM pseudonyms)"
    )
    op.execute("UPDATE grants SET revoked_at = revoked_at - revoked_at % " + str(DAY_US))
    op.execute(
        "UPDATE developers SET subject = NULL"
        " WHERE subject NOT IN (SELECT subject FROM pseudonyms)"
    )
    if op.get_bind().dialect.name == "sqlite":
        _create_notices_again()
        rewrite_later(op.get_bind())


def _create_notices_again() -> None:
    """Copy the notices into a table without the order of their insertion."""
    for name in ("client_id", "due_at"):
        op.drop_index(f"ix_logout_notices_{name}", "logout_notices")
    op.rename_table("logout_notices", "notices_in_order")
    op.create_table(
        "logout_notices",
        sa.Column("notice_id", sa.String(64), primary_key=True),
        sa.Column(
            "client_id",
            sa.String(64),
            sa.ForeignKey("clients.client_id", ondelete="CASCADE"),
            nullable=False,
        ),
        sa.Column("subject", sa.String(64), nullable=False),
        sa.Column("sid", sa.String(64)),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("due_at", sa.BigInteger, nullable=False),
        sqlite_with_rowid=False,
    )
    op.execute("INSERT INTO logout_notices SELECT * FROM notices_in_order ORDER BY notice_id")
    op.drop_table("notices_in_order")
    for name in ("client_id", "due_at"):
        op.create_index(f"ix_logout_notices_{name}", "logout_notices", [name])
