"""Aliases are a permutation that two keys make, and neither key alone undoes."""

from itertools import pairwise
from uuid import UUID

import pytest
from cryptography.exceptions import InvalidTag
from hypothesis import given
from hypothesis import strategies as st

from oidc.aliases import Aliases
from oidc.types import AccountId, Claimant

BIOMETRIC, PROTOCOL, OTHER = b"b" * 32, b"p" * 32, b"o" * 32
ALIASES = Aliases(BIOMETRIC, PROTOCOL)
PHONE = Claimant("NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs")


@given(st.uuids())
def test_each_account_is_found_again_from_its_alias(account: UUID) -> None:
    """A permutation: no account is lost, no two are one."""
    alias = ALIASES.alias_of(AccountId(account))

    assert ALIASES.account_of(alias) == account
    assert alias != account


@given(st.text(st.characters(codec="ascii"), min_size=1))
def test_each_phone_is_found_again_from_its_alias(name: str) -> None:
    """Whatever a former version stored."""
    alias = ALIASES.alias_of_phone(Claimant(name))

    assert ALIASES.phone_of(alias) == name
    assert alias == ALIASES.alias_of_phone(Claimant(name))


def test_every_key_counts() -> None:
    """The holder of one of them makes other aliases."""
    account = AccountId(UUID(int=1))
    keys = [(BIOMETRIC, PROTOCOL), (BIOMETRIC, OTHER), (OTHER, PROTOCOL), (PROTOCOL, BIOMETRIC)]
    made = [Aliases(*pair) for pair in keys]

    for one, other in pairwise(made):
        assert one.proof != other.proof
        assert one.alias_of(account) != other.alias_of(account)
        with pytest.raises(InvalidTag):
            other.phone_of(one.alias_of_phone(PHONE))


def test_the_aliases_of_two_keys_stay_what_they_are() -> None:
    """They are stored: a program that makes others would lose everybody."""
    alias = ALIASES.alias_of(AccountId(UUID(int=1)))
    assert str(alias) == "8934a9c6-74f7-bf91-b113-6652b570c0cf"
    assert ALIASES.alias_of_phone(PHONE) == (
        "FNUysAr-9L8sJhbMYvnAiqCDNbcUcXrQBwMk_p4RmoEhL_WqpS_ymcg4dvPr"
        "YQ4K2nruxr_5xuNX40W8gDOClRtiDlhXcN-GArEf"
    )
