"""Browser sessions, remembered consents and logout notices.

OpenID Connect RP-Initiated Logout 1.0, Back-Channel Logout 1.0.

Revision ID: 0007
Revises: 0006
"""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def _of_client() -> sa.Column[str]:
    return sa.Column(
        "client_id",
        sa.String(64),
        sa.ForeignKey("clients.client_id", ondelete="CASCADE"),
        nullable=False,
    )


def upgrade() -> None:
    of_clients = (
        sa.Column("post_logout_redirect_uris", sa.Text, nullable=False, server_default="[]"),
        sa.Column("backchannel_logout_uri", sa.Text),
        sa.Column(
            "backchannel_logout_session_required",
            sa.Boolean,
            nullable=False,
            server_default=sa.false(),
        ),
    )
    for column in of_clients:
        op.add_column("clients", column)
    op.add_column("grants", sa.Column("session_id", sa.String(64)))
    op.add_column("grants", sa.Column("sid", sa.String(64)))
    op.create_index("ix_grants_session_id", "grants", ["session_id"])
    op.create_index("ix_grants_sid", "grants", ["sid"])
    op.create_table(
        "browser_sessions",
        sa.Column("digest", sa.LargeBinary, primary_key=True),
        sa.Column("session_id", sa.String(64), nullable=False),
        sa.Column("account", sa.String(36), nullable=False),
        sa.Column("auth_time", sa.BigInteger, nullable=False),
        sa.Column("amr", sa.Text, nullable=False),
        sa.Column("expires_at", sa.BigInteger, nullable=False),
    )
    op.create_index("ix_browser_sessions_session_id", "browser_sessions", ["session_id"])
    op.create_index("ix_browser_sessions_account", "browser_sessions", ["account"])
    op.create_index("ix_browser_sessions_expires_at", "browser_sessions", ["expires_at"])
    op.create_table(
        "consents",
        sa.Column("subject", sa.String(64), primary_key=True),
        sa.Column(
            "client_id",
            sa.String(64),
            sa.ForeignKey("clients.client_id", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column("scope", sa.Text, nullable=False),
        sa.Column("shown", sa.LargeBinary, nullable=False),
        sa.Column("given_at", sa.BigInteger, nullable=False),
    )
    op.create_index("ix_consents_client_id", "consents", ["client_id"])
    op.create_table(
        "logout_notices",
        sa.Column("notice_id", sa.String(64), primary_key=True),
        _of_client(),
        sa.Column("subject", sa.String(64), nullable=False),
        sa.Column("sid", sa.String(64)),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("due_at", sa.BigInteger, nullable=False),
    )
    op.create_index("ix_logout_notices_client_id", "logout_notices", ["client_id"])
    op.create_index("ix_logout_notices_due_at", "logout_notices", ["due_at"])
