"""Tables of logins, pushed requests, browsers and logout notices."""

from __future__ import annotations

from sqlalchemy import Column, Index, Integer, LargeBinary, String, Table, Text

from oidc.storage.schema.columns import (
    AccountColumn,
    Choice,
    Day,
    Instant,
    Json,
    metadata,
    of_client,
)
from oidc.types import Level, LoginState, Network

logins = Table(
    "logins",
    metadata,
    Column("login_id", String(64), primary_key=True),
    Column("browser_digest", LargeBinary, nullable=False),
    Column("ticket_anchor", LargeBinary, nullable=False, unique=True),
    of_client(index=True),
    Column("request", Json, nullable=False),
    Column("state", Choice(LoginState, 16), nullable=False),
    Column("seq", Integer, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("expires_at", Instant, nullable=False),
    Column("claimant", Text),
    Column("expected_account", AccountColumn),
    Column("account", AccountColumn),
    Column("auth_time", Instant),
    Column("level", Choice(Level, 24)),
    Column("opened_at", Instant, nullable=False),
    Column("asked_at", Instant, nullable=False),
    Column("origin", Json, nullable=False),
    Column("network", Choice(Network, 16), nullable=False),
    Column("browser_mark", LargeBinary),
    Column("station", LargeBinary),
    Column("confirmation_code", String(8)),
    Column("code_attempts", Integer, nullable=False),
    Column("grant_id", String(64)),
    Index("ix_logins_state_expires_at", "state", "expires_at"),
    Index("ix_logins_claimant", "claimant"),
)

pushed_requests = Table(
    "pushed_requests",
    metadata,
    Column("digest", LargeBinary, primary_key=True),
    of_client(index=True),
    Column("parameters", Json, nullable=False),
    Column("expires_at", Instant, nullable=False, index=True),
)


browser_sessions = Table(
    "browser_sessions",
    metadata,
    Column("digest", LargeBinary, primary_key=True),
    Column("session_id", String(64), nullable=False, index=True),
    Column("account", AccountColumn, nullable=False, index=True),
    Column("auth_time", Instant, nullable=False),
    Column("level", Choice(Level, 24), nullable=False),
    Column("expires_at", Instant, nullable=False, index=True),
)
login_days = Table(
    "login_days",
    metadata,
    # No foreign key: counting would wait for the client's removal, which waits for its logins.
    Column("client_id", String(64), primary_key=True),
    Column("day", Day, primary_key=True, autoincrement=False),
    Column("state", String(16), primary_key=True),
    Column("count", Integer, nullable=False),
)


known_browsers = Table(
    "known_browsers",
    metadata,
    Column("digest", LargeBinary, primary_key=True),
    Column("expires_at", Instant, nullable=False, index=True),
)

logout_notices = Table(
    "logout_notices",
    metadata,
    Column("notice_id", String(64), primary_key=True),
    of_client(index=True),
    Column("subject", String(64), nullable=False),
    Column("sid", String(64)),
    Column("attempts", Integer, nullable=False),
    Column("due_at", Instant, nullable=False, index=True),
    sqlite_with_rowid=False,  # in the order of random names, not of insertion
)
