"""The clients that know an account, its latest sign-ins, and how a person ends either.

For an account just verified by a palm. Names, phones and opaque handles pass, never a subject:
a handle is a digest over account and subject, so no client can compute it.
"""

import hashlib
import hmac
from typing import Final

from oidc import logout
from oidc.accounts import pseudonym
from oidc.client import Client
from oidc.errors import LinkedClientGone
from oidc.protocol import hosts_of
from oidc.storage.database import Database, Stores
from oidc.storage.stores.sessions import SignInRecord
from oidc.types import (
    AccountId,
    AuditEvent,
    Claimant,
    ClientId,
    Clock,
    LinkedClient,
    LinkedClientHandle,
    PairwiseSubject,
    Pseudonym,
    SectorIdentifier,
    SignIn,
)


class LinkedClients:
    """The clients that know an account. Blocking, thread-safe."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def of(self, account: AccountId) -> list[LinkedClient]:
        """Return the clients that know the account, latest first.

        Clients of one sector share a pseudonym: they are one entry. Removed clients are not
        listed.
        """
        with self._database.read() as stores:
            known = pseudonym.pseudonyms_of(stores, account)
            clients = _by_sector(stores, known)
        return [
            _connection(account, each, clients[each.sector])
            for each in sorted(known, key=lambda each: each.created_at, reverse=True)
            if clients[each.sector]
        ]

    def disconnect(self, account: AccountId, handle: LinkedClientHandle) -> None:
        """End a pseudonym, its grants and its open logins.

        Atomic, and effective at once in every process. The pseudonym is locked before the
        logins: a browser collecting now either commits first, and its grant ends, or finds its
        login cancelled. Raises ``LinkedClientGone``.
        """
        now = self._clock()
        with self._database.write() as stores:
            for each in pseudonym.pseudonyms_of(stores, account):
                if hmac.compare_digest(
                    _handle(account, each).encode(), handle.encode("utf-8", "surrogatepass")
                ):
                    if not pseudonym.disconnect(stores, each.subject, now):
                        break
                    stores.logins.cancel_for(account, now, each.sector)
                    stores.audit.record(AuditEvent.PSEUDONYM_WITHDRAWN, now)
                    return
        raise LinkedClientGone("this app is not connected to the account")


def _by_sector(stores: Stores, known: list[Pseudonym]) -> dict[SectorIdentifier, list[Client]]:
    by_sector: dict[SectorIdentifier, list[Client]] = {each.sector: [] for each in known}
    for client in stores.clients.of_sectors(list(by_sector)):
        by_sector[client.sector].append(client)
    return by_sector


def _connection(account: AccountId, known: Pseudonym, clients: list[Client]) -> LinkedClient:
    hosts = hosts_of(uri for client in clients for uri in client.redirect_uris)
    return LinkedClient(
        handle=_handle(account, known),
        client_name=", ".join(client.name for client in clients),
        client_host=hosts,
        since=known.created_at,
        signs_out=any(client.backchannel_logout_uri for client in clients),
    )


def _handle(account: AccountId, known: Pseudonym) -> LinkedClientHandle:
    data = b"thenar connection" + account.bytes + known.subject.encode("ascii")
    return LinkedClientHandle(hashlib.sha256(data).digest()[:16].hex())


_COUNT: Final = 20
"""How many sign-ins a person is shown."""


class SignIns:
    """The sign-ins of accounts. Blocking, thread-safe."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def of(self, account: AccountId) -> list[SignIn]:
        """Return the latest sign-ins by palm, newest first."""
        with self._database.read() as stores:
            found = stores.sign_ins.latest(_subjects(stores, account), _COUNT)
            clients = _clients_of(stores, found)
        return [_shown(each, clients[each.client_id]) for each in found]

    def end(self, account: AccountId, claimant: Claimant) -> int:
        """Revoke what a phone signed in, with sessions and consents; return how many grants.

        Atomic, idempotent. Cancel the phone's open logins before (``Handoff.cancel_claims``).
        """
        now = self._clock()
        with self._database.write() as stores:
            named = stores.sign_ins.grants_of(_subjects(stores, account), claimant)
            known = [grant for each in named if (grant := stores.grants.find_any(each))]
            count = sum(stores.grants.find(each.grant_id) is not None for each in known)
            logout.end_reported_logins(stores, known, now)
            stores.consents.remove([each.subject for each in known])
            if count:
                stores.audit.record(AuditEvent.SIGN_INS_ENDED, now, count=count)
        return count

    def hand_over(self, account: AccountId, before: Claimant, after: Claimant) -> None:
        """Count what one phone signed in as another one's."""
        with self._database.write() as stores:
            stores.sign_ins.hand_over(_subjects(stores, account), before, after)


def _subjects(stores: Stores, account: AccountId) -> list[PairwiseSubject]:
    return [each.subject for each in pseudonym.pseudonyms_of(stores, account)]


def _clients_of(stores: Stores, found: list[SignInRecord]) -> dict[ClientId, Client]:
    known = (stores.clients.find(each) for each in {each.client_id for each in found})
    return {client.client_id: client for client in known if client is not None}


def _shown(record: SignInRecord, client: Client) -> SignIn:
    host = hosts_of(client.redirect_uris)
    return SignIn(client.name, host, record.at, record.claimant, record.level)
