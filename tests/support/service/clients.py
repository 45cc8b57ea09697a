"""Clients as an operator registers them, from typed options."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from oidc.client import Client, Policy, Setter
from oidc.clients import registry
from oidc.clients.options import STORED, Checked, check
from oidc.clients.registry import RegisteredClient
from oidc.storage.database import Stores

OPERATOR = Policy(Setter.OPERATOR, private_hosts=True)


def checked(
    name: str, redirect_uris: Sequence[str], policy: Policy = OPERATOR, **options: Any
) -> Checked:
    """Judge options, by field of ``Client``."""
    typed = {"name": name, "redirect_uris": redirect_uris, **options}
    given = [each for each in STORED if each.attribute in typed]
    return check({each.name: each.written(typed[each.attribute]) for each in given}, policy)


def add_client(
    stores: Stores, name: str, redirect_uris: Sequence[str], now: datetime, **options: Any
) -> RegisteredClient:
    """Register a client."""
    return registry.register(stores, checked(name, redirect_uris, **options), now=now)


def change_client(
    stores: Stores,
    client: Client,
    name: str,
    redirect_uris: Sequence[str],
    now: datetime,
    **options: Any,
) -> Client:
    """Change a client; what is left out returns to its default."""
    policy = Policy(Setter.OPERATOR, private_hosts=True, present=client)
    locked = registry.require_locked(stores, client.client_id)
    return registry.update(
        stores, locked, checked(name, redirect_uris, policy, **options), now=now
    )
