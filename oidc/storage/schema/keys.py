"""Tables of signing keys and single-use identifiers."""

from __future__ import annotations

from sqlalchemy import Column, LargeBinary, String, Table, Text

from oidc.storage.schema.columns import Instant, metadata

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
