"""The latest sign-ins of an account, and how a person ends what one phone signed in.

For an account just verified by a palm. Names and phones pass, never a subject.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from oidc.accounts import pseudonym
from oidc.logout import rp_initiated
from oidc.protocol.redirect_uris import hosts_of
from oidc.types import AuditEvent, SignIn

if TYPE_CHECKING:
    from oidc.storage.database import Database
    from oidc.storage.stores.logins.sign_ins import SignInRecord
    from oidc.storage.transactions import Stores
    from oidc.types import AccountId, Claimant, Client, ClientId, Clock, PairwiseSubject

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
            rp_initiated.end_reported_logins(stores, known, now)
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
