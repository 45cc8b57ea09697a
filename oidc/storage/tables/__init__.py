"""The tables of the protocol database: migrations make them, queries use them.

Secrets are SHA-256 digests.
"""

from oidc.storage.tables.audit import audit_entries, login_tallies
from oidc.storage.tables.browsers import browser_sessions, known_browsers, logout_notices
from oidc.storage.tables.clients import (
    client_errors,
    clients,
    initial_access_tokens,
    registrations,
)
from oidc.storage.tables.columns import metadata
from oidc.storage.tables.developers import developer_clients, developers, portal_sessions
from oidc.storage.tables.grants import codes, grants, refresh_tokens
from oidc.storage.tables.keys import signing_keys, used_identifiers
from oidc.storage.tables.logins import logins, pushed_requests
from oidc.storage.tables.people import consents, pseudonyms

__all__ = [
    "audit_entries",
    "browser_sessions",
    "client_errors",
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
    "signing_keys",
    "used_identifiers",
]
