"""Reuse of a code or refresh token: ends its grant and audits it."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from oidc.storage.transactions import Stores
from oidc.types import AuditEvent, GrantId


class Credential(StrEnum):
    """What may be used once."""

    CODE = "code"
    REFRESH_TOKEN = "refresh_token"  # noqa: S105 - a name


def end_grant(stores: Stores, grant_id: GrantId, credential: Credential, now: datetime) -> None:
    """End the grant with its codes and tokens. RFC 6749 §4.1.2, RFC 9700 §4.14.2.

    Audited once, with the client but not the person.
    """
    grant = stores.grants.find(grant_id)
    if grant is None:
        return
    stores.grants.revoke(grant_id, now)
    client, presented = grant.client_id, credential.value
    stores.audit.record(AuditEvent.CREDENTIAL_REUSED, now, client=client, credential=presented)
