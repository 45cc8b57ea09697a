"""The client in an address, and whether the developer may see it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oidc.errors import UnknownClient
from oidc.protocol.identifiers import is_identifier
from oidc.storage.stores.audit import Actor
from oidc.types import ClientId

if TYPE_CHECKING:
    from oidc.portal.sessions import Visit
    from oidc.storage.transactions import Stores
    from oidc.types import Client


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


def set_actor(stores: Stores, visit: Visit) -> None:
    """Let the audit log name the developer. Raises ``NotSignedIn``."""
    stores.audit.set_actor(Actor.DEVELOPER, visit.require_developer().developer_id)
