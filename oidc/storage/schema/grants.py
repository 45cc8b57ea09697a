"""Tables of pseudonyms and consents, grants, codes, refresh tokens and sign-ins."""

from __future__ import annotations

from sqlalchemy import Column, Index, LargeBinary, SmallInteger, String, Table, Text

from oidc.storage.schema.columns import (
    AccountColumn,
    Choice,
    Day,
    Instant,
    Json,
    metadata,
    of_client,
    of_grant,
)
from oidc.types import Level

grants = Table(
    "grants",
    metadata,
    Column("grant_id", String(64), primary_key=True),
    of_client(index=True),
    Column("subject", String(64), nullable=False, index=True),
    Column("scope", Json, nullable=False),
    Column("nonce", Json),
    Column("auth_time", Instant, nullable=False),
    Column("level", Choice(Level, 24), nullable=False),
    Column("expires_at", Instant, nullable=False, index=True),
    Column("revoked_at", Day),
    Column("session_id", String(64), index=True),
    Column("sid", String(64), index=True),
)

codes = Table(
    "codes",
    metadata,
    Column("digest", LargeBinary, primary_key=True),
    of_grant(),
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
    of_grant(),
    Column("client_id", String(64), nullable=False),
    Column("expires_at", Instant, nullable=False),
    Column("spent_at", Instant),
    Column("family_ends_at", Instant, nullable=False),
    Column("sealed_successor", LargeBinary),
    Column("sealed_until", Instant, index=True),
    Column("dpop_jkt", String(64)),
)

sign_ins = Table(
    "sign_ins",
    metadata,
    Column("grant_id", String(64), primary_key=True),
    of_client(index=True),
    Column("subject", String(64), nullable=False),
    Column("claimant", Text, nullable=False),
    Column("level", Choice(Level, 24), nullable=False),
    Column("at", Day, nullable=False, index=True),
    Index("ix_sign_ins_subject_at", "subject", "at"),
)


pseudonyms = Table(
    "pseudonyms",
    metadata,
    Column("subject", String(64), primary_key=True),
    Column("sector", String(255), nullable=False),
    Column("account", AccountColumn),
    Column("created_at", Day, nullable=False),
    Index("uq_pseudonyms_account_sector", "account", "sector", unique=True),
)

consents = Table(
    "consents",
    metadata,
    Column("subject", String(64), primary_key=True),
    of_client(primary_key=True, index=True),
    Column("scope", Json, nullable=False),
    Column("shown", LargeBinary, nullable=False),
    Column("given_at", Day, nullable=False),
)

account_aliases = Table(
    "account_aliases",
    metadata,
    Column("only", SmallInteger, primary_key=True, autoincrement=False),
    # The alias of no account: other keys give another one.
    Column("proof", AccountColumn, nullable=False),
)
