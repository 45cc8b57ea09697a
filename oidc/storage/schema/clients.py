"""Tables of clients and their developers.

``developer_clients`` names the one owner of a client, ``client_members`` the others.
"""

from __future__ import annotations

from sqlalchemy import (
    Boolean,
    Column,
    Index,
    Integer,
    LargeBinary,
    String,
    Table,
    Text,
    UniqueConstraint,
)

from oidc.storage.schema.columns import (
    Choice,
    Day,
    Instant,
    Json,
    metadata,
    of_client,
    of_developer,
)
from oidc.types import AuditEvent, Authentication, ConfirmCode, Profile

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
    Column("authentication", Choice(Authentication, 24), nullable=False),
    Column("jwks", Text),
    Column("require_pkce", Boolean, nullable=False),
    Column("id_token_algorithm", String(16), nullable=False),
    Column("resource_server", Boolean, nullable=False),
    Column("require_par", Boolean, nullable=False),
    Column("require_dpop", Boolean, nullable=False),
    Column("profile", Choice(Profile, 16), nullable=False),
    Column("former_secret_digest", LargeBinary),
    Column("former_secret_ends_at", Instant),
    Column("confirm_code", Choice(ConfirmCode, 16), nullable=False),
    Column("post_logout_redirect_uris", Json, nullable=False),
    Column("backchannel_logout_uri", Text),
    Column("backchannel_logout_session_required", Boolean, nullable=False),
    Column("accept_palm_alone", Boolean, nullable=False),
    Column("accept_stations", Boolean, nullable=False),
    Column("sandbox", Boolean, nullable=False),
    Column("native", Boolean, nullable=False),
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
    of_client(primary_key=True),
    Column("digest", LargeBinary, nullable=False),
    Column("token_id", String(64), nullable=False),
    Column("registered_at", Instant, nullable=False),
    Index("ix_registrations_token_id_registered_at", "token_id", "registered_at"),
)

client_logos = Table(
    "client_logos",
    metadata,
    of_client(primary_key=True),
    Column("version", String(16), nullable=False),
    Column("png", LargeBinary, nullable=False),
)

client_errors = Table(
    "client_errors",
    metadata,
    Column("error_id", Integer, primary_key=True, autoincrement=True),
    of_client(),
    Column("happened_at", Instant, nullable=False),
    Column("endpoint", String(32), nullable=False),
    Column("error", String(64), nullable=False),
    Column("description", Text, nullable=False),
    Index("ix_client_errors_client_id", "client_id", "error_id"),
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
    Column("proven_at", Instant, nullable=False),
    Column("draft", Text, nullable=False),
)

team_notices = Table(
    "team_notices",
    metadata,
    Column("notice_id", Integer, primary_key=True, autoincrement=True),
    of_developer(),
    Column("client_id", String(64), nullable=False),
    Column("client_name", Text, nullable=False),
    Column("event", Choice(AuditEvent, 32), nullable=False),
    Column("by", Text, nullable=False),
    Column("day", Day, nullable=False, index=True),
    UniqueConstraint("developer_id", "client_id", "event", "by", "day"),
)
