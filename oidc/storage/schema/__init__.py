"""The tables of the protocol database. Secrets are stored as SHA-256 digests."""

from oidc.storage.schema.audit import audit_entries, login_tallies
from oidc.storage.schema.browsers import browser_sessions, known_browsers, logout_notices
from oidc.storage.schema.clients import (
    client_errors,
    client_logos,
    clients,
    initial_access_tokens,
    registrations,
)
from oidc.storage.schema.columns import metadata
from oidc.storage.schema.developers import (
    client_invitations,
    client_members,
    developer_clients,
    developers,
    portal_sessions,
)
from oidc.storage.schema.grants import codes, grants, refresh_tokens, sign_ins
from oidc.storage.schema.keys import signing_keys, used_identifiers
from oidc.storage.schema.logins import logins, pushed_requests
from oidc.storage.schema.pseudonyms import account_aliases, consents, pseudonyms

__all__ = [
    "account_aliases",
    "audit_entries",
    "browser_sessions",
    "client_errors",
    "client_invitations",
    "client_logos",
    "client_members",
    "clients",
    "codes",
    "consents",
    "developer_clients",
    "developers",
    "grants",
    "initial_access_tokens",
    "known_browsers",
    "login_tallies",
    "logins",
    "logout_notices",
    "metadata",
    "portal_sessions",
    "pseudonyms",
    "pushed_requests",
    "refresh_tokens",
    "registrations",
    "sign_ins",
    "signing_keys",
    "used_identifiers",
]
