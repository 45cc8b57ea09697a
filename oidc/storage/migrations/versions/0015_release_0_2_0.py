"""The protocol database of 0.2.0.

Revision ID: 0015
Revises:
"""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = None
branch_labels = None
depends_on = None

_FUNCTION = """
CREATE FUNCTION thenar_tell_login() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify(
        'thenar_logins', encode(sha256(convert_to(NEW.login_id, 'UTF8')), 'hex')
    );
    RETURN NULL;
END
$$
"""
"""A notification holds a digest of the login id, so that listeners cannot open its page."""

_TRIGGER = """
CREATE TRIGGER thenar_tell_login AFTER UPDATE ON logins
FOR EACH ROW EXECUTE FUNCTION thenar_tell_login()
"""


def upgrade() -> None:
    _create_tables()
    if op.get_bind().dialect.name == "postgresql":  # SQLite sends no notifications
        op.execute(_FUNCTION)
        op.execute(_TRIGGER)


def _owned_by(table: str, column: str, **options: Any) -> "sa.Column[str]":
    """Return a column that names the row that this one is deleted with."""
    key = sa.ForeignKey(f"{table}.{column}", ondelete="CASCADE")
    return sa.Column(column, sa.String(64), key, nullable=False, **options)


def _create_tables() -> None:
    op.create_table(
        "account_aliases",
        sa.Column("only", sa.SmallInteger, primary_key=True, autoincrement=False),
        sa.Column("proof", sa.String(36), nullable=False),
    )
    op.create_table(
        "audit_entries",
        sa.Column("position", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Column("event", sa.String(48), nullable=False),
        sa.Column("details", sa.Text, nullable=False),
        sa.Column("digest", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "browser_sessions",
        sa.Column("digest", sa.LargeBinary, primary_key=True),
        sa.Column("session_id", sa.String(64), nullable=False, index=True),
        sa.Column("account", sa.String(36), nullable=False, index=True),
        sa.Column("auth_time", sa.BigInteger, nullable=False),
        sa.Column("amr", sa.Text, nullable=False),
        sa.Column("expires_at", sa.BigInteger, nullable=False, index=True),
    )
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
        sa.Column(
            "authentication", sa.String(24), nullable=False, server_default="client_secret"
        ),
        sa.Column("jwks", sa.Text),
        sa.Column("require_pkce", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column("id_token_algorithm", sa.String(16), nullable=False, server_default="RS256"),
        sa.Column("resource_server", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column("require_par", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column("require_dpop", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column("profile", sa.String(16), nullable=False, server_default="standard"),
        sa.Column("former_secret_digest", sa.LargeBinary),
        sa.Column("former_secret_ends_at", sa.BigInteger),
        sa.Column("post_logout_redirect_uris", sa.Text, nullable=False, server_default="[]"),
        sa.Column("backchannel_logout_uri", sa.Text),
        sa.Column(
            "backchannel_logout_session_required",
            sa.Boolean,
            nullable=False,
            server_default=sa.false(),
        ),
        sa.Column("confirm_code", sa.String(16), nullable=False, server_default="on-risk"),
        sa.Column(
            "require_trusted_phone", sa.Boolean, nullable=False, server_default=sa.false()
        ),
        sa.Column("sandbox", sa.Boolean, nullable=False, server_default=sa.false()),
    )
    op.create_table(
        "developers",
        sa.Column("developer_id", sa.String(64), primary_key=True),
        sa.Column("email", sa.Text, nullable=False),
        sa.Column("note", sa.Text, nullable=False),
        sa.Column("invited_at", sa.BigInteger, nullable=False),
        sa.Column("invitation_digest", sa.LargeBinary, unique=True),
        sa.Column("invitation_ends_at", sa.BigInteger, nullable=False),
        sa.Column("subject", sa.String(64), unique=True),
        sa.Column("joined_at", sa.BigInteger),
    )
    op.create_table(
        "initial_access_tokens",
        sa.Column("token_id", sa.String(64), primary_key=True),
        sa.Column("digest", sa.LargeBinary, nullable=False, unique=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("expires_at", sa.BigInteger, nullable=False),
        sa.Column("revoked_at", sa.BigInteger),
    )
    op.create_table(
        "known_browsers",
        sa.Column("digest", sa.LargeBinary, primary_key=True),
        sa.Column("expires_at", sa.BigInteger, nullable=False, index=True),
    )
    op.create_table(
        "login_tallies",
        sa.Column("hour", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("state", sa.String(16), primary_key=True),
        sa.Column("count", sa.Integer, nullable=False),
    )
    op.create_table(
        "pseudonyms",
        sa.Column("subject", sa.String(64), primary_key=True),
        sa.Column("sector", sa.String(255), nullable=False),
        sa.Column("account", sa.String(36)),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Index("uq_pseudonyms_account_sector", "account", "sector", unique=True),
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
    op.create_table(
        "used_identifiers",
        sa.Column("digest", sa.LargeBinary, primary_key=True),
        sa.Column("expires_at", sa.BigInteger, nullable=False, index=True),
    )
    op.create_table(
        "client_errors",
        sa.Column("error_id", sa.Integer, primary_key=True),
        _owned_by("clients", "client_id"),
        sa.Column("happened_at", sa.BigInteger, nullable=False),
        sa.Column("endpoint", sa.String(32), nullable=False),
        sa.Column("error", sa.String(64), nullable=False),
        sa.Column("description", sa.Text, nullable=False),
        sa.Index("ix_client_errors_client_id", "client_id", "error_id"),
    )
    op.create_table(
        "consents",
        sa.Column("subject", sa.String(64), primary_key=True),
        _owned_by("clients", "client_id", primary_key=True, index=True),
        sa.Column("scope", sa.Text, nullable=False),
        sa.Column("shown", sa.LargeBinary, nullable=False),
        sa.Column("given_at", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "developer_clients",
        _owned_by("clients", "client_id", primary_key=True),
        _owned_by("developers", "developer_id", index=True),
    )
    op.create_table(
        "grants",
        sa.Column("grant_id", sa.String(64), primary_key=True),
        _owned_by("clients", "client_id", index=True),
        sa.Column("subject", sa.String(64), nullable=False, index=True),
        sa.Column("scope", sa.Text, nullable=False),
        sa.Column("nonce", sa.Text),
        sa.Column("auth_time", sa.BigInteger, nullable=False),
        sa.Column("amr", sa.Text, nullable=False),
        sa.Column("expires_at", sa.BigInteger, nullable=False, index=True),
        sa.Column("revoked_at", sa.BigInteger),
        sa.Column("session_id", sa.String(64), index=True),
        sa.Column("sid", sa.String(64), index=True),
    )
    op.create_table(
        "logins",
        sa.Column("login_id", sa.String(64), primary_key=True),
        sa.Column("browser_digest", sa.LargeBinary, nullable=False),
        sa.Column("ticket_anchor", sa.LargeBinary, nullable=False),
        _owned_by("clients", "client_id", index=True),
        sa.Column("request", sa.Text, nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("seq", sa.Integer, nullable=False),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("expires_at", sa.BigInteger, nullable=False),
        sa.Column("claimant", sa.Text, index=True),
        sa.Column("expected_account", sa.String(36)),
        sa.Column("account", sa.String(36)),
        sa.Column("auth_time", sa.BigInteger),
        sa.Column("amr", sa.Text, nullable=False),
        sa.Column("opened_at", sa.BigInteger, nullable=False, server_default="0"),
        sa.Column("asked_at", sa.BigInteger, nullable=False, server_default="0"),
        sa.Column("origin", sa.Text, nullable=False, server_default="{}"),
        sa.Column("network", sa.String(16), nullable=False, server_default="unknown"),
        sa.Column("browser_mark", sa.LargeBinary),
        sa.Column("confirmation_code", sa.String(8)),
        sa.Column("code_attempts", sa.Integer, nullable=False, server_default="0"),
        sa.Column("grant_id", sa.String(64)),
        sa.Index("ix_logins_state_expires_at", "state", "expires_at"),
        sa.UniqueConstraint("ticket_anchor", name="logins_ticket_digest_key"),
    )
    op.create_table(
        "logout_notices",
        sa.Column("notice_id", sa.String(64), primary_key=True),
        _owned_by("clients", "client_id", index=True),
        sa.Column("subject", sa.String(64), nullable=False),
        sa.Column("sid", sa.String(64)),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("due_at", sa.BigInteger, nullable=False, index=True),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "portal_sessions",
        sa.Column("digest", sa.LargeBinary, primary_key=True),
        _owned_by("developers", "developer_id", index=True),
        sa.Column("expires_at", sa.BigInteger, nullable=False, index=True),
    )
    op.create_table(
        "pushed_requests",
        sa.Column("digest", sa.LargeBinary, primary_key=True),
        _owned_by("clients", "client_id", index=True),
        sa.Column("parameters", sa.Text, nullable=False),
        sa.Column("expires_at", sa.BigInteger, nullable=False, index=True),
    )
    op.create_table(
        "registrations",
        _owned_by("clients", "client_id", primary_key=True),
        sa.Column("digest", sa.LargeBinary, nullable=False),
        sa.Column("token_id", sa.String(64), nullable=False),
        sa.Column("registered_at", sa.BigInteger, nullable=False),
        sa.Index("ix_registrations_token_id_registered_at", "token_id", "registered_at"),
    )
    op.create_table(
        "sign_ins",
        sa.Column("grant_id", sa.String(64), primary_key=True),
        _owned_by("clients", "client_id", index=True),
        sa.Column("subject", sa.String(64), nullable=False),
        sa.Column("claimant", sa.Text, nullable=False),
        sa.Column("amr", sa.Text, nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False, index=True),
        sa.Index("ix_sign_ins_subject_at", "subject", "at"),
    )
    op.create_table(
        "codes",
        sa.Column("digest", sa.LargeBinary, primary_key=True),
        _owned_by("grants", "grant_id", index=True),
        sa.Column("client_id", sa.String(64), nullable=False),
        sa.Column("redirect_uri", sa.Text, nullable=False),
        sa.Column("code_challenge", sa.String(128)),
        sa.Column("expires_at", sa.BigInteger, nullable=False),
        sa.Column("spent_at", sa.BigInteger),
        sa.Column("dpop_jkt", sa.String(64)),
    )
    op.create_table(
        "refresh_tokens",
        sa.Column("digest", sa.LargeBinary, primary_key=True),
        _owned_by("grants", "grant_id", index=True),
        sa.Column("client_id", sa.String(64), nullable=False),
        sa.Column("expires_at", sa.BigInteger, nullable=False),
        sa.Column("spent_at", sa.BigInteger),
        sa.Column("family_ends_at", sa.BigInteger, nullable=False, server_default="0"),
        sa.Column("sealed_successor", sa.LargeBinary),
        sa.Column("sealed_until", sa.BigInteger, index=True),
        sa.Column("dpop_jkt", sa.String(64)),
    )
