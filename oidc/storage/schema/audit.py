"""Tables of the audit log, signing keys, used identifiers, and processes that run."""

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

processes = Table(
    "processes",
    metadata,
    Column("host", String(255), primary_key=True),
    Column("pid", Integer, primary_key=True, autoincrement=False),
    # Hosts of containers may share a name, and their processes a number.
    Column("program", String(32), primary_key=True),
    Column("protocol", String(32), nullable=False),
    Column("biometric", String(32), nullable=False),
    Column("seen_at", Instant, nullable=False, index=True),
)
