"""Families of refresh tokens: rotation, the grace of a few seconds, and two ends."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from oidc.clients import registry
from oidc.storage.database import Database
from oidc.storage.transactions import Stores
from oidc.tokens import refresh
from oidc.tokens.refresh import PresentedToken
from oidc.types import Grant, GrantId, Lifetimes, PairwiseSubject
from tests.support.clock import FakeClock
from tests.support.service.sign_in import SignIn

OFFLINE = "openid offline_access"
LIFETIMES = Lifetimes()
GRACE_S = LIFETIMES.refresh_grace_s
NOW = FakeClock()()


class TestGrace:
    """A lost answer, or two tabs at once, must not sign a person out."""

    def test_within_the_grace_the_same_successor_is_given(
        self, sign_in: SignIn, clock: FakeClock
    ) -> None:
        """One successor, never two; access tokens are fresh."""
        first = sign_in.tokens(scope=OFFLINE)
        second = sign_in.refresh(first["refresh_token"]).json()
        clock.advance(GRACE_S - 1)

        again = sign_in.refresh(first["refresh_token"]).json()

        assert again["refresh_token"] == second["refresh_token"]
        assert again["access_token"] != second["access_token"]
        assert again["refresh_token_expires_in"] == second["refresh_token_expires_in"] - 9
        assert sign_in.refresh(second["refresh_token"]).status_code == 200

    def test_after_the_grace_reuse_revokes_the_family(
        self, sign_in: SignIn, clock: FakeClock
    ) -> None:
        """RFC 9700 §4.14.2: one of the two who showed it is a thief."""
        first = sign_in.tokens(scope=OFFLINE)
        second = sign_in.refresh(first["refresh_token"]).json()
        clock.advance(GRACE_S)

        again = sign_in.refresh(first["refresh_token"])

        assert (again.status_code, again.json()["error"]) == (400, "invalid_grant")
        assert sign_in.refresh(second["refresh_token"]).json()["error"] == "invalid_grant"
        assert sign_in.userinfo(second["access_token"]).status_code == 401

    def test_a_used_successor_ends_the_grace(self, sign_in: SignIn) -> None:
        """Whoever used it had received it: the predecessor is now in other hands."""
        first = sign_in.tokens(scope=OFFLINE)
        second = sign_in.refresh(first["refresh_token"]).json()
        third = sign_in.refresh(second["refresh_token"]).json()

        assert sign_in.refresh(first["refresh_token"]).json()["error"] == "invalid_grant"
        assert sign_in.refresh(third["refresh_token"]).json()["error"] == "invalid_grant"

    def test_the_grace_can_be_switched_off(self, make_sign_in: Callable[..., SignIn]) -> None:
        """Then every reuse is a theft."""
        sign_in = make_sign_in(refresh_grace_s=0)
        first = sign_in.tokens(scope=OFFLINE)
        sign_in.refresh(first["refresh_token"])

        assert sign_in.refresh(first["refresh_token"]).json()["error"] == "invalid_grant"

    def test_another_client_gets_no_grace(self, sign_in: SignIn) -> None:
        """And does not end anything."""
        other = sign_in.register("Other", "https://other.example/cb")
        first = sign_in.tokens(scope=OFFLINE)
        second = sign_in.refresh(first["refresh_token"]).json()

        stolen = sign_in.refresh(
            first["refresh_token"],
            client_id=other.client.client_id,
            client_secret=other.secret,
        )

        assert stolen.json()["error"] == "invalid_grant"
        assert sign_in.refresh(second["refresh_token"]).status_code == 200

    def test_a_revoked_grant_has_no_grace(self, sign_in: SignIn) -> None:
        """The account was deleted in between."""
        first = sign_in.tokens(scope=OFFLINE)
        sign_in.refresh(first["refresh_token"])
        with sign_in.database.write() as stores:
            grant_id = sign_in.opened(first["access_token"]).claims["grant_id"]
            stores.grants.revoke(GrantId(grant_id), sign_in.clock())

        assert sign_in.refresh(first["refresh_token"]).json()["error"] == "invalid_grant"

    def test_concurrent_refreshes_all_get_one_successor(self, sign_in: SignIn) -> None:
        """Two successors of one token would be two families."""
        token = sign_in.tokens(scope=OFFLINE)["refresh_token"]

        with ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(lambda _: sign_in.refresh(token), range(8)))

        assert [answer.status_code for answer in answers] == [200] * 8
        assert len({answer.json()["refresh_token"] for answer in answers}) == 1

    def test_the_store_holds_no_token_that_works(self, sign_in: SignIn, folder: Path) -> None:
        """Neither the spent one, nor its successor, nor a key that opens it."""
        first = sign_in.tokens(scope=OFFLINE)
        second = sign_in.refresh(first["refresh_token"]).json()

        stored = b"".join(path.read_bytes() for path in folder.glob("protocol.sqlite3*"))
        for body in (first, second):
            assert body["refresh_token"].encode() not in stored

    def test_the_sealed_successor_is_erased(self, sign_in: SignIn, clock: FakeClock) -> None:
        """After the grace nobody needs it."""
        sign_in.refresh(sign_in.tokens(scope=OFFLINE)["refresh_token"])
        clock.advance(GRACE_S)
        sign_in.sweep()

        with sign_in.database.write() as stores:
            assert stores.tokens.erase_successors(clock() + timedelta(days=1)) == 0


class TestEnds:
    """An absolute end for the family, an idle end for each token. ASVS 10.4.8."""

    def test_an_unused_token_dies(self, sign_in: SignIn, clock: FakeClock) -> None:
        """A stolen backup is worth nothing a month later."""
        first = sign_in.tokens(scope=OFFLINE)
        clock.advance(LIFETIMES.refresh_token_idle_s)

        assert first["refresh_token_expires_in"] == LIFETIMES.refresh_token_idle_s
        assert sign_in.refresh(first["refresh_token"]).json()["error"] == "invalid_grant"

    def test_the_end_of_a_family_does_not_move(
        self, make_sign_in: Callable[..., SignIn], clock: FakeClock
    ) -> None:
        """However often it is used."""
        sign_in = make_sign_in(refresh_token_lifetime_s=100, refresh_token_idle_s=60)
        first = sign_in.tokens(scope=OFFLINE)
        clock.advance(50)
        second = sign_in.refresh(first["refresh_token"]).json()
        clock.advance(40)
        third = sign_in.refresh(second["refresh_token"]).json()
        clock.advance(10)

        expiries = [each["refresh_token_expires_in"] for each in (first, second, third)]
        assert expiries == [60, 50, 10]
        assert sign_in.refresh(third["refresh_token"]).json()["error"] == "invalid_grant"


def test_a_refresh_token_of_a_revoked_grant_has_no_successor(database: Database) -> None:
    """The account was deleted between looking at the token and spending it."""
    with database.write() as stores:
        presented = _presented(stores)
        stores.grants.revoke(presented.stored.grant_id, NOW)

        assert refresh.rotate(stores, presented, LIFETIMES, NOW) is None


def test_the_loser_of_a_race_gets_the_same_successor(database: Database) -> None:
    """Both had shown the unspent token within the grace."""
    with database.write() as stores:
        presented = _presented(stores)
        won = refresh.rotate(stores, presented, LIFETIMES, NOW)
        lost = refresh.rotate(stores, presented, LIFETIMES, NOW)

        assert won is not None
        assert won == lost


@pytest.mark.parametrize("lifetimes", [replace(LIFETIMES, refresh_grace_s=0)])
def test_without_a_grace_the_loser_of_a_race_revokes_the_family(
    database: Database, lifetimes: Lifetimes
) -> None:
    """The token is in two hands."""
    with database.write() as stores:
        presented = _presented(stores)
        won = refresh.rotate(stores, presented, lifetimes, NOW)

        assert won is not None
        assert refresh.rotate(stores, presented, lifetimes, NOW) is None
        assert stores.grants.find(presented.stored.grant_id) is None


def _presented(stores: Stores) -> PresentedToken:
    """Issue a refresh token and show it."""
    client = registry.register(stores, "Shop", ["https://a.example/"], now=NOW).client
    subject = PairwiseSubject("vu-1")
    grant = Grant(GrantId("g"), client.client_id, subject, ("openid",), "n", NOW, ("user",))
    stores.grants.add(grant, NOW + timedelta(hours=1))
    issued = refresh.begin_family(stores, grant, LIFETIMES, NOW)
    presented = refresh.find_usable(stores, issued.token, client.client_id, NOW)
    assert presented is not None
    assert issued.token not in repr((issued, presented))
    return presented
