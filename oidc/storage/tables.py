"""The tables of the protocol database: migrations make them, queries use them.

Times are integer microseconds since 1970 (UTC); secrets are SHA-256 digests.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Dialect,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    TypeDecorator,
)

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


class Instant(TypeDecorator[datetime]):
    """An aware UTC time, kept as integer microseconds: the same in every database."""

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> int | None:
        """Give the database microseconds."""
        return None if value is None else (value - _EPOCH) // _MICROSECOND

    def process_result_value(self, value: int | None, dialect: Dialect) -> datetime | None:
        """Give the program a time."""
        return None if value is None else _EPOCH + value * _MICROSECOND


class AccountColumn(TypeDecorator[UUID]):
    """An account, kept as text."""

    impl = String(36)
    cache_ok = True

    def process_bind_param(self, value: UUID | None, dialect: Dialect) -> str | None:
        """Give the database text."""
        return None if value is None else str(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> UUID | None:
        """Give the program an account."""
        return None if value is None else UUID(value)


class Json(TypeDecorator[Any]):
    """A JSON value kept as ASCII text: holds any string a client may send, NUL included."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:  # noqa: ANN401
        """Give the database text."""
        return None if value is None else json.dumps(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:  # noqa: ANN401
        """Give the program the value."""
        return None if value is None else json.loads(value)


metadata = MetaData()

clients = Table(
    "clients",
    metadata,
    Column("client_id", String(64), primary_key=True),
    Column("name", Text, nullable=False),
    Column("redirect_uris", Json, nullable=False),
    Column("scope", Json, nullable=False),
    Column("sector", String(255), nullable=False),
    Column("external_user_id", Boolean, nullable=False),
    Column("secret_digest", LargeBinary, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("authentication", String(24), nullable=False),
    Column("jwks", Text),
    Column("require_pkce", Boolean, nullable=False),
    Column("id_token_algorithm", String(16), nullable=False),
    Column("resource_server", Boolean, nullable=False),
    Column("require_par", Boolean, nullable=False),
    Column("require_dpop", Boolean, nullable=False),
    Column("profile", String(16), nullable=False),
    Column("former_secret_digest", LargeBinary),
    Column("former_secret_ends_at", Instant),
    Column("confirm_code", String(16), nullable=False),
    Column("post_logout_redirect_uris", Json, nullable=False),
    Column("backchannel_logout_uri", Text),
    Column("backchannel_logout_session_required", Boolean, nullable=False),
)

logins = Table(
    "logins",
    metadata,
    Column("login_id", String(64), primary_key=True),
    Column("browser_digest", LargeBinary, nullable=False),
    Column("ticket_anchor", LargeBinary, nullable=False, unique=True),
    Column(
        "client_id",
        ForeignKey("clients.client_id", ondelete="CASCADE"),
        nullable=False,
        index=True,
    ),
    Column("request", Json, nullable=False),
    Column("state", String(16), nullable=False),
    Column("seq", Integer, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("expires_at", Instant, nullable=False),
    Column("claimant", Text),
    Column("expected_account", AccountColumn),
    Column("account", AccountColumn),
    Column("auth_time", Instant),
    Column("amr", Json, nullable=False),
    Column("opened_at", Instant, nullable=False),
    Column("asked_at", Instant, nullable=False),
    Column("origin", Json, nullable=False),
    Column("network", String(16), nullable=False),
    Column("browser_mark", LargeBinary),
    Column("confirmation_code", String(8)),
    Column("code_attempts", Integer, nullable=False),
    Column("grant_id", String(64)),
    Index("ix_logins_state_expires_at", "state", "expires_at"),
    Index("ix_logins_claimant", "claimant"),
)

grants = Table(
    "grants",
    metadata,
    Column("grant_id", String(64), primary_key=True),
    Column(
        "client_id",
        ForeignKey("clients.client_id", ondelete="CASCADE"),
        nullable=False,
        index=True,
    ),
    Column("subject", String(64), nullable=False, index=True),
    Column("scope", Json, nullable=False),
    Column("nonce", Json),
    Column("auth_time", Instant, nullable=False),
    Column("amr", Json, nullable=False),
    Column("expires_at", Instant, nullable=False, index=True),
    Column("revoked_at", Instant),
    Column("session_id", String(64), index=True),
    Column("sid", String(64), index=True),
)


def _of_grant() -> Column[str]:
    return Column(
        "grant_id",
        ForeignKey("grants.grant_id", ondelete="CASCADE"),
        nullable=False,
        index=True,
    )


codes = Table(
    "codes",
    metadata,
    Column("digest", LargeBinary, primary_key=True),
    _of_grant(),
    Column("client_id", String(64), nullable=False),
    Column("redirect_uri", Text, nullable=False),
    Column("code_challenge", String(128)),
    Column("expires_at", Instant, nullable=False),
    Column("spent_at", Instant),
    Column("dpop_jkt", String(64)),
)

refresh_tokens = Table(
    "refresh_tokens",
    metadata,
    Column("digest", LargeBinary, primary_key=True),
    _of_grant(),
    Column("client_id", String(64), nullable=False),
    Column("expires_at", Instant, nullable=False),
    Column("spent_at", Instant),
    Column("family_ends_at", Instant, nullable=False),
    Column("sealed_successor", LargeBinary),
    Column("sealed_until", Instant, index=True),
    Column("dpop_jkt", String(64)),
)

pseudonyms = Table(
    "pseudonyms",
    metadata,
    Column("subject", String(64), primary_key=True),
    Column("sector", String(255), nullable=False),
    Column("account", AccountColumn),
    Column("created_at", Instant, nullable=False),
    Column("withdrawn_at", Instant),
    Index("uq_pseudonyms_account_sector", "account", "sector", unique=True),
)

signing_keys = Table(
    "signing_keys",
    metadata,
    Column("kid", String(64), primary_key=True),
    Column("algorithm", String(16), nullable=False),
    Column("public_jwk", Text, nullable=False),
    Column("sealed_private", LargeBinary, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("signs_from", Instant, nullable=False),
    Column("retires_at", Instant),
)

used_identifiers = Table(
    "used_identifiers",
    metadata,
    Column("digest", LargeBinary, primary_key=True),
    Column("expires_at", Instant, nullable=False, index=True),
)

pushed_requests = Table(
    "pushed_requests",
    metadata,
    Column("digest", LargeBinary, primary_key=True),
    Column(
        "client_id",
        ForeignKey("clients.client_id", ondelete="CASCADE"),
        nullable=False,
        index=True,
    ),
    Column("parameters", Json, nullable=False),
    Column("expires_at", Instant, nullable=False, index=True),
)

initial_access_tokens = Table(
    "initial_access_tokens",
    metadata,
    Column("token_id", String(64), primary_key=True),
    Column("digest", LargeBinary, nullable=False, unique=True),
    Column("name", Text, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("expires_at", Instant, nullable=False),
    Column("revoked_at", Instant),
)

registrations = Table(
    "registrations",
    metadata,
    Column(
        "client_id",
        ForeignKey("clients.client_id", ondelete="CASCADE"),
        primary_key=True,
    ),
    Column("digest", LargeBinary, nullable=False),
    Column("token_id", String(64), nullable=False),
    Column("registered_at", Instant, nullable=False),
    Index("ix_registrations_token_id_registered_at", "token_id", "registered_at"),
)

browser_sessions = Table(
    "browser_sessions",
    metadata,
    Column("digest", LargeBinary, primary_key=True),
    Column("session_id", String(64), nullable=False, index=True),
    Column("account", AccountColumn, nullable=False, index=True),
    Column("auth_time", Instant, nullable=False),
    Column("amr", Json, nullable=False),
    Column("expires_at", Instant, nullable=False, index=True),
)

consents = Table(
    "consents",
    metadata,
    Column("subject", String(64), primary_key=True),
    Column(
        "client_id",
        ForeignKey("clients.client_id", ondelete="CASCADE"),
        primary_key=True,
        index=True,
    ),
    Column("scope", Json, nullable=False),
    Column("shown", LargeBinary, nullable=False),
    Column("given_at", Instant, nullable=False),
)

logout_notices = Table(
    "logout_notices",
    metadata,
    Column("notice_id", String(64), primary_key=True),
    Column(
        "client_id",
        ForeignKey("clients.client_id", ondelete="CASCADE"),
        nullable=False,
        index=True,
    ),
    Column("subject", String(64), nullable=False),
    Column("sid", String(64)),
    Column("attempts", Integer, nullable=False),
    Column("due_at", Instant, nullable=False, index=True),
)

known_browsers = Table(
    "known_browsers",
    metadata,
    Column("digest", LargeBinary, primary_key=True),
    Column("expires_at", Instant, nullable=False, index=True),
)

developers = Table(
    "developers",
    metadata,
    Column("developer_id", String(64), primary_key=True),
    Column("email", Text, nullable=False),
    Column("note", Text, nullable=False),
    Column("invited_at", Instant, nullable=False),
    Column("invitation_digest", LargeBinary, unique=True),
    Column("invitation_ends_at", Instant, nullable=False),
    Column("subject", String(64), unique=True),
    Column("joined_at", Instant),
)


def _of_developer() -> Column[str]:
    return Column(
        "developer_id",
        ForeignKey("developers.developer_id", ondelete="CASCADE"),
        nullable=False,
        index=True,
    )


developer_clients = Table(
    "developer_clients",
    metadata,
    Column(
        "client_id",
        ForeignKey("clients.client_id", ondelete="CASCADE"),
        primary_key=True,
    ),
    _of_developer(),
)

portal_sessions = Table(
    "portal_sessions",
    metadata,
    Column("digest", LargeBinary, primary_key=True),
    _of_developer(),
    Column("expires_at", Instant, nullable=False, index=True),
)

client_errors = Table(
    "client_errors",
    metadata,
    Column("error_id", Integer, primary_key=True, autoincrement=True),
    Column("client_id", ForeignKey("clients.client_id", ondelete="CASCADE"), nullable=False),
    Column("happened_at", Instant, nullable=False),
    Column("endpoint", String(32), nullable=False),
    Column("error", String(64), nullable=False),
    Column("description", Text, nullable=False),
    Index("ix_client_errors_client_id", "client_id", "error_id"),
)
