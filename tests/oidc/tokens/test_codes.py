"""Authorization codes: issued once, spent once."""

from __future__ import annotations

from datetime import timedelta

import pytest

from oidc.clients import registry
from oidc.protocol.identifiers import digest_of
from oidc.storage.database import Database
from oidc.storage.transactions import Stores
from oidc.tokens import codes
from oidc.types import AuthorizationRequest, ClientId, Grant, GrantId, PairwiseSubject
from tests.support.clock import FakeClock

NOW = FakeClock()()
SOON = NOW + timedelta(seconds=60)


def issue(stores: Stores) -> tuple[str, Grant]:
    """Issue a code for a fresh client."""
    client = registry.register(stores, "Shop", ["https://a.example/"], now=NOW).client
    request = AuthorizationRequest(
        client.client_id,
        client.name,
        client.sector,
        "https://a.example/",
        ("openid",),
        code_challenge="challenge",
    )
    grant = Grant(
        GrantId("g"),
        client.client_id,
        PairwiseSubject("vu-1"),
        ("openid",),
        "n",
        NOW,
        ("user",),
    )
    return codes.issue(stores, grant, request, expires_at=SOON, keep_until=SOON), grant


def test_a_code_is_worth_its_grant_once(database: Database) -> None:
    """The second time it is worth nothing, and the grant is dead."""
    with database.write() as stores:
        code, grant = issue(stores)
        shown = codes.find_unspent(stores, code, grant.client_id, NOW)

        assert shown is not None
        assert (shown.redirect_uri, shown.code_challenge) == ("https://a.example/", "challenge")
        assert codes.consume(stores, shown, NOW) == grant
        assert stores.grants.find(grant.grant_id) == grant
        assert codes.find_unspent(stores, code, grant.client_id, NOW) is None
        assert stores.grants.find(grant.grant_id) is None


def test_the_loser_of_a_race_revokes_what_the_winner_got(database: Database) -> None:
    """Both had shown the unspent code: so it is in two hands."""
    with database.write() as stores:
        code, grant = issue(stores)
        first = codes.find_unspent(stores, code, grant.client_id, NOW)
        second = codes.find_unspent(stores, code, grant.client_id, NOW)
        assert first is not None
        assert second is not None

        assert codes.consume(stores, first, NOW) == grant
        assert codes.consume(stores, second, NOW) is None
        assert stores.grants.find(grant.grant_id) is None


def test_a_code_of_a_revoked_grant_is_worth_nothing(database: Database) -> None:
    """The account was deleted between the redirect and the token request."""
    with database.write() as stores:
        code, grant = issue(stores)
        shown = codes.find_unspent(stores, code, grant.client_id, NOW)
        stores.grants.revoke(grant.grant_id, NOW)

        assert shown is not None
        assert codes.consume(stores, shown, NOW) is None


@pytest.mark.parametrize("code", ["", "unknown", "\ud800"])
def test_an_unknown_code_is_worth_nothing(database: Database, code: str) -> None:
    """Whatever a stranger makes up."""
    with database.write() as stores:
        _, grant = issue(stores)

        assert codes.find_unspent(stores, code, grant.client_id, NOW) is None


def test_a_late_code_is_worth_nothing_and_harms_nothing(database: Database) -> None:
    """Expired is not reused: the grant is not revoked for it."""
    with database.write() as stores:
        code, grant = issue(stores)

        assert codes.find_unspent(stores, code, grant.client_id, SOON) is None
        assert stores.grants.find(grant.grant_id) == grant


def test_a_strangers_hand_leaves_the_code_alone(database: Database) -> None:
    """Another client's authentication must not burn it."""
    with database.write() as stores:
        code, grant = issue(stores)

        assert codes.find_unspent(stores, code, ClientId("another"), NOW) is None
        assert codes.find_unspent(stores, code, grant.client_id, NOW) is not None


def test_the_store_knows_a_digest_only(database: Database) -> None:
    """A copied database redeems nothing."""
    with database.write() as stores:
        code, _ = issue(stores)
        kept = stores.codes.find(digest_of(code))

    assert kept is not None
    assert len(code) >= 43
    assert code not in repr(kept)
