"""Tables of a first login: clients, logins, grants, codes, refresh tokens, pseudonyms, keys.

Revision ID: 0001
Revises:
"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "clients",
        sa.Column("client_id", sa.String(64), primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("redirect_uris", sa.Text, nullable=False),
        sa.Column("scope", sa.Text, nullable=False),
        sa.Column("sector", sa.String(255), nullable=False),
        sa.Column("external_user_id", sa.Boolean, nullable=False),
        sa.Column("secret_digest", sa.LargeBinary, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "logins",
        sa.Column("login_id", sa.String(64), primary_key=True),
        sa.Column("browser_digest", sa.LargeBinary, nullable=False),
        sa.Column("ticket_digest", sa.LargeBinary, nullable=False, unique=True),
        _client(),
        sa.Column("request", sa.Text, nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("seq", sa.Integer, nullable=False),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("expires_at", sa.BigInteger, nullable=False),
        sa.Column("claimant", sa.Text),
        sa.Column("expected_account", sa.String(36)),
        sa.Column("account", sa.String(36)),
        sa.Column("auth_time", sa.BigInteger),
        sa.Column("amr", sa.Text, nullable=False),
    )
    op.create_index("ix_logins_client_id", "logins", ["client_id"])
    op.create_index("ix_logins_state_expires_at", "logins", ["state", "expires_at"])
    op.create_table(
        "grants",
        sa.Column("grant_id", sa.String(64), primary_key=True),
        _client(),
        sa.Column("subject", sa.String(64), nullable=False),
        sa.Column("scope", sa.Text, nullable=False),
        sa.Column("nonce", sa.Text),
        sa.Column("auth_time", sa.BigInteger, nullable=False),
        sa.Column("amr", sa.Text, nullable=False),
        sa.Column("expires_at", sa.BigInteger, nullable=False),
        sa.Column("revoked_at", sa.BigInteger),
    )
    op.create_index("ix_grants_client_id", "grants", ["client_id"])
    op.create_index("ix_grants_subject", "grants", ["subject"])
    op.create_index("ix_grants_expires_at", "grants", ["expires_at"])
    op.create_table(
        "codes",
        sa.Column("digest", sa.LargeBinary, primary_key=True),
        _grant(),
        sa.Column("client_id", sa.String(64), nullable=False),
        sa.Column("redirect_uri", sa.Text, nullable=False),
        sa.Column("code_challenge", sa.String(128)),
        sa.Column("expires_at", sa.BigInteger, nullable=False),
        sa.Column("spent_at", sa.BigInteger),
    )
    op.create_index("ix_codes_grant_id", "codes", ["grant_id"])
    op.create_table(
        "refresh_tokens",
        sa.Column("digest", sa.LargeBinary, primary_key=True),
        _grant(),
        sa.Column("client_id", sa.String(64), nullable=False),
        sa.Column("expires_at", sa.BigInteger, nullable=False),
        sa.Column("spent_at", sa.BigInteger),
    )
    op.create_index("ix_refresh_tokens_grant_id", "refresh_tokens", ["grant_id"])
    op.create_table(
        "pseudonyms",
        sa.Column("subject", sa.String(64), primary_key=True),
        sa.Column("sector", sa.String(255), nullable=False),
        sa.Column("account", sa.String(36)),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("withdrawn_at", sa.BigInteger),
    )
    op.create_index(
        "uq_pseudonyms_account_sector", "pseudonyms", ["account", "sector"], unique=True
    )
    op.create_table(
        "signing_keys",
        sa.Column("kid", sa.String(64), primary_key=True),
        sa.Column("algorithm", sa.String(16), nullable=False),
        sa.Column("public_jwk", sa.Text, nullable=False),
        sa.Column("sealed_private", sa.LargeBinary, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("signs_from", sa.BigInteger, nullable=False),
        sa.Column("retires_at", sa.BigInteger),
    )


def _client() -> "sa.Column[str]":
    return sa.Column(
        "client_id",
        sa.String(64),
        sa.ForeignKey("clients.client_id", ondelete="CASCADE"),
        nullable=False,
    )


def _grant() -> "sa.Column[str]":
    return sa.Column(
        "grant_id",
        sa.String(64),
        sa.ForeignKey("grants.grant_id", ondelete="CASCADE"),
        nullable=False,
    )
