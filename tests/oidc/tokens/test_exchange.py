"""From a code to tokens, and from a refresh token to its successor: used once, or ended."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from oidc.client import Authentication
from oidc.storage.stores.grants import Code, RefreshToken
from oidc.tokens.refresh import Verdict, decide
from oidc.types import ClientId, GrantId, Lifetimes
from tests.support.at_once import at_once
from tests.support.clock import FakeClock
from tests.support.service.sign_in import (
    CHALLENGE,
    REDIRECT_URI,
    VERIFIER,
    MakeSignIn,
    SignIn,
    error_of,
    half_hash,
)

OFFLINE = "openid offline_access"
PKCE = {"code_challenge": CHALLENGE, "code_challenge_method": "S256"}
GONE = (400, "invalid_grant")

NOW = FakeClock()()
SOON, PAST = NOW + timedelta(seconds=1), NOW - timedelta(seconds=1)
CODE = Code(b"c", GrantId("g"), ClientId("shop"), REDIRECT_URI, None, expires_at=SOON)
TOKEN = RefreshToken(b"t", GrantId("g"), ClientId("shop"), expires_at=SOON, family_ends_at=SOON)
SPENT = replace(TOKEN, spent=True, sealed_successor=b"sealed", sealed_until=SOON)
NEXT = replace(TOKEN, digest=b"n")

Presented = Code | RefreshToken
DECISIONS: dict[str, tuple[Presented, RefreshToken | None, Verdict]] = {
    "a code in time": (CODE, None, Verdict.USE),
    "a code at its end": (replace(CODE, expires_at=NOW), None, Verdict.EXPIRED),
    "a spent code": (replace(CODE, spent=True), None, Verdict.REPLAY),
    "a spent code, late": (replace(CODE, spent=True, expires_at=PAST), None, Verdict.REPLAY),
    "a token in time": (TOKEN, None, Verdict.USE),
    "a token at its end": (replace(TOKEN, expires_at=NOW), None, Verdict.EXPIRED),
    "a spent token within the grace": (SPENT, NEXT, Verdict.SAME_SUCCESSOR),
    "a spent token, over by now": (replace(SPENT, expires_at=NOW), NEXT, Verdict.EXPIRED),
    "the grace is over": (replace(SPENT, sealed_until=NOW), NEXT, Verdict.REPLAY),
    "the successor was used": (SPENT, replace(NEXT, spent=True), Verdict.REPLAY),
    "the successor was erased": (SPENT, None, Verdict.REPLAY),
    "without a grace": (replace(SPENT, sealed_until=None), NEXT, Verdict.REPLAY),
}


@pytest.mark.parametrize(
    ("presented", "successor", "verdict"), DECISIONS.values(), ids=DECISIONS
)
def test_what_a_presented_code_or_token_is_worth(
    presented: Presented, successor: RefreshToken | None, verdict: Verdict
) -> None:
    """RFC 6749 §4.1.2, RFC 9700 §4.14.2."""
    assert decide(presented, NOW, successor) is verdict


def test_what_has_nothing_to_spend_waits_for_no_writer(sign_in: SignIn) -> None:
    """An operator may hold SQLite's writer for longer than a client waits."""
    with sign_in.database.write():
        refused = [sign_in.redeem("wrong"), sign_in.refresh("wrong"), sign_in.redeem(None)]

    assert [error_of(each) for each in refused] == [GONE, GONE, (400, "invalid_request")]


def test_a_code_becomes_tokens_and_a_refresh_token_its_successor(sign_in: SignIn) -> None:
    """The whole flow: code, refresh, and a replay that ends both."""
    # Given a person who allowed a client with PKCE to come back without them
    code = sign_in.code(scope=OFFLINE, **PKCE)

    # When the client exchanges the code, then it gets tokens about that person
    first = sign_in.redeem(code, code_verifier=VERIFIER).json()
    assert sign_in.userinfo(first["access_token"]).json() == {"sub": sign_in.subject(first)}

    # When it uses the refresh token, then it gets new tokens about the same person
    second = sign_in.refresh(first["refresh_token"]).json()
    assert sign_in.subject(second) == sign_in.subject(first)
    assert second["refresh_token"] != first["refresh_token"]

    # When the code is shown again, then it is refused, and everything it gave has ended
    assert error_of(sign_in.redeem(code, code_verifier=VERIFIER)) == GONE
    assert sign_in.userinfo(first["access_token"]).status_code == 401
    assert sign_in.userinfo(second["access_token"]).status_code == 401
    assert error_of(sign_in.refresh(second["refresh_token"])) == GONE


@pytest.mark.parametrize("options", [{}, {"authentication": Authentication.NONE}])
def test_another_client_can_neither_use_nor_burn_a_code(
    sign_in: SignIn, options: dict[str, Any]
) -> None:
    """RFC 6749 §4.1.3, §10.5: bound to its client, with a secret or public."""
    other = sign_in.another(redirect_uri=REDIRECT_URI, **options)
    code = sign_in.code(**PKCE)

    assert error_of(other.redeem(code, code_verifier=VERIFIER)) == GONE
    assert sign_in.redeem(code, code_verifier=VERIFIER).status_code == 200


def test_of_concurrent_exchanges_of_a_code_one_succeeds(anywhere: SignIn) -> None:
    """It is in several hands: the others end what the one got."""
    code = anywhere.code(scope=OFFLINE)

    answers = at_once(*[lambda: anywhere.redeem(code)] * 4)

    given = [each.json() for each in answers if each.status_code == 200]
    assert [error_of(each) for each in answers if each.status_code != 200] == [GONE] * 3
    assert anywhere.userinfo(given[0]["access_token"]).status_code == 401


def test_concurrent_refreshes_get_the_same_successor(anywhere: SignIn) -> None:
    """Two tabs that wake up together stay signed in."""
    token = anywhere.tokens(scope=OFFLINE)["refresh_token"]

    answers = at_once(*[lambda: anywhere.refresh(token)] * 4)

    (successor,) = {each.json()["refresh_token"] for each in answers}
    assert anywhere.refresh(successor).status_code == 200


LIFETIMES = Lifetimes()
GRACE_S = LIFETIMES.refresh_grace_s


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
    def test_reuse_ends_the_family(self, sign_in: SignIn, options: dict[str, Any]) -> None:
        """RFC 9700 §2.2.2, §4.14.2: one of the two who showed it is a thief."""
        sign_in = sign_in.another(**options)
        first = sign_in.tokens(scope=OFFLINE)["refresh_token"]
        second = sign_in.refresh(first).json()
        third = sign_in.refresh(second["refresh_token"]).json()

        assert error_of(sign_in.refresh(first)) == GONE
        assert error_of(sign_in.refresh(third["refresh_token"])) == GONE
        assert sign_in.userinfo(third["access_token"]).status_code == 401

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
