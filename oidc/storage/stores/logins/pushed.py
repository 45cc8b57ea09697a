"""Store of pushed authorization requests (RFC 9126)."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import delete, select

from oidc.plumbing.store import Store
from oidc.storage import schema as t
from oidc.types import ClientId


@dataclass(frozen=True, slots=True)
class PushedRequest:
    """A stored pushed request.

    Attributes:
        digest: SHA-256 of the ``request_uri`` reference.
    """

    digest: bytes = field(repr=False)
    client_id: ClientId
    parameters: dict[str, str] = field(repr=False)
    expires_at: datetime


class PushedRequestStore(Store):
    """Stores pushed requests."""

    def add(self, pushed: PushedRequest) -> None:
        """Add a request."""
        self._add(t.pushed_requests, pushed)

    def find(self, digest: bytes, client_id: ClientId, now: datetime) -> PushedRequest | None:
        """Return the request; None if unknown, spent, expired or another client's."""
        columns = t.pushed_requests.c
        return self._one(
            PushedRequest,
            select(t.pushed_requests).where(
                columns.digest == digest,
                columns.client_id == client_id,
                columns.expires_at > now,
            ),
        )

    def spend(self, digest: bytes) -> bool:
        """Delete the request, also an expired one; of concurrent calls one returns True."""
        its_own = t.pushed_requests.c.digest == digest
        return self._changed(delete(t.pushed_requests).where(its_own)) > 0

    def purge(self, expired_before: datetime) -> int:
        """Delete requests that expired before then; return how many."""
        over = t.pushed_requests.c.expires_at < expired_before
        return self._changed(delete(t.pushed_requests).where(over))
