"""Tables of portal developers, their clients, teams and sessions.

``developer_clients`` names the one owner of a client, ``client_members`` the others.
"""

from __future__ import annotations

from sqlalchemy import Column, LargeBinary, String, Table, Text

from oidc.storage.schema.columns import Instant, metadata, of_client, of_developer

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

developer_clients = Table(
    "developer_clients",
    metadata,
    of_client(primary_key=True),
    of_developer(),
)

client_members = Table(
    "client_members",
    metadata,
    of_client(primary_key=True),
    of_developer(primary_key=True),
)

client_invitations = Table(
    "client_invitations",
    metadata,
    Column("digest", LargeBinary, primary_key=True),
    of_client(index=True),
    of_developer(),
    Column("ends_at", Instant, nullable=False, index=True),
)

portal_sessions = Table(
    "portal_sessions",
    metadata,
    Column("digest", LargeBinary, primary_key=True),
    of_developer(),
    Column("expires_at", Instant, nullable=False, index=True),
)
