"""The client in an address, and whether the developer may see it."""

from __future__ import annotations

from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from oidc.errors import PalmNeeded, UnknownClient
from oidc.protocol.identifiers import is_identifier
from oidc.storage.stores.audit import Actor
from oidc.types import ClientId

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oidc.portal.base import Portal
    from oidc.portal.sessions import Visit
    from oidc.storage.transactions import Stores
    from oidc.types import Client

PALM_LIFETIME: Final = timedelta(minutes=5)
"""How long after a palm, or a link, a developer may change what protects a client."""


def own_client(stores: Stores, visit: Visit) -> Client:
    """Return the client in the URL, if the developer is its owner or a member.

    Raises:
        NotSignedIn: no session.
        UnknownClient: it does not exist or belongs to others.
    """
    developer = visit.require_developer().developer_id
    named = str(visit.request.path_params["client_id"])
    found = is_identifier(named) and stores.owned_clients.find(ClientId(named), developer)
    if not found:
        raise UnknownClient("there is no such client")
    return found


@contextmanager
def changing(portal: Portal, visit: Visit) -> Iterator[Stores]:
    """Open a transaction in which the audit log names the developer.

    Raises:
        NotSignedIn: no session.
    """
    developer = visit.require_developer().developer_id
    with portal.services.database.write() as stores:
        stores.audit.set_actor(Actor.DEVELOPER, developer)
        yield stores


@contextmanager
def changing_with_palm(
    portal: Portal, visit: Visit, page: str = "", draft: str = ""
) -> Iterator[tuple[Stores, Client]]:
    """Open such a transaction with the client in the URL, for what needs a recent palm.

    ``page`` of the client is returned to with one, and may show the form that waits. Raises as
    ``own_client``, and ``PalmNeeded``.
    """
    digest, since = (
        portal.session_digest(visit.session),
        portal.services.clock() - PALM_LIFETIME,
    )
    with changing(portal, visit) as stores:
        client = own_client(stores, visit)
        if not stores.portal_sessions.is_proven(digest, since):
            raise PalmNeeded(f"/clients/{client.client_id}{page}", draft)
        yield stores, client
