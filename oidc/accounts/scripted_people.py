"""The ten people whom sandbox clients sign in. They do not exist.

Their accounts are fixed. No real person has one: the alias of an account is any of 2^128
numbers.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Final
from uuid import UUID, uuid5

from oidc.types import AccountId

_NAMESPACE: Final = UUID("6f3a1c52-0d6e-4f0b-9c43-2a8d5be1f7c4")

PEOPLE: Final = MappingProxyType(
    {
        name: AccountId(uuid5(_NAMESPACE, name))
        for name in (f"person-{number}" for number in range(1, 11))
    }
)
"""Account of each, by the name that a sandbox client asks for."""


def is_scripted_person(account: AccountId) -> bool:
    """Return whether the account is one of the ten."""
    return account in PEOPLE.values()
