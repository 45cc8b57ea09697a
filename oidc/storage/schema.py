"""The tables of the protocol database. Secrets are stored as SHA-256 digests.

``developer_clients`` names the one owner of a client, ``client_members`` the others.
"""

from collections.abc import Iterator
from typing import Any, get_type_hints

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Index,
    Integer,
    LargeBinary,
    SmallInteger,
    String,
    Text,
    UniqueConstraint,
)

from oidc.client import Authentication, Client, ConfirmCode, Profile
from oidc.plumbing.columns import Choice
from oidc.storage.columns import (
    AccountColumn,
    Day,
    Instant,
    Json,
    of_client,
    of_developer,
    of_grant,
    table,
)
from oidc.types import AuditEvent, Level, LoginState, Network


def _of_options() -> Iterator[Column[Any]]:
    """Return a column for each flag, list and optional text of ``Client``, by its name."""
    for name, hint in get_type_hints(Client).items():
        if hint is bool:
            yield Column(name, Boolean, nullable=False)
        elif hint == tuple[str, ...]:
            yield Column(name, Json, nullable=False)
        elif hint == str | None:
            yield Column(name, Text)


clients = table(
    "clients",
    Column("client_id", String(64), primary_key=True),
    Column("name", Text, nullable=False),
    Column("sector", String(255), nullable=False),
    Column("secret_digest", LargeBinary, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("authentication", Choice(Authentication, 24), nullable=False),
    Column("id_token_algorithm", String(16), nullable=False),
    Column("profile", Choice(Profile, 16), nullable=False),
    Column("former_secret_digest", LargeBinary),
    Column("former_secret_ends_at", Instant),
    Column("confirm_code", Choice(ConfirmCode, 16), nullable=False),
    *_of_options(),
)

initial_access_tokens = table(
    "initial_access_tokens",
    Column("token_id", String(64), primary_key=True),
    Column("digest", LargeBinary, nullable=False, unique=True),
    Column("name", Text, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("expires_at", Instant, nullable=False),
    Column("revoked_at", Instant),
)

registrations = table(
    "registrations",
    of_client(primary_key=True),
    Column("digest", LargeBinary, nullable=False),
    Column("token_id", String(64), nullable=False),
    Column("registered_at", Instant, nullable=False),
    Index("ix_registrations_token_id_registered_at", "token_id", "registered_at"),
)

client_logos = table(
    "client_logos",
    of_client(primary_key=True),
    Column("version", String(16), nullable=False),
    Column("png", LargeBinary, nullable=False),
)

client_errors = table(
    "client_errors",
    Column("error_id", Integer, primary_key=True, autoincrement=True),
    of_client(),
    Column("happened_at", Instant, nullable=False),
    Column("endpoint", String(32), nullable=False),
    Column("error", String(64), nullable=False),
    Column("description", Text, nullable=False),
    Index("ix_client_errors_client_id", "client_id", "error_id"),
)

developers = table(
    "developers",
    Column("developer_id", String(64), primary_key=True),
    Column("email", Text, nullable=False),
    Column("note", Text, nullable=False),
    Column("invited_at", Instant, nullable=False),
    Column("invitation_digest", LargeBinary, unique=True),
    Column("invitation_ends_at", Instant, nullable=False),
    Column("subject", String(64), unique=True),
    Column("joined_at", Instant),
)

developer_clients = table("developer_clients", of_client(primary_key=True), of_developer())

client_members = table(
    "client_members", of_client(primary_key=True), of_developer(primary_key=True)
)

client_invitations = table(
    "client_invitations",
    Column("digest", LargeBinary, primary_key=True),
    of_client(index=True),
    of_developer(),
    Column("ends_at", Instant, nullable=False, index=True),
)

portal_sessions = table(
    "portal_sessions",
    Column("digest", LargeBinary, primary_key=True),
    of_developer(),
    Column("expires_at", Instant, nullable=False, index=True),
    Column("proven_at", Instant, nullable=False),
    Column("draft", Text, nullable=False),
)

team_notices = table(
    "team_notices",
    Column("notice_id", Integer, primary_key=True, autoincrement=True),
    of_developer(),
    Column("client_id", String(64), nullable=False),
    Column("client_name", Text, nullable=False),
    Column("event", Choice(AuditEvent, 32), nullable=False),
    Column("by", Text, nullable=False),
    Column("day", Day, nullable=False, index=True),
    UniqueConstraint("developer_id", "client_id", "event", "by", "day"),
)

logins = table(
    "logins",
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

pushed_requests = table(
    "pushed_requests",
    Column("digest", LargeBinary, primary_key=True),
    of_client(index=True),
    Column("parameters", Json, nullable=False),
    Column("expires_at", Instant, nullable=False, index=True),
)

browser_sessions = table(
    "browser_sessions",
    Column("digest", LargeBinary, primary_key=True),
    Column("session_id", String(64), nullable=False, index=True),
    Column("account", AccountColumn, nullable=False, index=True),
    Column("auth_time", Instant, nullable=False),
    Column("level", Choice(Level, 24), nullable=False),
    Column("expires_at", Instant, nullable=False, index=True),
)

login_days = table(
    "login_days",
    # No foreign key: counting would wait for the client's removal, which waits for its logins.
    Column("client_id", String(64), primary_key=True),
    Column("day", Day, primary_key=True, autoincrement=False),
    Column("state", String(16), primary_key=True),
    Column("count", Integer, nullable=False),
)

known_browsers = table(
    "known_browsers",
    Column("digest", LargeBinary, primary_key=True),
    Column("expires_at", Instant, nullable=False, index=True),
)

logout_notices = table(
    "logout_notices",
    Column("notice_id", String(64), primary_key=True),
    of_client(index=True),
    Column("subject", String(64), nullable=False),
    Column("sid", String(64)),
    Column("attempts", Integer, nullable=False),
    Column("due_at", Instant, nullable=False, index=True),
    sqlite_with_rowid=False,  # in the order of random names, not of insertion
)

grants = table(
    "grants",
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

codes = table(
    "codes",
    Column("digest", LargeBinary, primary_key=True),
    of_grant(),
    Column("client_id", String(64), nullable=False),
    Column("redirect_uri", Text, nullable=False),
    Column("code_challenge", String(128)),
    Column("expires_at", Instant, nullable=False),
    Column("spent_at", Instant),
    Column("dpop_jkt", String(64)),
)

refresh_tokens = table(
    "refresh_tokens",
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

sign_ins = table(
    "sign_ins",
    Column("grant_id", String(64), primary_key=True),
    of_client(index=True),
    Column("subject", String(64), nullable=False),
    Column("claimant", Text, nullable=False),
    Column("level", Choice(Level, 24), nullable=False),
    Column("at", Day, nullable=False, index=True),
    Index("ix_sign_ins_subject_at", "subject", "at"),
)

pseudonyms = table(
    "pseudonyms",
    Column("subject", String(64), primary_key=True),
    Column("sector", String(255), nullable=False),
    Column("account", AccountColumn),
    Column("created_at", Day, nullable=False),
    Index("uq_pseudonyms_account_sector", "account", "sector", unique=True),
)

consents = table(
    "consents",
    Column("subject", String(64), primary_key=True),
    of_client(primary_key=True, index=True),
    Column("scope", Json, nullable=False),
    Column("shown", LargeBinary, nullable=False),
    Column("given_at", Day, nullable=False),
)

account_aliases = table(
    "account_aliases",
    Column("only", SmallInteger, primary_key=True, autoincrement=False),
    # The alias of no account: other keys give another one.
    Column("proof", AccountColumn, nullable=False),
)

audit_entries = table(
    "audit_entries",
    Column("position", BigInteger, primary_key=True, autoincrement=False),
    Column("at", Instant, nullable=False),
    Column("event", String(48), nullable=False),
    Column("details", Text, nullable=False),
    Column("digest", LargeBinary, nullable=False),
)

login_tallies = table(
    "login_tallies",
    Column("hour", Instant, primary_key=True, autoincrement=False),
    Column("state", String(16), primary_key=True),
    Column("count", Integer, nullable=False),
)

signing_keys = table(
    "signing_keys",
    Column("kid", String(64), primary_key=True),
    Column("algorithm", String(16), nullable=False),
    Column("public_jwk", Text, nullable=False),
    Column("sealed_private", LargeBinary, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("signs_from", Instant, nullable=False),
    Column("retires_at", Instant),
)

used_identifiers = table(
    "used_identifiers",
    Column("digest", LargeBinary, primary_key=True),
    Column("expires_at", Instant, nullable=False, index=True),
)

processes = table(
    "processes",
    Column("host", String(255), primary_key=True),
    Column("pid", Integer, primary_key=True, autoincrement=False),
    # Hosts of containers may share a name, and their processes a number.
    Column("program", String(32), primary_key=True),
    Column("protocol", String(32), nullable=False),
    Column("biometric", String(32), nullable=False),
    Column("seen_at", Instant, nullable=False, index=True),
)
