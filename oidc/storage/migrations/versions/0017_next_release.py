"""What the release after 0.2.0 stores: teams, logos and counts of clients, levels.

Revision ID: 0017
Revises: 0015
"""

import json
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0015"
branch_labels = None
depends_on = None

DAY_US = 86_400_000_000

DAYS = [
    ("consents", "given_at"),
    ("grants", "revoked_at"),
    ("pseudonyms", "created_at"),
    ("sign_ins", "at"),
]
"""Times of which only the day is kept."""

REWRITES = ("grants", "sign_ins", "browser_sessions", "logins", "consents", "pseudonyms")
ROWS_PER_S = 8_000
"""SQLite, 20,000 rows in each table, two cores beside other work: 8,500."""


def upgrade() -> None:
    op.create_table(
        "client_members",
        _owned_by("clients", "client_id", primary_key=True),
        _owned_by("developers", "developer_id", primary_key=True, index=True),
    )
    op.create_table(
        "client_invitations",
        sa.Column("digest", sa.LargeBinary, primary_key=True),
        _owned_by("clients", "client_id", index=True),
        _owned_by("developers", "developer_id", index=True),
        sa.Column("ends_at", sa.BigInteger, nullable=False, index=True),
    )
    op.create_table(
        "client_logos",
        _owned_by("clients", "client_id", primary_key=True),
        sa.Column("version", sa.String(16), nullable=False),
        sa.Column("png", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "login_days",
        sa.Column("client_id", sa.String(64), primary_key=True),
        sa.Column("day", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("state", sa.String(16), primary_key=True),
        sa.Column("count", sa.Integer, nullable=False),
    )
    op.create_table(
        "processes",
        sa.Column("host", sa.String(255), primary_key=True),
        sa.Column("pid", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("program", sa.String(32), primary_key=True),
        sa.Column("protocol", sa.String(32), nullable=False),
        sa.Column("biometric", sa.String(32), nullable=False),
        sa.Column("seen_at", sa.BigInteger, nullable=False, index=True),
    )
    op.add_column(
        "oidc_version",
        sa.Column("oldest_program", sa.String(32), nullable=False, server_default=revision),
    )
    op.add_column("logins", sa.Column("station", sa.LargeBinary))
    _step_up_and_tell()
    _accept_levels()
    for table in ("grants", "sign_ins", "browser_sessions"):
        _replace_amr(table, nullable=False, server_default="palm")
    _replace_amr("logins")
    _rewrite_logins()
    for table, column in DAYS:
        op.execute(f"UPDATE {table} SET {column} = {column} - {column} % {DAY_US}")


def _accept_levels() -> None:
    """Replace what a client demanded by what it accepts: as before, if the operator agrees."""
    for name in ("accept_palm_alone", "accept_stations", "native"):
        no = sa.Column(name, sa.Boolean, nullable=False, server_default=sa.false())
        op.add_column("clients", no)
    op.execute(
        "UPDATE clients SET accept_palm_alone = NOT require_trusted_phone"
        " WHERE client_id NOT IN ('thenar-portal', 'thenar-sandbox')"
    )
    op.drop_column("clients", "require_trusted_phone")


def _replace_amr(table: str, **options: Any) -> None:
    """Replace the methods of a sign-in by its level."""
    op.add_column(table, sa.Column("level", sa.String(24), **options))
    levels = {"user": "palm", "mfa": "palm-and-phone", "sandbox": "sandbox"}
    for method, level in levels.items():
        op.execute(f"UPDATE {table} SET level = '{level}' WHERE amr LIKE '%\"{method}\"%'")
    op.drop_column(table, "amr")


def _rewrite_logins() -> None:
    """Rewrite what logins accept and how they ended; a pending one accepts the best alone."""
    op.execute("UPDATE logins SET state = 'expired' WHERE state = 'untrusted_phone'")
    table = sa.table("logins", sa.column("login_id"), sa.column("request"))
    connection = op.get_bind()
    for row in connection.execute(sa.select(table)).all():
        request = json.loads(row.request)
        for former in ("requires_trusted_phone", "palm_alone"):
            request.pop(former, None)
        request["accepts"] = ["palm-and-phone"]
        connection.execute(
            sa.update(table)
            .where(table.c.login_id == row.login_id)
            .values(request=json.dumps(request))
        )


def _step_up_and_tell() -> None:
    """Keep when a developer showed a palm, a form that waits for one, and notices."""
    op.add_column(
        "portal_sessions",
        sa.Column("proven_at", sa.BigInteger, nullable=False, server_default="0"),
    )
    op.add_column(
        "portal_sessions", sa.Column("draft", sa.Text, nullable=False, server_default="")
    )
    op.create_table(
        "team_notices",
        sa.Column("notice_id", sa.Integer, primary_key=True, autoincrement=True),
        _owned_by("developers", "developer_id", index=True),
        sa.Column("client_id", sa.String(64), nullable=False),
        sa.Column("client_name", sa.Text, nullable=False),
        sa.Column("event", sa.String(32), nullable=False),
        sa.Column("by", sa.Text, nullable=False),
        sa.Column("day", sa.BigInteger, nullable=False, index=True),
        sa.UniqueConstraint("developer_id", "client_id", "event", "by", "day"),
    )


def _owned_by(table: str, column: str, **options: Any) -> "sa.Column[str]":
    """Return a column that names the row that this one is deleted with."""
    key = sa.ForeignKey(f"{table}.{column}", ondelete="CASCADE")
    return sa.Column(column, sa.String(64), key, nullable=False, **options)
