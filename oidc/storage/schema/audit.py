"""Tables of the audit log and of hourly login counts."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Integer, LargeBinary, String, Table, Text

from oidc.storage.schema.columns import Instant, metadata

audit_entries = Table(
    "audit_entries",
    metadata,
    Column("position", BigInteger, primary_key=True, autoincrement=False),
    Column("at", Instant, nullable=False),
    Column("event", String(48), nullable=False),
    Column("details", Text, nullable=False),
    Column("digest", LargeBinary, nullable=False),
)

login_tallies = Table(
    "login_tallies",
    metadata,
    Column("hour", Instant, primary_key=True, autoincrement=False),
    Column("state", String(16), primary_key=True),
    Column("count", Integer, nullable=False),
)
