"""Store of pushed authorization requests (RFC 9126)."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import delete

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

    def consume(
        self, digest: bytes, client_id: ClientId, now: datetime
    ) -> PushedRequest | None:
        """Return and delete the request; None if unknown, expired or another client's.

        Atomic: of two concurrent calls, exactly one gets it.
        """
        columns = t.pushed_requests.c
        taking = delete(t.pushed_requests).where(
            columns.digest == digest, columns.client_id == client_id, columns.expires_at > now
        )
        return self._one(PushedRequest, taking.returning(t.pushed_requests))

    def purge(self, expired_before: datetime) -> int:
        """Delete requests that expired before then; return how many."""
        over = t.pushed_requests.c.expires_at < expired_before
        return self._changed(delete(t.pushed_requests).where(over))
