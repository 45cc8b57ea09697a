"""Let the change feed forget accounts, and remember the phones of a pending erasure.

The feed begins anew: each gallery compares its names with the database once. The list of
erasures is written anew without accounts, so its digest is another one.
"""

import sqlalchemy as sa
from alembic import op

from oidc.plumbing.schema_version import rewrite_later

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.drop_table("gallery_changes")
    op.create_table(
        "gallery_changes",
        sa.Column("sequence", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("mark", sa.Uuid, nullable=False),
        sa.Column("account", sa.Uuid),
        sa.Column("at", sa.BigInteger, nullable=False),
    )
    op.create_index("ix_gallery_changes_at", "gallery_changes", ["at"])
    phones = sa.Column("phones", sa.Text, nullable=False, server_default="")
    op.add_column("departures", phones)
    unknown = sa.text("UPDATE erasure_list SET digest = :none").bindparams(none=b"")
    op.execute(unknown)
    op.execute("UPDATE devices SET name = '' WHERE account IS NULL")
    if op.get_bind().dialect.name == "sqlite":
        rewrite_later(op.get_bind())


def downgrade() -> None:
    op.drop_column("departures", "phones")
    op.drop_table("gallery_changes")
    op.create_table(
        "gallery_changes",
        sa.Column("sequence", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("account", sa.Uuid, nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
    )
    op.create_index("ix_gallery_changes_at", "gallery_changes", ["at"])
