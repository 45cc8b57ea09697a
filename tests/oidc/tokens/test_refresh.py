"""Families of refresh tokens: rotation, the grace of a few seconds, and two ends."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from oidc.types import Authentication, GrantId, Lifetimes
from tests.support.clock import FakeClock
from tests.support.service.sign_in import MakeSignIn, SignIn, error_of, half_hash

OFFLINE = "openid offline_access"
LIFETIMES = Lifetimes()
GRACE_S = LIFETIMES.refresh_grace_s
GONE = (400, "invalid_grant")


def test_a_refresh_renews_every_token(sign_in: SignIn, clock: FakeClock) -> None:
    """Specification §4.4. OpenID Connect Core §12.2: same person and palm, no nonce."""
    first = sign_in.tokens(scope=OFFLINE, nonce="n")
    clock.advance(100)

    second = sign_in.refresh(first["refresh_token"]).json()

    before, after = sign_in.claims(first), sign_in.claims(second)
    assert set(second) == set(first)
    assert second["refresh_token"] != first["refresh_token"]
    kept = ("iss", "sub", "aud", "auth_time", "sid", "acr", "amr")
    assert [after[name] for name in kept] == [before[name] for name in kept]
    assert after["iat"] == before["iat"] + 100
    assert after["at_hash"] == half_hash(second["access_token"])
    assert "nonce" not in after
    assert sign_in.userinfo(second["access_token"]).json() == {"sub": before["sub"]}


REFUSED: dict[str, tuple[dict[str, str | None], str]] = {
    "specification §4.4 grant_type is missing": ({"grant_type": None}, "invalid_request"),
    "specification §4.4 client_id is missing": ({"client_id": None}, "invalid_client"),
    "specification §4.4 refresh_token is missing": ({"refresh_token": None}, "invalid_request"),
    "specification §4.4 no secret": ({"client_secret": None}, "invalid_client"),
    "RFC 6749 §6 wrong secret": ({"client_secret": "x"}, "invalid_client"),
    "RFC 6749 §5.2 unknown refresh token": ({"refresh_token": "x"}, "invalid_grant"),
    "RFC 6749 §6 more scope than was granted": (
        {"scope": "openid offline_access profile"},
        "invalid_scope",
    ),
    "RFC 6749 §6 another scope": ({"scope": "openid profile"}, "invalid_scope"),
    "RFC 6749 §3.3 no scope at all": ({"scope": " "}, "invalid_scope"),
}


@pytest.mark.parametrize(("changes", "error"), REFUSED.values(), ids=REFUSED)
def test_a_refresh_with_one_thing_wrong(
    sign_in: SignIn, changes: dict[str, str | None], error: str
) -> None:
    """The token stays good for a correct request."""
    token = sign_in.tokens(scope=OFFLINE)["refresh_token"]

    answer = sign_in.refresh(**{"refresh_token": token, **changes})

    assert error_of(answer) == (401 if error == "invalid_client" else 400, error)
    assert sign_in.refresh(token, scope="openid openid").json()["scope"] == "openid"


def test_nothing_else_that_we_signed_is_a_refresh_token(sign_in: SignIn) -> None:
    """Specification §4.4: “A valid refresh token”."""
    given = sign_in.tokens(scope=OFFLINE)

    for name in ("access_token", "id_token"):
        assert error_of(sign_in.refresh(given[name])) == GONE


def test_a_client_may_ask_for_less(sign_in: SignIn) -> None:
    """RFC 6749 §6: for one access token, not for ever."""
    token = sign_in.tokens(scope=OFFLINE)["refresh_token"]

    less = sign_in.refresh(token, scope="offline_access").json()

    assert less["scope"] == "offline_access"
    assert "id_token" not in less
    assert sign_in.userinfo(less["access_token"]).status_code == 403
    assert sign_in.refresh(less["refresh_token"]).json()["scope"] == OFFLINE


@pytest.mark.parametrize("spent", [False, True])
def test_another_client_can_neither_use_nor_burn_a_refresh_token(
    sign_in: SignIn, *, spent: bool
) -> None:
    """RFC 6749 §10.4: bound to its client; there is no grace for another one either."""
    first = sign_in.tokens(scope=OFFLINE)["refresh_token"]
    good = sign_in.refresh(first).json()["refresh_token"] if spent else first

    assert error_of(sign_in.another().refresh(first)) == GONE
    assert sign_in.refresh(good).status_code == 200


def _wait(sign_in: SignIn, _second: str) -> None:
    sign_in.clock.advance(GRACE_S)


def _use(sign_in: SignIn, second: str) -> None:
    assert sign_in.refresh(second).status_code == 200


def _do_nothing(_sign_in: SignIn, _second: str) -> None:
    """Come at once."""


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
        left_s = second["refresh_token_expires_in"] - (GRACE_S - 1)
        assert again["refresh_token_expires_in"] == left_s
        assert sign_in.refresh(second["refresh_token"]).status_code == 200

    @pytest.mark.parametrize("options", [{}, {"authentication": Authentication.NONE}])
    @pytest.mark.parametrize(
        ("settings", "between"),
        [({}, _wait), ({}, _use), ({"refresh_grace_s": 0}, _do_nothing)],
        ids=["after the grace", "the successor was used", "without a grace"],
    )
    def test_reuse_ends_the_family(
        self,
        make_sign_in: MakeSignIn,
        settings: dict[str, Any],
        between: Callable[[SignIn, str], None],
        options: dict[str, Any],
    ) -> None:
        """RFC 9700 §2.2.2, §4.14.2: one of the two who showed it is a thief."""
        sign_in = make_sign_in(**settings).another(**options)
        first = sign_in.tokens(scope=OFFLINE)["refresh_token"]
        second = sign_in.refresh(first).json()
        between(sign_in, second["refresh_token"])

        assert error_of(sign_in.refresh(first)) == GONE
        assert error_of(sign_in.refresh(second["refresh_token"])) == GONE
        assert sign_in.userinfo(second["access_token"]).status_code == 401

    def test_a_revoked_grant_has_no_grace(self, sign_in: SignIn) -> None:
        """The account was deleted in between."""
        first = sign_in.tokens(scope=OFFLINE)
        sign_in.refresh(first["refresh_token"])
        with sign_in.database.write() as stores:
            grant_id = sign_in.opened(first["access_token"]).claims["grant_id"]
            stores.grants.revoke(GrantId(grant_id), sign_in.clock())

        assert error_of(sign_in.refresh(first["refresh_token"])) == GONE

    def test_the_encrypted_successor_is_erased(self, sign_in: SignIn, clock: FakeClock) -> None:
        """After the grace it is not needed."""
        sign_in.refresh(sign_in.tokens(scope=OFFLINE)["refresh_token"])
        clock.advance(GRACE_S)
        sign_in.sweep()

        with sign_in.database.write() as stores:
            assert stores.tokens.erase_successors(clock() + timedelta(days=1)) == 0


def test_a_family_ends_when_it_is_not_used_and_when_its_time_is_over(
    make_sign_in: MakeSignIn, clock: FakeClock
) -> None:
    """An idle end for each token, an absolute end for the family. ASVS 10.4.8."""
    sign_in = make_sign_in(refresh_token_lifetime_s=100, refresh_token_idle_s=60)
    idle, given = sign_in.tokens(scope=OFFLINE), [sign_in.tokens(scope=OFFLINE)]
    for seconds in (50, 40):
        clock.advance(seconds)
        given.append(sign_in.refresh(given[-1]["refresh_token"]).json())
    clock.advance(10)

    assert [each["refresh_token_expires_in"] for each in given] == [60, 50, 10]
    for late in (idle, given[-1]):
        assert error_of(sign_in.refresh(late["refresh_token"])) == GONE
