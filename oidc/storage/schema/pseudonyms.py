"""Tables of pseudonyms, consents, and whose aliases the accounts are."""

from __future__ import annotations

from sqlalchemy import Column, Index, LargeBinary, SmallInteger, String, Table

from oidc.storage.schema.columns import AccountColumn, Instant, Json, metadata, of_client

pseudonyms = Table(
    "pseudonyms",
    metadata,
    Column("subject", String(64), primary_key=True),
    Column("sector", String(255), nullable=False),
    Column("account", AccountColumn),
    Column("created_at", Instant, nullable=False),
    Index("uq_pseudonyms_account_sector", "account", "sector", unique=True),
)

consents = Table(
    "consents",
    metadata,
    Column("subject", String(64), primary_key=True),
    of_client(primary_key=True, index=True),
    Column("scope", Json, nullable=False),
    Column("shown", LargeBinary, nullable=False),
    Column("given_at", Instant, nullable=False),
)

account_aliases = Table(
    "account_aliases",
    metadata,
    Column("only", SmallInteger, primary_key=True, autoincrement=False),
    # The alias of no account: other keys give another one.
    Column("proof", AccountColumn, nullable=False),
)
