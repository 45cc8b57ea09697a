"""Delivers logout notices from the outbox, retries, then gives up.

Back-Channel Logout 1.0 §2.5, §2.8. One process claims a notice for a while; if it dies, another
delivers it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import timedelta
from threading import Event
from typing import Final

from oidc.clients import error_log
from oidc.errors import DeliveryFailed
from oidc.keys.signing_keys import SigningKeys
from oidc.logout.tokens import TYPE, logout_token_claims
from oidc.storage.database import Database
from oidc.storage.stores.logins.logouts import LogoutNotice
from oidc.types import Client, Clock

LOGGER: Final = logging.getLogger(__name__)

Post = Callable[[str, str], None]
"""Posts a logout token to a URL; raises ``DeliveryFailed``."""

CLAIM_LIFETIME: Final = timedelta(seconds=60)
"""How long a notice is claimed: longer than any delivery takes."""

RETRIES: Final = tuple(timedelta(seconds=pause) for pause in (10, 60, 300, 1800, 7200))
"""Pauses after failed attempts; the last attempt follows the last pause."""

_PARALLEL: Final = 8


@dataclass(frozen=True, slots=True)
class LogoutDelivery:
    """Empties the outbox. Blocking; safe in several threads and processes."""

    database: Database
    keys: SigningKeys
    clock: Clock
    issuer: str
    post: Post
    stopping: Event = field(default_factory=Event)

    def deliver(self) -> int:
        """Deliver what is due; return how many notices were tried."""
        tried = 0
        with ThreadPoolExecutor(_PARALLEL, "logout") as pool:
            while not self.stopping.is_set() and (claimed := self._claim()):
                tried += len(list(pool.map(self._deliver, claimed)))
        return tried

    def _claim(self) -> list[LogoutNotice]:
        now = self.clock()
        with self.database.write() as stores:
            return stores.logouts.claim(now, now + CLAIM_LIFETIME, count=_PARALLEL)

    def _deliver(self, notice: LogoutNotice) -> None:
        with self.database.read() as stores:
            client = stores.clients.find(notice.client_id)
        if client is None or client.backchannel_logout_uri is None:
            self._remove(notice)
            return
        try:
            self.post(client.backchannel_logout_uri, self._token(client, notice))
        except DeliveryFailed as fault:
            self._try_again(notice, fault)
        else:
            self._remove(notice)

    def _token(self, client: Client, notice: LogoutNotice) -> str:
        claims = logout_token_claims(notice, issuer=self.issuer, now=self.clock())
        return self.keys.sign(claims, typ=TYPE, algorithm=client.id_token_algorithm)

    def _try_again(self, notice: LogoutNotice, fault: DeliveryFailed) -> None:
        with self.database.write() as stores:
            error = ("delivery_failed", str(fault))
            error_log.record_error(stores, notice.client_id, "logout", error, self.clock())
        if notice.attempts > len(RETRIES):
            LOGGER.warning(
                "client %s was not notified of a logout: %s", notice.client_id, fault
            )
            self._remove(notice)
            return
        with self.database.write() as stores:
            until = self.clock() + RETRIES[notice.attempts - 1]
            stores.logouts.postpone(notice, until)

    def _remove(self, notice: LogoutNotice) -> None:
        with self.database.write() as stores:
            stores.logouts.remove(notice.notice_id)
