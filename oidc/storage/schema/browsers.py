"""Tables of browser sessions, known browsers and logout notices."""

from __future__ import annotations

from sqlalchemy import Column, Integer, LargeBinary, String, Table

from oidc.storage.schema.columns import AccountColumn, Instant, Json, metadata, of_client

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
